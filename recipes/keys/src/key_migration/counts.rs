//! The progress of a migration.

use std::fmt;
use std::num::NonZeroUsize;

use fluo_table::{Filter, Grouped, Scan, Table};
use futures_util::TryStreamExt;

use super::designs::KeyMigration;
use crate::error::RecipeError;
use crate::key_design::RowSelection;

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
        let scan = Scan::over_all(self.spans(&RowSelection::All)?.concat())
            .filter(Filter::FirstOfRow)
            .batch_cells(BATCH_CELLS);
        let mut counts = MigrationProgress { rows: vec![0; self.designs().len()], foreign: 0 };
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
