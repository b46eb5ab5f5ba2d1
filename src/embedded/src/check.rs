//! The full check of a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fluo_table::{Escaped, Result};
use redb::{MultimapTableHandle, ReadTransaction, ReadableTable, TableHandle, Value};
use tracing::debug;

use crate::application_state;
use crate::catalog;
use crate::catch_panic::contain;
use crate::damage::Damage;
use crate::directory::Directory;
use crate::error::{Failure, cannot};
use crate::key::KeyReader;
use crate::mark;
use crate::schema::{
    COORDINATION, CellsDefinition, DEAD_LETTERS, META, PROPERTIES, TABLES, TABLETS, cells_name,
    meta,
};
use crate::store::{Store, check_format};
use crate::tables::{self, EmbeddedTables};
use crate::tablets::{self, Counted};

/// Counts of the intact parts that [`EmbeddedTables::check`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Reads all of a directory that no process has open, and compares it with its checksums and
    /// with the invariants of `docs/storage-format.md`.
    ///
    /// Opening reads little of the file, and reads verify no checksums, so a flipped bit in a value
    /// is returned as it is. Only a check finds it. A check reads at the speed of the disk and
    /// blocks the thread.
    ///
    /// It writes nothing to the file of the tables, so a copy may be read-only; `fluo.redb` alone
    /// is enough of one. A file that was left by a crash is repaired in memory before the check.
    ///
    /// A damaged directory is marked, if it can be written to: it takes no writes until a check
    /// finds no damage.
    ///
    /// # Errors
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt) with a [`Damage`] as its source: a page does
    ///   not have its checksum, a key cannot be read or stands in the wrong place, a tablet's count
    ///   is not the number of its entries, a number is missing or out of its bounds, or there is
    ///   something that belongs to no table and no application.
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt) without it: the file is not one of this
    ///   crate's, or has a format that this build does not know.
    /// - [`Storage`](fluo_table::ErrorKind::Storage): there is no damage, and the mark cannot be
    ///   removed.
    ///
    /// Otherwise as [`open`](EmbeddedTables::open).
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_embedded::{EmbeddedTables, EmbeddedOptions};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let parent = tempfile::tempdir()?;
    /// # let directory = parent.path();
    /// drop(EmbeddedTables::open(directory, EmbeddedOptions::new().create_if_missing(true))?);
    /// assert_eq!(EmbeddedTables::check(directory)?.tables, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(directory: impl AsRef<Path>) -> Result<CheckReport> {
        let path = directory.as_ref();
        // No other process may open the directory before its mark is right.
        let _held = Directory::hold_to_read(path)?;
        let (mut check, mut store) = (Check::default(), None);
        match check.run(path, &mut store) {
            Err(failure) => match failure.finding() {
                None => return Err(failure.into_error(path)),
                Some(finding) => check.findings = vec![finding],
            },
            Ok(()) if check.findings.is_empty() => {
                return mark::remove(path)
                    .map(|()| check.report)
                    .map_err(|error| cannot("remove the mark of damage in", path, error));
            }
            Ok(()) => {}
        }
        // A copy that cannot be written to is damaged all the same.
        if let Err(error) = mark::set(path, &check.findings) {
            debug!(directory = %path.display(), %error, "the damage is not marked");
        }
        Err(Damage::new(check.findings).into_error(path))
    }
}

/// A check that continues after it has found damage in one place.
#[derive(Default)]
struct Check {
    report: CheckReport,
    findings: Vec<String>,
}

impl Check {
    /// Runs the check. The store stays open: without a lock file it is what keeps other processes
    /// out.
    fn run(&mut self, path: &Path, store: &mut Option<Store>) -> Result<(), Failure> {
        let store = store.insert(Store::open_unwritten(path)?);
        match contain(|| Ok(store.engine_mut()?.check_integrity()?)) {
            Ok(true) => {}
            Err(failure) if failure.finding().is_none() => return Err(failure),
            _ => return Err(Failure::damaged("pages do not have their checksums")),
        }
        let snapshot = contain(|| store.snapshot())?;
        contain(|| check_format(&snapshot))?;
        self.examine(&snapshot)
    }

    fn examine(&mut self, snapshot: &ReadTransaction) -> Result<(), Failure> {
        self.note("", || tables::numbers(snapshot).map(drop))?;
        // Without the names everything else would seem to belong to no table.
        let tables = contain(|| names_by_id(snapshot))?;
        self.note("", || check_engine_tables(snapshot, &tables))?;
        self.note("", || check_owners(&snapshot.open_table(PROPERTIES)?, "a property", &tables))?;
        self.note("", || check_owners(&snapshot.open_table(TABLETS)?, "a tablet", &tables))?;
        self.report.applications = self.note("", || application_state::check(snapshot))?;
        for (id, name) in tables {
            let place = format!("table `{name}`: ");
            self.note(&place, || {
                catalog::properties(&snapshot.open_table(PROPERTIES)?, id).map(drop)
            })?;
            let (tablets, entries) = self.note(&place, || check_table(snapshot, id))?;
            self.report.tables += 1;
            self.report.tablets += tablets;
            self.report.entries += entries;
        }
        Ok(())
    }

