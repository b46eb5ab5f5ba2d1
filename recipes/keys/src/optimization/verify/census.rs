//! The count of all rows of a table in one scan: each row belongs to a tablet, and to one recipe or
//! to none.

use std::collections::BTreeMap;

use fluo_table::{Bytes, Escaped, Filter, Result, Scan, Span, Table, Tablet, Tablets};
use futures_util::TryStreamExt;

use super::super::{TableOptimizations, TableRequirement};
use super::load::{Load, Part, Place, Scale};
use super::tally::Tally;
use crate::number::{float_len, share};

#[derive(Debug)]
pub(super) struct Census<'a> {
    tablets: &'a Tablets,
    /// `true` if rows were counted. If not, all figures are entries.
    pub(super) counted: bool,
    /// The number of all rows, including transient ones.
    pub(super) total: u64,
    in_tablets: Vec<TabletRows>,
    /// The first row that belongs to no recipe, escaped.
    pub(super) first_other: Option<String>,
    /// The rows of each recipe, in the order of the optimizations.
    pub(super) recipes: Vec<Tally<'a>>,
    /// `true` if all recipes are transient, so that no loads are compared.
    pub(super) is_transient: bool,
}

#[derive(Clone, Debug, Default)]
struct TabletRows {
    /// The rows that count for loads: without transient ones, unless all are.
    included: u64,
    /// The part of them that belongs to no recipe: rows outside of their prefixes, or the entries
    /// of a tablet that can hold no row of a recipe.
    others: u64,
}

impl<'a> Census<'a> {
    fn new(optimizations: &'a TableOptimizations, tablets: &'a Tablets, counted: bool) -> Self {
        let requirements = || optimizations.requirements().iter();
        Self {
            tablets,
            counted,
            total: 0,
            in_tablets: vec![TabletRows::default(); tablets.as_slice().len()],
            first_other: None,
            recipes: requirements().map(|one| Tally::new(one, tablets)).collect(),
            is_transient: requirements().all(|one| one.is_transient),
        }
    }

    /// Returns the tablets' own counts of entries. A tablet counts for each recipe whose rows it
    /// can hold.
    pub(super) fn of_entries(optimizations: &'a TableOptimizations, tablets: &'a Tablets) -> Self {
        let mut census = Self::new(optimizations, tablets, false);
        for (index, tablet) in tablets.as_slice().iter().enumerate() {
            let mut owner: Option<&TableRequirement> = None;
            for tally in census.recipes.iter_mut().filter(|tally| tally.tablets.contains(&index)) {
                tally.add_to(index, tablet.entries);
                owner = owner.filter(|one| !one.is_transient).or(Some(tally.requirement));
            }
            census.add(index, tablet.entries, owner);
        }
        census
    }

    /// Reads the first cell of every row, and calls `progress` with the number of rows so far, and
    /// the last of them.
    pub(super) async fn of_rows(
        optimizations: &'a TableOptimizations,
        tablets: &'a Tablets,
        table: &dyn Table,
        mut progress: impl FnMut(u64, &Bytes) + Send,
    ) -> Result<Self> {
        let mut census = Self::new(optimizations, tablets, true);
        let mut batches = table.scan(Scan::over(Span::all()).filter(Filter::FirstOfRow));
        while let Some(cells) = batches.try_next().await? {
            cells.iter().for_each(|cell| census.add_row(&cell.key.row));
            cells.last().iter().for_each(|last| progress(census.total, &last.key.row));
        }
        Ok(census)
    }

    fn add_row(&mut self, key: &Bytes) {
        let tablet = self.tablets.index_of(key);
        let owner = self.owner(key).and_then(|(owner, age)| {
            let tally = self.recipes.get_mut(owner)?;
            tally.add(key, age, tablet);
            Some(tally.requirement)
        });
        if owner.is_none() {
            self.first_other.get_or_insert_with(|| Escaped(key).to_string());
        }
        self.add(tablet, 1, owner);
    }

    /// Returns the index of the recipe that a row belongs to, and the age of the row's design.
    fn owner(&self, key: &Bytes) -> Option<(usize, Option<usize>)> {
        let mut recipes = self.recipes.iter().enumerate();
        let begins = |tally: &Tally<'_>| key.starts_with(&tally.requirement.prefix);
        match recipes.clone().find(|(_, tally)| begins(tally)) {
            Some((owner, tally)) => Some((owner, tally.age(key))),
            None => recipes.find_map(|(owner, tally)| Some((owner, Some(tally.earlier_age(key)?)))),
        }
    }

    fn add(&mut self, tablet: usize, rows: u64, owner: Option<&TableRequirement>) {
        self.total += rows;
        let Some(tablet) = self.in_tablets.get_mut(tablet) else {
            return;
        };
        if self.is_transient || owner.is_none_or(|owner| !owner.is_transient) {
            tablet.included += rows;
        }
        if owner.is_none() {
            tablet.others += rows;
        }
    }

    fn tablets(&self) -> impl Iterator<Item = (&Tablet, &TabletRows)> {
        self.tablets.as_slice().iter().zip(&self.in_tablets)
    }

    pub(super) fn other_rows(&self) -> u64 {
        self.in_tablets.iter().map(|rows| rows.others).sum()
    }

    /// Returns the load of the tablets with rows of no recipe, by all of their rows. The share of a
    /// tablet is the mean of the table, or the part of its recipes if that is more.
    pub(super) fn load_of_others(&self, scale: Scale) -> Load {
        let total = self.in_tablets.iter().map(|rows| rows.included).sum();
        let filled = self.in_tablets.iter().filter(|rows| rows.included > 0).count();
        let recipes = self.recipes.iter().map(|tally| tally.requirement);
        let lasting = recipes.filter(|recipe| !recipe.is_transient);
        let planned: usize = lasting.map(TableRequirement::planned_tablets).sum();
        let places = planned.max(filled);
        let mean = 1.0 / float_len(places.max(1));
        let parts = self.tablets().filter(|(_, rows)| rows.others > 0);
        let parts = parts.map(|(tablet, rows)| Part {
            place: Place::from(tablet),
            count: rows.included,
            share: share(rows.included - rows.others, total).max(mean),
        });
        scale.load(places, total, parts.collect()).compared_if(!self.is_transient)
    }

    /// Adds up the rows of each server. Tablets without a server are left out.
    pub(super) fn rows_per_server(&self, servers: &[String]) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<_, _> = servers.iter().map(|one| (one.clone(), 0)).collect();
        for (tablet, rows) in self.tablets() {
            if let Some(server) = &tablet.server {
                *counts.entry(server.clone()).or_default() += rows.included;
            }
        }
        counts
    }

    /// Returns the load of the servers. A limit above their number accepts that one has everything.
    pub(super) fn load_of_servers(&self, rows: &BTreeMap<String, u64>, scale: Scale) -> Load {
        let share = 1.0 / float_len(rows.len().max(1));
        let parts = rows.iter().map(|(server, count)| Part {
            place: Place::Server(server.clone()),
            count: *count,
            share,
        });
        let load = scale.load(rows.len(), rows.values().sum(), parts.collect());
        load.compared_if(!self.is_transient && scale.max_skew.get() * share <= 1.0)
    }
}
