//! The count of all rows of a table in one scan: each row belongs to a tablet, and to one recipe or
//! to none.

use fluo_table::{Bytes, Escaped, Filter, Result, Scan, Span, Table};
use futures_util::TryStreamExt;

use super::look::Look;
use super::row_counts::Tally;
use super::rows::RowsVerdict;
use super::scale::Whole;

/// The contents of each tablet, in the order of the table.
#[derive(Debug)]
pub(super) struct Census {
    /// `true` if rows were counted. If not, all figures are entries.
    pub(super) counts_rows: bool,
    /// The count of each tablet.
    pub(super) all: Vec<u64>,
    /// The part of it that counts for the loads of the table and the servers. See
    /// [`Look::includes`].
    pub(super) included: Vec<u64>,
    /// The part of it that belongs to no recipe: rows outside of their prefixes, or the entries of
    /// tablets that can hold no row of a recipe.
    pub(super) others: Vec<u64>,
    /// The first row that belongs to no recipe, escaped.
    pub(super) first_other: Option<String>,
    /// The rows of each recipe, in the order of the optimizations.
    pub(super) rows: Vec<RowsVerdict>,
}

impl Census {
    /// Returns the tablets' own counts.
    pub(super) fn of_entries(look: &Look<'_>) -> Self {
        Self::of_counts(look.entries(), &look.by_entries())
    }

    /// Reads every cell, and counts the cells of each tablet.
    pub(super) async fn of_cells(table: &dyn Table, look: &Look<'_>) -> Result<Self> {
        let mut cells = vec![0; look.tablets.as_slice().len()];
        let mut batches = table.scan(Scan::over(Span::all()));
        while let Some(batch) = batches.try_next().await? {
            for cell in &batch {
                if let Some(count) = cells.get_mut(look.tablets.index_of(&cell.key.row)) {
                    *count += 1;
                }
            }
        }
        Ok(Self::of_counts(cells, &look.by_entries()))
    }

    /// Returns the census of counts that include the rows of all recipes.
    pub(super) fn of_counts(all: Vec<u64>, look: &Look<'_>) -> Self {
        let mut others = all.clone();
        let tallies = look
            .optimizations
            .requirements()
            .iter()
            .map(|requirement| Tally::new(requirement, look.tablets));
        let rows = tallies.map(|tally| {
            if let Some(own) = others.get_mut(tally.tablets()) {
                own.fill(0);
            }
            tally.of_counts(&all, look.scale)
        });
        Self {
            counts_rows: false,
            rows: rows.collect(),
            included: look.included(&all),
            all,
            others,
            first_other: None,
        }
    }

    /// Reads the first cell of every row, and calls `progress` with the number of rows so far.
    pub(super) async fn of_rows(
        table: &dyn Table,
        look: &Look<'_>,
        mut progress: impl FnMut(u64) + Send,
    ) -> Result<Self> {
        let mut count = Count::new(*look);
        let mut batches = table.scan(Scan::over(Span::all()).filter(Filter::FirstOfRow));
        while let Some(cells) = batches.try_next().await? {
            cells.iter().for_each(|cell| count.add(&cell.key.row));
            progress(count.rows);
        }
        Ok(count.finish())
    }

    /// Returns the number of all rows, or entries, of the table.
    pub(super) fn total(&self) -> u64 {
        self.all.iter().sum()
    }

    /// Returns the included rows, or entries, with the number of tablets of the whole table that
    /// share them.
    pub(super) fn whole(&self, look: &Look<'_>) -> Whole {
        Whole {
            places: look.places(&self.included),
            total: self.included.iter().sum(),
        }
    }
}

/// A counter of rows. They come in order, so the tablet and the recipe of a row are found in one
/// step, without a search.
struct Count<'a> {
    look: Look<'a>,
    tallies: Vec<Tally<'a>>,
    /// The recipes in the order of their prefixes. No prefix begins with another one.
    by_prefix: Vec<usize>,
    at_prefix: usize,
    at_tablet: usize,
    rows: u64,
    all: Vec<u64>,
    included: Vec<u64>,
    others: Vec<u64>,
    first_other: Option<String>,
}

impl<'a> Count<'a> {
    fn new(look: Look<'a>) -> Self {
        let tablets = look.tablets;
        let requirements = look.optimizations.requirements();
        let mut by_prefix: Vec<_> = (0..requirements.len()).collect();
        by_prefix.sort_by_key(|index| requirements.get(*index).map(|one| one.prefix.clone()));
        Self {
            look,
            tallies: requirements
                .iter()
                .map(|requirement| Tally::new(requirement, tablets))
                .collect(),
            by_prefix,
            at_prefix: 0,
            at_tablet: 0,
            rows: 0,
            all: vec![0; tablets.as_slice().len()],
            included: vec![0; tablets.as_slice().len()],
            others: vec![0; tablets.as_slice().len()],
            first_other: None,
        }
    }

    fn add(&mut self, key: &Bytes) {
        self.rows += 1;
        self.advance_to(key);
        let place = self.at_tablet;
        increment(&mut self.all, place);
        if let Some(tally) = self.tally_of(key) {
            tally.add(key, place);
            let requirement = tally.requirement();
            if self.look.includes(requirement) {
                increment(&mut self.included, place);
            }
            return;
        }
        increment(&mut self.included, place);
        increment(&mut self.others, place);
        self.first_other
            .get_or_insert_with(|| Escaped(key).to_string());
    }

    fn advance_to(&mut self, key: &Bytes) {
        let ends_before = |index: usize| {
            let tablet = self.look.tablets.as_slice().get(index);
            tablet
                .and_then(|tablet| tablet.end_row.as_ref())
                .is_some_and(|end_row| end_row < key)
        };
        while ends_before(self.at_tablet) {
            self.at_tablet += 1;
        }
    }

    /// Returns the tally of the recipe whose prefix the row begins with.
    fn tally_of(&mut self, key: &Bytes) -> Option<&mut Tally<'a>> {
        while let Some(index) = self.by_prefix.get(self.at_prefix) {
            let tally = self.tallies.get_mut(*index)?;
            let prefix = &tally.requirement().prefix;
            if key.starts_with(prefix) {
                return self.tallies.get_mut(*index);
            }
            if key < prefix {
                return None;
            }
            self.at_prefix += 1;
        }
        None
    }

    fn finish(self) -> Census {
        let scale = self.look.scale;
        let rows = self.tallies.into_iter();
        Census {
            counts_rows: true,
            included: self.included,
            rows: rows.map(|tally| tally.counted_rows(scale)).collect(),
            all: self.all,
            others: self.others,
            first_other: self.first_other,
        }
    }
}

fn increment(counts: &mut [u64], place: usize) {
    if let Some(count) = counts.get_mut(place) {
        *count += 1;
    }
}
