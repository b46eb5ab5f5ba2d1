//! The count of all rows of a table in one scan: each row belongs to a tablet, and to one recipe or
//! to none.

use std::collections::BTreeMap;

use fluo_table::{Bytes, Escaped, Filter, Result, Scan, Span, Table, Tablets};
use futures_util::TryStreamExt;

use super::super::{TableOptimizations, TableRequirement};
use super::load::{Load, Part, Place, Scale};
use super::tally::Tally;
use crate::number::{float_len, share};

/// The contents of each tablet, in the order of the table.
#[derive(Debug)]
pub(super) struct Census<'a> {
    tablets: &'a Tablets,
    /// `true` if rows were counted. If not, all figures are entries.
    pub(super) counted: bool,
    /// The number of all rows, including transient ones.
    pub(super) total: u64,
    /// The rows of each tablet that count for loads: without transient ones, unless all are.
    included: Vec<u64>,
    /// The part of them that belongs to no recipe: rows outside of their prefixes, or the entries
    /// of tablets that can hold no row of a recipe.
    others: Vec<u64>,
    /// The first row that belongs to no recipe, escaped.
    pub(super) first_other: Option<String>,
    /// The rows of each recipe, in the order of the optimizations.
    pub(super) recipes: Vec<Tally<'a>>,
    /// `true` if all recipes are transient, so that no loads are compared.
    pub(super) is_transient: bool,
}

impl<'a> Census<'a> {
    fn new(optimizations: &'a TableOptimizations, tablets: &'a Tablets) -> Self {
        let none = vec![0; tablets.as_slice().len()];
        let requirements = || optimizations.requirements().iter();
        Self {
            tablets,
            counted: true,
            total: 0,
            included: none.clone(),
            others: none,
            first_other: None,
            recipes: requirements().map(|one| Tally::new(one, tablets)).collect(),
            is_transient: requirements().all(|one| one.is_transient),
        }
    }

    /// Returns the tablets' own counts of entries. A tablet counts for each recipe whose rows it
    /// can hold.
    pub(super) fn of_entries(optimizations: &'a TableOptimizations, tablets: &'a Tablets) -> Self {
        let mut census = Self::new(optimizations, tablets);
        census.counted = false;
        census.total = tablets.entries();
        for (index, tablet) in tablets.as_slice().iter().enumerate() {
            let tallies = census.recipes.iter_mut();
            let owners: Vec<_> = tallies
                .filter(|tally| tally.tablets().contains(&index))
                .map(|tally| {
                    tally.add_to(index, tablet.entries);
                    tally.requirement()
                })
                .collect();
            census.add(index, tablet.entries, &owners);
        }
        census
    }

    /// Reads the first cell of every row, and calls `progress` with the number of rows so far.
    pub(super) async fn of_rows(
        optimizations: &'a TableOptimizations,
        tablets: &'a Tablets,
        table: &dyn Table,
        mut progress: impl FnMut(u64) + Send,
    ) -> Result<Self> {
        let mut census = Self::new(optimizations, tablets);
        let mut cursor = Cursor::new(optimizations);
        let mut batches = table.scan(Scan::over(Span::all()).filter(Filter::FirstOfRow));
        while let Some(cells) = batches.try_next().await? {
            for cell in &cells {
                census.add_row(&cell.key.row, &mut cursor);
            }
            progress(census.total);
        }
        Ok(census)
    }

    fn add_row(&mut self, key: &Bytes, cursor: &mut Cursor) {
        self.total += 1;
        let tablet = cursor.tablet_of(key, self.tablets);
        let tally = cursor.recipe_of(key, &self.recipes);
        let owner = match tally.and_then(|index| self.recipes.get_mut(index)) {
            Some(tally) => {
                tally.add(key, tablet);
                Some(tally.requirement())
            }
            None => {
                let first = &mut self.first_other;
                first.get_or_insert_with(|| Escaped(key).to_string());
                None
            }
        };
        self.add(tablet, 1, owner.as_slice());
    }

    fn add(&mut self, tablet: usize, rows: u64, owners: &[&TableRequirement]) {
        let is_included = owners.iter().any(|owner| !owner.is_transient) || self.is_transient;
        if let Some(included) = self.included.get_mut(tablet)
            && (is_included || owners.is_empty())
        {
            *included += rows;
        }
        if let Some(others) = self.others.get_mut(tablet)
            && owners.is_empty()
        {
            *others += rows;
        }
    }

    pub(super) fn other_rows(&self) -> u64 {
        self.others.iter().sum()
    }

    /// Returns the load of the tablets with rows of no recipe, by all of their rows. The share of a
    /// tablet is the mean of the table, or the part of its recipes if that is more.
    pub(super) fn load_of_others(&self, scale: Scale) -> Load {
        let total = self.included.iter().sum();
        let filled = self.included.iter().filter(|count| **count > 0).count();
        let recipes = self.recipes.iter().map(Tally::requirement);
        let lasting = recipes.filter(|recipe| !recipe.is_transient);
        let planned: usize = lasting.map(TableRequirement::planned_tablets).sum();
        let places = planned.max(filled);
        let counts = self.included.iter().zip(&self.others);
        let parts = self.tablets.as_slice().iter().zip(counts);
        let parts =
            parts.filter(|(_, (_, others))| **others > 0).map(|(tablet, (count, others))| Part {
                place: Place::of_tablet(tablet),
                count: *count,
                share: share(count - others, total).max(1.0 / float_len(places.max(1))),
            });
        let load = scale.load(places, total, parts.collect());
        load.compared_if(!self.is_transient)
    }

    /// Adds up the rows of each server. Tablets without a server are left out.
    pub(super) fn rows_per_server(&self, servers: &[String]) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<_, _> = servers.iter().map(|one| (one.clone(), 0)).collect();
        for (tablet, rows) in self.tablets.as_slice().iter().zip(&self.included) {
            if let Some(server) = &tablet.server {
                *counts.entry(server.clone()).or_default() += rows;
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

/// The position in the tablets and the recipes. Rows come in order, so both are found in one step,
/// without a search.
struct Cursor {
    tablet: usize,
    /// The recipes from this position on, the last one first, in the order of their prefixes. No
    /// prefix begins with another one.
    recipes: Vec<usize>,
}

impl Cursor {
    fn new(optimizations: &TableOptimizations) -> Self {
        let requirements = optimizations.requirements();
        let mut recipes: Vec<_> = (0..requirements.len()).collect();
        recipes.sort_by_key(|index| requirements.get(*index).map(|one| one.prefix.clone()));
        recipes.reverse();
        Self { tablet: 0, recipes }
    }

    fn tablet_of(&mut self, key: &Bytes, tablets: &Tablets) -> usize {
        let ends_before = |index: usize| {
            let tablet = tablets.as_slice().get(index);
            let end_row = tablet.and_then(|tablet| tablet.end_row.as_ref());
            end_row.is_some_and(|end_row| end_row < key)
        };
        while ends_before(self.tablet) {
            self.tablet += 1;
        }
        self.tablet
    }

    /// Returns the recipe whose prefix the row begins with.
    fn recipe_of(&mut self, key: &Bytes, recipes: &[Tally<'_>]) -> Option<usize> {
        while let Some(index) = self.recipes.last() {
            let prefix = &recipes.get(*index)?.requirement().prefix;
            if key.starts_with(prefix) {
                return Some(*index);
            }
            if key < prefix {
                return None;
            }
            self.recipes.pop();
        }
        None
    }
}
