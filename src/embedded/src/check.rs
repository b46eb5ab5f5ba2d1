//! The full check of a directory.

use std::collections::BTreeSet;
use std::path::Path;

use fluo_core::Result;
use redb::{MultimapTableHandle, ReadTransaction, ReadableTable, TableHandle, Value};

use crate::catalog;
use crate::condition::unreadable_key;
use crate::contain::contain_in;
use crate::coordination;
use crate::error::Failure;
use crate::key::KeyReader;
use crate::schema::{
    COORDINATION, CellsDefinition, META, PROPERTIES, SET_ASIDE, TABLES, TABLETS, cells_name, meta,
};
use crate::store::Store;
use crate::tables::{self, EmbeddedTables};
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
    /// Applications.
    pub applications: u64,
}

impl EmbeddedTables {
    /// Reads all of a directory that nobody has open, and holds it against its checksums and the invariants of
    /// `docs/storage-format.md`.
    ///
    /// Opening looks at little of the file, and reading checks no checksums: a flipped bit in a value is shown as
    /// it is. This is what finds it. It reads at the speed of the disk and blocks the thread as long.
    ///
    /// It writes nothing and makes nothing, so a copy may be read-only; `fluo.redb` alone is enough of one. A file
    /// that was left by a crash is checked as it would be after its repair, which is done in memory.
    ///
    /// # Errors
    /// [`Corrupt`](fluo_core::ErrorKind::Corrupt): a page does not have its checksum, a key cannot be read or stands
    /// in the wrong place, a tablet's count is not the number of its entries, a number is missing or out of its
    /// bounds, or there is something that belongs to no table and no application. Otherwise as [`open`](EmbeddedTables::open).
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
            check_all(&store.snapshot()?)
        })
    }
}

fn check_all(snapshot: &ReadTransaction) -> Result<CheckReport, Failure> {
    tables::numbers(snapshot)?;
    let ids = table_ids(snapshot)?;
    check_engine_tables(snapshot, &ids)?;
    check_owners(&snapshot.open_table(PROPERTIES)?, "a property", &ids)?;
    check_owners(&snapshot.open_table(TABLETS)?, "a tablet", &ids)?;
    let mut report = CheckReport {
        applications: coordination::check(snapshot)?,
        ..CheckReport::default()
    };
    for &id in &ids {
        catalog::properties(&snapshot.open_table(PROPERTIES)?, id)?;
        let (tablets, entries) = check_table(snapshot, id)?;
        report.tables += 1;
        report.tablets += tablets;
        report.entries += entries;
    }
    Ok(report)
}

/// The ids of the tables: each is used once, and none will be used again.
fn table_ids(snapshot: &ReadTransaction) -> Result<BTreeSet<u64>, Failure> {
    let next = snapshot.open_table(META)?.get(meta::NEXT_TABLE_ID)?;
    let next = next.map(|next| next.value());
    let next = next.ok_or_else(|| Failure::damaged("the number of the next table is missing"))?;
    let mut ids = BTreeSet::new();
    for table in snapshot.open_table(TABLES)?.iter()? {
        let (name, id) = table?;
        let (name, id) = (name.value(), id.value());
        if id >= next {
            return Err(Failure::damaged(format_args!(
                "table `{name}` has the id {id}, and the next table would have {next}"
            )));
        }
        if !ids.insert(id) {
            return Err(Failure::damaged(format_args!(
                "two tables have the id {id}"
            )));
        }
    }
    Ok(ids)
}

/// Checks that the engine has no tables but those of the format.
fn check_engine_tables(snapshot: &ReadTransaction, ids: &BTreeSet<u64>) -> Result<(), Failure> {
    let mut known: BTreeSet<String> = ids.iter().copied().map(cells_name).collect();
    known.extend([META.name(), TABLES.name()].map(str::to_owned));
    known.extend([PROPERTIES.name(), TABLETS.name()].map(str::to_owned));
    known.extend([COORDINATION.name(), SET_ASIDE.name()].map(str::to_owned));
    let plain = snapshot.list_tables()?.map(|table| table.name().to_owned());
    let multi = snapshot.list_multimap_tables()?;
    let multi = multi.map(|table| table.name().to_owned());
    match plain.chain(multi).find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::damaged(format_args!(
            "there is `{name}` in the file, which belongs to no table"
        ))),
        None => Ok(()),
    }
}

/// Checks that every record is of a table that is there.
fn check_owners<V: Value + 'static>(
    records: &impl ReadableTable<&'static [u8], V>,
    what: &str,
    ids: &BTreeSet<u64>,
) -> Result<(), Failure> {
    for record in records.iter()? {
        let (key, _) = record?;
        let id = key.value().first_chunk().map(|id| u64::from_be_bytes(*id));
        if !id.is_some_and(|id| ids.contains(&id)) {
            return Err(Failure::damaged(format_args!(
                "there is {what} of no table"
            )));
        }
    }
    Ok(())
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
