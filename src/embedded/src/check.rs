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
use crate::tablets::{self, Counted};

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
    let mut tablets = tablets::list(&snapshot.open_table(TABLETS)?, table_id)?;
    tablets.reverse();
    let mut counting = Counting {
        table_id,
        left: tablets,
        found: 0,
        tablets: 0,
        entries: 0,
    };
    let name = cells_name(table_id);
    let mut reader = KeyReader::default();
    let mut previous: Vec<u8> = Vec::new();
    for entry in snapshot.open_table(CellsDefinition::new(&name))?.iter()? {
        let (bytes, _) = entry?;
        let bytes = bytes.value();
        let (key, _) = reader.read(bytes).ok_or_else(unreadable_key)?;
        if previous.as_slice() >= bytes {
            return Err(Failure::damaged("a stored key stands in the wrong place"));
        }
        previous.clear();
        previous.extend_from_slice(bytes);
        counting.count(key.row)?;
    }
    counting.finish()
}

/// Holds the counts of a table's tablets against the entries that pass, in order.
struct Counting {
    table_id: u64,
    /// The current tablet and those after it, the last one first.
    left: Vec<Counted>,
    /// Entries of the current tablet so far.
    found: u64,
    /// Tablets and entries that are done with.
    tablets: u64,
    entries: u64,
}

impl Counting {
    fn count(&mut self, row: &[u8]) -> Result<(), Failure> {
        while let Some((Some(end), _)) = self.left.last()
            && row > end.as_ref()
        {
            self.leave_tablet()?;
        }
        self.found += 1;
        Ok(())
    }

    fn leave_tablet(&mut self) -> Result<bool, Failure> {
        let Some((end, expected)) = self.left.pop() else {
            return Ok(false);
        };
        let (table_id, found) = (self.table_id, std::mem::take(&mut self.found));
        if found != expected {
            return Err(Failure::damaged(format_args!(
                "a tablet of table {table_id} counts {expected} entries and has {found}"
            )));
        }
        if self.left.is_empty() && end.is_some() {
            return Err(Failure::damaged(format_args!(
                "table {table_id} has no last tablet"
            )));
        }
        self.tablets += 1;
        self.entries += found;
        Ok(true)
    }

    fn finish(mut self) -> Result<(u64, u64), Failure> {
        while self.leave_tablet()? {}
        match self.tablets {
            0 => Err(Failure::damaged(format_args!(
                "table {} has no tablets",
                self.table_id
            ))),
            tablets => Ok((tablets, self.entries)),
        }
    }
}
