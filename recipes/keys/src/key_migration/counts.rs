//! The progress of a migration.

use std::fmt;
use std::num::NonZeroUsize;

use fluo_table::{Filter, Grouped, Scan, Table};
use futures_util::TryStreamExt;

use super::designs::KeyMigration;
use crate::error::RecipeError;
use crate::key_design::RowSelection;

/// Cells per read.
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
    #[must_use]
    pub fn left(&self) -> u64 {
        self.rows.iter().rev().skip(1).sum()
    }

    /// Returns the number of rows in the newest epoch.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.rows.last().copied().unwrap_or_default()
    }
}

impl fmt::Display for MigrationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, left) = (self.done(), self.left());
        let all = u128::from(done) + u128::from(left);
        let permille = u128::from(done) * 1_000 / all.max(1);
        match (left, done) {
            (0, 1) => f.write_str("the 1 row is in the newest epoch")?,
            (0, _) => write!(f, "all {} rows are in the newest epoch", Grouped(done))?,
            _ => write!(
                f,
                "{} of {} {} in the newest epoch ({}.{} %), {} {} left to be moved",
                Grouped(done),
                Grouped(u64::try_from(all).unwrap_or(u64::MAX)),
                if all == 1 { "row is" } else { "rows are" },
                permille / 10,
                permille % 10,
                Grouped(left),
                if left == 1 { "is" } else { "are" }
            )?,
        }
        match self.foreign {
            0 => Ok(()),
            1 => f.write_str("; 1 row belongs to none of the designs"),
            foreign => write!(
                f,
                "; {} rows belong to none of the designs",
                Grouped(foreign)
            ),
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
        let mut spans = Vec::new();
        for design in self.designs() {
            spans.extend(design.spans(&RowSelection::All)?);
        }
        let scan = Scan::over_all(spans)
            .filter(Filter::FirstOfRow)
            .batch_cells(BATCH_CELLS);
        let mut counts = MigrationProgress {
            rows: vec![0; self.list().len()],
            foreign: 0,
        };
        let (mut batches, mut row) = (table.scan(scan), Vec::new());
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_progress() {
        let text = |rows: &[u64], foreign| {
            MigrationProgress {
                rows: rows.to_vec(),
                foreign,
            }
            .to_string()
        };
        assert_eq!(
            text(&[1, 0, 2], 0),
            "2 of 3 rows are in the newest epoch (66.6 %), 1 is left to be moved"
        );
        assert_eq!(
            text(&[2, 1], 1),
            "1 of 3 rows are in the newest epoch (33.3 %), 2 are left to be moved; 1 row belongs to none of the designs"
        );
        assert_eq!(
            text(&[1, 0], 0),
            "0 of 1 row is in the newest epoch (0.0 %), 1 is left to be moved"
        );
        assert_eq!(text(&[0, 1], 0), "the 1 row is in the newest epoch");
        assert_eq!(
            text(&[0, 7], 3),
            "all 7 rows are in the newest epoch; 3 rows belong to none of the designs"
        );
        assert_eq!(
            text(&[1_000, 5_000], 12_345),
            "5,000 of 6,000 rows are in the newest epoch (83.3 %), 1,000 are left to be moved; 12,345 rows belong to \
             none of the designs"
        );
        assert_eq!(
            text(&[0, 5_000], 0),
            "all 5,000 rows are in the newest epoch"
        );
        assert_eq!(text(&[0], 0), "all 0 rows are in the newest epoch");
    }
}
