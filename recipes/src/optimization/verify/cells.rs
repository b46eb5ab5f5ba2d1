//! Rows with many cells.
//!
//! A row counts as one, however many cells it has, so a tablet can be hot although rows are even. Where the tablets' entries
//! are uneven and rows are not, every cell is counted too. Entries alone do not decide: they include deleted cells and those
//! that need other authorizations.

use fluo_core::{Result, Table, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::census::Census;
use super::finding::{Finding, Stage};
use super::load::{ServerLoad, TabletLoad};
use super::rows::RowsVerdict;
use super::scale::Scale;
use super::sentences;
use super::unproved::Unproved;

/// The cells of a table whose rows are more even than its entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellsVerdict {
    /// Each recipe, in the order of the optimizations.
    pub recipes: Vec<CellsOfRecipe>,
    /// The servers.
    pub servers: ServerLoad,
    /// Whether a server is too full by cells and not by rows.
    #[serde(skip)]
    is_new_on_servers: bool,
    /// The tablet that is too full by its entries, if the cells are even.
    #[serde(skip)]
    hidden: Option<TabletLoad>,
}

/// The cells of the tablets of a recipe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellsOfRecipe {
    /// The recipe.
    pub recipe: String,
    /// The figures.
    #[serde(flatten)]
    pub load: TabletLoad,
    /// Whether a tablet is too full by cells and not by rows.
    #[serde(skip)]
    is_new: bool,
}

impl CellsVerdict {
    /// Counts the cells if a tablet of a recipe, or a server, is too full by entries and not by rows. Returns `None`
    /// otherwise.
    pub(super) async fn count(
        table: &dyn Table,
        optimizations: &TableOptimizations,
        tablets: &Tablets,
        servers: &[String],
        (rows, scale): (&Census, Scale),
    ) -> Result<Option<Self>> {
        let by_rows = scale;
        let scale = Scale {
            counts_rows: false,
            ..scale
        };
        // Rows of whatever recipe, as entries are.
        let rows = Census::of_counts(rows.all.clone(), optimizations, tablets, by_rows);
        let entries = Census::of_entries(optimizations, tablets, scale);
        let is_new = |(heavy, rows): &(&RowsVerdict, &RowsVerdict)| {
            heavy.load.load.is_too_full() && !rows.load.load.is_too_full()
        };
        let suspects: Vec<_> = entries.rows.iter().zip(&rows.rows).filter(is_new).collect();
        let on_servers = |census: &Census, scale: Scale| {
            let load = scale.of_servers(tablets, &census.all, servers);
            (load.load.is_too_full(), load)
        };
        let (servers_by_rows, _) = on_servers(&rows, by_rows);
        let (servers_by_entries, _) = on_servers(&entries, scale);
        if suspects.is_empty() && (!servers_by_entries || servers_by_rows) {
            return Ok(None);
        }
        let cells = Census::of_cells(table, optimizations, tablets, scale).await?;
        let hot: Vec<_> = cells
            .rows
            .iter()
            .zip(&rows.rows)
            .map(|pair| is_new(&pair))
            .collect();
        let (servers_by_cells, servers) = on_servers(&cells, scale);
        let hidden = suspects.first().map(|(entries, _)| entries.load.clone());
        Ok(Some(Self {
            is_new_on_servers: servers_by_cells && !servers_by_rows,
            hidden: hidden.filter(|_| !hot.contains(&true)),
            recipes: cells
                .rows
                .into_iter()
                .zip(hot)
                .map(|(cells, is_new)| CellsOfRecipe {
                    recipe: cells.recipe,
                    load: cells.load,
                    is_new,
                })
                .collect(),
            servers,
        }))
    }

    /// Returns the differences that the rows alone do not show.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let recipes = self.recipes.iter().filter(|cells| cells.is_new);
        let mut findings: Vec<_> = recipes
            .filter_map(|cells| {
                let TabletLoad { load, fullest } = &cells.load;
                let place = fullest.as_ref()?.name();
                let too_full = sentences::too_full_of(&place, "cells", load, "tablet");
                let told = format!("{}: {too_full}, although its rows are even", cells.recipe);
                Some(Finding::new(Stage::RecipeLoad, load.excess(), told))
            })
            .collect();
        let server = self.servers.fullest.as_ref();
        findings.extend(server.filter(|_| self.is_new_on_servers).map(|server| {
            let (place, load) = (format!("server {server}"), &self.servers.load);
            let told = sentences::too_full_of(&place, "cells", load, "server");
            Finding::new(Stage::ServerLoad, load.excess(), told)
        }));
        findings
    }

    /// Returns the reason why evenness is not proved, if the entries are uneven and the cells are not.
    pub(super) fn unproved(&self) -> Option<Unproved> {
        let hidden = self.hidden.as_ref()?;
        Some(Unproved::HiddenEntries {
            tablet: hidden.fullest.as_ref()?.name(),
            skew: sentences::skew(&hidden.load),
        })
    }
}
