//! The full check of a directory.

use std::path::Path;

use fluo_core::Result;
use redb::{ReadTransaction, ReadableTable};

use crate::condition::unreadable_key;
use crate::contain::contain_in;
use crate::error::Failure;
use crate::key::KeyReader;
use crate::schema::{CellsDefinition, TABLES, TABLETS, cells_name};
use crate::store::Store;
use crate::tables::EmbeddedTables;
use crate::tablets;

/// What [`EmbeddedTables::check`] found whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Tables.
    pub tables: u64,
    /// Tablets of all tables.
    pub tablets: u64,
    /// Stored entries of all tables, delete markers and old versions included.
    pub entries: u64,
}

impl EmbeddedTables {
    /// Reads all of a directory that nobody has open, and holds it against its checksums and its counts.
    ///
    /// Opening looks at little of the file, and reading checks no checksums: a flipped bit in a value is shown as
    /// it is. This is what finds it. It reads at the speed of the disk and blocks the thread as long. It writes
    /// nothing; a file that was left by a crash is checked as it would be after its repair.
    ///
    /// # Errors
    /// [`Corrupt`](fluo_core::ErrorKind::Corrupt): a page does not have its checksum, a key cannot be read or stands
    /// in the wrong place, or a tablet's count is not the number of its entries. Otherwise as
    /// [`open`](EmbeddedTables::open).
    ///
    /// ```
    /// use fluo_embedded::{EmbeddedTables, Settings};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let parent = tempfile::tempdir()?;
    /// # let directory = parent.path();
    /// drop(EmbeddedTables::open(directory, Settings { create_if_missing: true, ..Settings::default() })?);
    /// assert_eq!(EmbeddedTables::check(directory)?.tables, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(directory: impl AsRef<Path>) -> Result<CheckReport> {
        let mut store = Store::open_unwritten(directory.as_ref())?;
        let path = store.path().to_owned();
        contain_in(&path, || {
            if !store.engine_mut()?.check_integrity()? {
                return Err(Failure::damaged("pages do not have their checksums"));
            }
            check_tables(&store.snapshot()?)
        })
    }
}

fn check_tables(snapshot: &ReadTransaction) -> Result<CheckReport, Failure> {
    let mut report = CheckReport::default();
    for table in snapshot.open_table(TABLES)?.iter()? {
        let (_, id) = table?;
        let (tablets, entries) = check_table(snapshot, id.value())?;
        report.tables += 1;
        report.tablets += tablets;
        report.entries += entries;
    }
    Ok(report)
}

/// The numbers of tablets and of entries of a table.
fn check_table(snapshot: &ReadTransaction, table_id: u64) -> Result<(u64, u64), Failure> {
    let name = cells_name(table_id);
    let cells = snapshot.open_table(CellsDefinition::new(&name))?;
    let mut entries = cells.iter()?.peekable();
    let (mut tablet_count, mut total) = (0, 0);
    let mut reader = KeyReader::default();
    let mut previous: Vec<u8> = Vec::new();
    for (end_row, expected) in tablets::list(&snapshot.open_table(TABLETS)?, table_id)? {
        let mut found = 0;
        while let Some(entry) = entries.peek() {
            let bytes = match entry {
                Ok((key, _)) => key.value(),
                Err(_) => break,
            };
            let (key, _) = reader.read(bytes).ok_or_else(unreadable_key)?;
            if end_row.as_ref().is_some_and(|end| key.row > end.as_ref()) {
                break;
            }
            if total > 0 && previous.as_slice() >= bytes {
                return Err(Failure::damaged("a stored key stands in the wrong place"));
            }
            previous.clear();
            previous.extend_from_slice(bytes);
            found += 1;
            total += 1;
            entries.next().transpose()?;
        }
        if found != expected {
            return Err(Failure::damaged(format_args!(
                "a tablet of table {table_id} counts {expected} entries and has {found}"
            )));
        }
        tablet_count += 1;
    }
    match entries.next().transpose()? {
        None => Ok((tablet_count, total)),
        Some(_) => Err(Failure::damaged("there are entries after the last tablet")),
    }
}
