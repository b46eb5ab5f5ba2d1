//! The progress of a migration.

use std::fmt;
use std::num::NonZeroUsize;

use fluo_table::{Cell, Excerpt, Filter, Grouped, Scan, Table};
use futures_util::TryStreamExt;

use super::designs::{KeyMigration, places_of};
use crate::error::RecipeError;
use crate::row_hasher::HashScheme;

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
    /// after the migration. Such a row would stay where it is. Checks too that the rows without a
    /// salt are not the keys of another row hasher, which would be hashed again. Reads one cell of
    /// each row, or nothing if all designs have a salt.
    ///
    /// # Errors
    ///
    /// Fails with the first such row, or once chance does not explain the number of such keys; also
    /// as [`Table::scan`].
    pub async fn check(&self, table: &dyn Table) -> Result<(), RecipeError> {
        if self.reserved.is_empty() {
            return Ok(());
        }
        let is_moved_plain = |owner: usize| {
            owner + 1 < self.designs.len()
                && self.designs.get(owner).is_some_and(|design| design.head_len() == 0)
        };
        let mut hashed = HashedRowsSeen::default();
        let (mut batches, mut row) = (table.scan(self.first_cells()?), Vec::new());
        while let Some(cells) = batches.try_next().await? {
            for Cell { key, .. } in cells {
                row.clear();
                if let Ok(owner) = self.decode_key_to(&key.row, &mut row) {
                    self.key(&row)?;
                    if is_moved_plain(owner) {
                        hashed.see(&key.row).map_err(RecipeError::row)?;
                    }
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

/// The rows that look like keys of a row hasher, and those whose hash agrees.
#[derive(Debug, Default)]
struct HashedRowsSeen {
    alike: u64,
    agree: u64,
}

impl HashedRowsSeen {
    /// The number of keys from which a hasher is recognized, and the part of the keys that look
    /// alike. A hash agrees by chance in one of 200,000: four digits, in one of five schemes.
    const MIN: u64 = 4;
    const PART: u64 = 10_000;
    const MAX_PREFIX: usize = 256;

    /// Counts a row. Fails if chance does not explain how many hashes agree.
    fn see(&mut self, key: &[u8]) -> Result<(), String> {
        let start = key.get(..Self::MAX_PREFIX).unwrap_or(key);
        for (colon, _) in start.iter().enumerate().filter(|(_, byte)| **byte == b':') {
            let Some((hash, rest)) = key.get(colon + 1..).and_then(|rest| rest.split_first_chunk())
            else {
                continue;
            };
            let Some(row) = rest.strip_prefix(b":").filter(|_| colon > 0) else { continue };
            self.alike += 1;
            if HashScheme::ALL.iter().any(|scheme| scheme.hash(row) == *hash) {
                self.agree += 1;
                if self.agree >= Self::MIN && self.agree * Self::PART > self.alike {
                    return Err(format!(
                        "rows such as {} are keys of a row hasher already: name it as an \
                         earlier design to move them",
                        Excerpt::new(key)
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_hashed_keys_from_chance() {
        let hasher = crate::RowHasher::new("q").unwrap();
        let mut seen = HashedRowsSeen::default();
        for plain in ["cat", ":a", "a:b", "2026:0101:x", ":r2g7:cat"] {
            assert_eq!(seen.see(plain.as_bytes()), Ok(()));
        }
        for row in ["cat", "dog", "eel"] {
            assert_eq!(seen.see(&hasher.add(row)), Ok(()));
        }
        let refused = seen.see(&hasher.add("fox")).unwrap_err();
        assert!(refused.contains("name it as an earlier design to move them"), "{refused}");
        let mut seen = HashedRowsSeen { alike: 50_000, agree: 3 };
        assert_eq!(seen.see(&hasher.add("fox")), Ok(()));
    }

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
