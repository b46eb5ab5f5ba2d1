//! Rows with many cells.
//!
//! A row counts as one, whatever its number of cells, so a tablet can be hot although rows are
//! even. If the entries of the tablets are uneven and the rows are not, `verify` counts every cell
//! too. Entries alone do not decide: they include deleted cells and cells that need other
//! authorizations.

use fluo_table::{Result, Table};
use serde::Serialize;

use super::census::Census;
use super::difference::{Difference, DifferenceKind};
use super::load::TabletLoad;
use super::look::Look;
use super::rows::RowsVerdict;
use super::sentences;
use super::servers::ServerLoad;
use super::unproved::Unproved;

/// The cells of a table whose rows are more even than its entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellsVerdict {
    /// The cells of each recipe, in the order of the optimizations.
    pub recipes: Vec<CellsOfRecipe>,
    /// The cells of the servers.
    pub servers: ServerLoad,
    /// `true` if a server is too full by cells but not by rows.
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
    /// `true` if a tablet is too full by cells but not by rows.
    #[serde(skip)]
    is_new: bool,
}

impl CellsVerdict {
    /// Counts the cells if a tablet of a recipe, or a server, is too full by entries but not by
    /// rows. Returns `None` otherwise.
    pub(super) async fn count(
        table: &dyn Table,
        look: &Look<'_>,
        rows: &Census,
    ) -> Result<Option<Self>> {
        // The rows of all recipes, as for entries.
        let rows = Census::of_counts(rows.all.clone(), look);
        let entries = Census::of_entries(look);
        let is_new = |(heavy, rows): &(&RowsVerdict, &RowsVerdict)| {
            heavy.load.load.is_too_full() && !rows.load.load.is_too_full()
        };
        let suspects: Vec<_> = entries.rows.iter().zip(&rows.rows).filter(is_new).collect();
        let by_entries = look.by_entries();
        let by_rows = ServerLoad::new(look, &rows).load.is_too_full();
        let is_suspect = ServerLoad::new(&by_entries, &entries).load.is_too_full();
        if suspects.is_empty() && (!is_suspect || by_rows) {
            return Ok(None);
        }
        let cells = Census::of_cells(table, look).await?;
        let hot: Vec<_> = cells
            .rows
            .iter()
            .zip(&rows.rows)
            .map(|pair| is_new(&pair))
            .collect();
        let servers = ServerLoad::new(&by_entries, &cells);
        let hidden = suspects.first().map(|(entries, _)| entries.load.clone());
        Ok(Some(Self {
            is_new_on_servers: servers.is_too_full() && !by_rows,
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
    pub(super) fn findings(&self) -> Vec<Difference> {
        let recipes = self.recipes.iter().filter(|cells| cells.is_new);
        let mut findings: Vec<_> = recipes
            .filter_map(|cells| {
                let TabletLoad { load, fullest } = &cells.load;
                let place = fullest.as_ref()?.name();
                let too_full = sentences::too_full_of(&place, "cells", load, "tablet");
                let sentence = format!("{}: {too_full}, although its rows are even", cells.recipe);
                Some(
                    Difference::new(
                        DifferenceKind::RecipeLoad,
                        &cells.recipe,
                        load.excess(),
                        sentence,
                    )
                    .of_load(load),
                )
            })
            .collect();
        let server = self.servers.sentence("cells");
        findings.extend(
            server
                .filter(|_| self.is_new_on_servers)
                .map(|sentence| self.servers.difference(sentence)),
        );
        findings
    }

    /// Returns the reason why evenness is not proved, if the entries are uneven and the cells are
    /// not.
    pub(super) fn unproved(&self) -> Option<Unproved> {
        let hidden = self.hidden.as_ref()?;
        Some(Unproved::HiddenEntries {
            tablet: hidden.fullest.as_ref()?.name(),
            skew: sentences::skew(&hidden.load),
        })
    }
}
