//! The progress of a migration.

use std::fmt;
use std::num::NonZeroUsize;

use fluo_table::{Cell, Filter, Grouped, Scan, Table};
use futures_util::TryStreamExt;

use super::designs::{KeyMigration, places_of};
use crate::error::RecipeError;

const BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// The number of rows of a table that are stored by each of its designs.
///
/// The counts are an estimate while rows are written or moved, and exact for a table at rest. A row
/// that is stored under two keys counts twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The rows of each epoch, oldest first.
    pub rows: Vec<u64>,
    /// Rows in the same ranges that none of the designs can have made.
    pub foreign: u64,
}

impl MigrationProgress {
    /// Returns the number of rows that are still to be moved.
    pub fn left(&self) -> u64 {
        self.rows.iter().rev().skip(1).sum()
    }

    /// Returns the number of rows in the newest epoch.
    pub fn done(&self) -> u64 {
        self.rows.last().copied().unwrap_or_default()
    }
}

impl fmt::Display for MigrationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, all) = (self.done(), self.done().saturating_add(self.left()));
        let (shown, shown_all) = (Grouped(done), Grouped(all));
        if done == all {
            write!(f, "all {shown_all} rows are in the newest epoch")?;
        } else {
            let permille = u128::from(done) * 1_000 / u128::from(all);
            let (whole, tenths) = (permille / 10, permille % 10);
            write!(f, "{shown} of {shown_all} rows are in the newest epoch ({whole}.{tenths} %)")?;
        }
        match self.foreign {
            0 => Ok(()),
            foreign => write!(f, "; rows of none of the designs: {}", Grouped(foreign)),
        }
    }
}

impl KeyMigration {
    /// Counts the rows of each epoch. Reads one cell of each row.
    ///
    /// # Errors
    ///
    /// As [`Table::scan`].
    pub async fn count(&self, table: &dyn Table) -> Result<MigrationProgress, RecipeError> {
        let mut counts = MigrationProgress { rows: vec![0; self.designs().len()], foreign: 0 };
        let (mut batches, mut row) = (table.scan(self.first_cells()?), Vec::new());
        while let Some(cells) = batches.try_next().await? {
            for cell in cells {
                row.clear();
                let owner = self.decode_key_to(&cell.key.row, &mut row);
                match owner.ok().and_then(|owner| counts.rows.get_mut(owner)) {
                    Some(count) => *count += 1,
                    None => counts.foreign += 1,
                }
            }
        }
        Ok(counts)
    }

    /// Checks that no row without a salt begins like the keys of a row hasher, in the table or
    /// after the migration. Such a row would stay where it is. Reads one cell of each row, or
    /// nothing if all designs have a salt.
    ///
    /// # Errors
    ///
    /// Fails with the first such row; also as [`Table::scan`].
    pub async fn check(&self, table: &dyn Table) -> Result<(), RecipeError> {
        if self.reserved.is_empty() {
            return Ok(());
        }
        let (mut batches, mut row) = (table.scan(self.first_cells()?), Vec::new());
        while let Some(cells) = batches.try_next().await? {
            for Cell { key, .. } in cells {
                row.clear();
                if self.decode_key_to(&key.row, &mut row).is_ok() {
                    self.key(&row)?;
                } else {
                    let refused = |design| self.refuse_reserved(design, &key.row);
                    self.designs().try_for_each(refused).map_err(RecipeError::row)?;
                }
            }
        }
        Ok(())
    }

    /// Returns a scan of the first cell of every row that a design can have made.
    fn first_cells(&self) -> Result<Scan, RecipeError> {
        let places = self.designs().map(places_of).collect::<Result<Vec<_>, _>>()?;
        let scan = Scan::over_all(places.concat());
        Ok(scan.filter(Filter::FirstOfRow).batch_cells(BATCH_CELLS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_progress() {
        for (rows, foreign, text) in [
            (&[0, 5_000][..], 0, "all 5,000 rows are in the newest epoch"),
            (&[1, 0, 2], 0, "2 of 3 rows are in the newest epoch (66.6 %)"),
            (
                &[2, 1],
                7,
                "1 of 3 rows are in the newest epoch (33.3 %); rows of none of the designs: 7",
            ),
        ] {
            let rows = rows.to_vec();
            assert_eq!(MigrationProgress { rows, foreign }.to_string(), text);
        }
    }
}