    /// Does one part of the check, and returns its result. Damage is noted with its place; any
    /// other failure ends the check.
    fn note<T: Default>(
        &mut self,
        place: &str,
        part: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        contain(part).or_else(|failure| match failure.finding() {
            Some(finding) => {
                self.findings.push(format!("{place}{finding}"));
                Ok(T::default())
            }
            None => Err(failure),
        })
    }
}

/// Returns the names of the tables by their ids: each id is used once, and none will be used again.
fn names_by_id(snapshot: &ReadTransaction) -> Result<BTreeMap<u64, String>, Failure> {
    let next = snapshot.open_table(META)?.get(meta::NEXT_TABLE_ID)?;
    let next = next.map(|next| next.value());
    let next = next.ok_or_else(|| Failure::damaged("the number of the next table is missing"))?;
    let mut names = BTreeMap::new();
    for table in snapshot.open_table(TABLES)?.iter()? {
        let (name, id) = table?;
        let (name, id) = (name.value(), id.value());
        if id >= next {
            return Err(Failure::damaged(format_args!(
                "table `{name}` has the id {id}, and the next table would have {next}"
            )));
        }
        if names.insert(id, name.to_owned()).is_some() {
            return Err(Failure::damaged(format_args!("two tables have the id {id}")));
        }
    }
    Ok(names)
}

/// Checks that the engine has no tables but those of the format.
fn check_engine_tables(
    snapshot: &ReadTransaction,
    tables: &BTreeMap<u64, String>,
) -> Result<(), Failure> {
    let mut known: BTreeSet<String> = tables.keys().copied().map(cells_name).collect();
    let others = [META.name(), TABLES.name(), PROPERTIES.name(), TABLETS.name()];
    known.extend(others.map(str::to_owned));
    known.extend([COORDINATION.name(), DEAD_LETTERS.name()].map(str::to_owned));
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

fn check_owners<V: Value + 'static>(
    records: &impl ReadableTable<&'static [u8], V>,
    what: &str,
    tables: &BTreeMap<u64, String>,
) -> Result<(), Failure> {
    for record in records.iter()? {
        let (key, _) = record?;
        let id = key.value().first_chunk().map(|id| u64::from_be_bytes(*id));
        if !id.is_some_and(|id| tables.contains_key(&id)) {
            return Err(Failure::damaged(format_args!("there is {what} of no table")));
        }
    }
    Ok(())
}

/// Returns the numbers of tablets and of entries of a table.
fn check_table(snapshot: &ReadTransaction, table_id: u64) -> Result<(u64, u64), Failure> {
    let tablets = tablets::list(&snapshot.open_table(TABLETS)?, table_id)?;
    match tablets.last() {
        None => return Err(Failure::damaged("it has no tablets")),
        Some((Some(_), _)) => return Err(Failure::damaged("it has no last tablet")),
        Some((None, _)) => {}
    }
    let mut found = vec![0_u64; tablets.len()];
    let mut index = 0;
    let name = cells_name(table_id);
    let mut reader = KeyReader::default();
    let mut previous: Vec<u8> = Vec::new();
    for entry in snapshot.open_table(CellsDefinition::new(&name))?.iter()? {
        let (bytes, _) = entry?;
        let bytes = bytes.value();
        let (key, _) = reader
            .read(bytes)
            .ok_or_else(|| misplaced("a stored key cannot be read", &previous))?;
        if previous.as_slice() >= bytes {
            return Err(misplaced("a stored key stands in the wrong place", &previous));
        }
        previous.clear();
        previous.extend_from_slice(bytes);
        while let Some((Some(end), _)) = tablets.get(index)
            && key.row > end.as_ref()
        {
            index += 1;
        }
        *found.get_mut(index).expect("the last tablet has no end") += 1;
    }
    check_counts(&tablets, &found)?;
    Ok((u64::try_from(tablets.len()).unwrap_or(u64::MAX), found.iter().sum()))
}

fn check_counts(tablets: &[Counted], found: &[u64]) -> Result<(), Failure> {
    for ((end, expected), found) in tablets.iter().zip(found) {
        if found != expected {
            let tablet = match end {
                Some(end) => format!("the tablet up to the row `{}`", Escaped(end)),
                None => "the last tablet".to_owned(),
            };
            return Err(Failure::damaged(format_args!(
                "{tablet} counts {expected} entries and has {found}"
            )));
        }
    }
    Ok(())
}

fn misplaced(what: &str, previous: &[u8]) -> Failure {
    let mut reader = KeyReader::default();
    match reader.read(previous) {
        None => Failure::damaged(format_args!("{what}, before all others")),
        Some((key, _)) => {
            Failure::damaged(format_args!("{what}, after the row `{}`", Escaped(key.row)))
        }
    }
}
