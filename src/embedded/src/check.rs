//! The full check of a directory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fluo_table::{Escaped, Grouped, Result, counted};
use tracing::debug;

use crate::application_state;
use crate::catalog;
use crate::catch_panic::contain;
use crate::damage::Damage;
use crate::directory::Directory;
use crate::engine::{Cells, Engine, Families, Map, Read, Snapshot};
use crate::error::{Failure, cannot};
use crate::key::KeyReader;
use crate::mark;
use crate::options::EmbeddedOptions;
use crate::store::Store;
use crate::tables::{self, EmbeddedTables};
use crate::tablets::{self, Counted};
use crate::writer::MaxTimes;

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
    /// with the invariants of `docs/storage-format.md`. It reads at the speed of the disk and
    /// blocks the thread.
    ///
    /// It opens the directory as [`open`](EmbeddedTables::open) does, so the directory must be
    /// writable: the storage engine reads the log of the last writes. To check a copy, copy the
    /// whole directory.
    ///
    /// A damaged directory is marked: it takes no writes until a check finds no damage.
    ///
    /// # Errors
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt) with a [`Damage`] as its source: a block does
    ///   not have its checksum, acknowledged commits are missing, a key cannot be read, is out of
    ///   order or is too new, a tablet's count is not the number of its entries, a number is
    ///   missing or out of its bounds, or there is something that belongs to no table and no
    ///   application.
    /// - [`Corrupt`](fluo_table::ErrorKind::Corrupt) without it: the files are not those of this
    ///   crate, or have a format that this build does not know.
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
        let options = EmbeddedOptions::new();
        // No other process may open the directory before its mark is right.
        let directory = contain(|| Store::hold(path, &options));
        let directory = Arc::new(directory.map_err(|failure| failure.into_error(path))?);
        let mut check = Check::default();
        match check.run(&directory, &options) {
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
        // A directory that cannot be written to is damaged all the same.
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
    fn run(
        &mut self,
        directory: &Arc<Directory>,
        options: &EmbeddedOptions,
    ) -> Result<(), Failure> {
        let store = contain(|| Store::open_held(directory, options))?;
        let snapshot = contain(|| Ok(store.engine().snapshot()))?;
        let times = self.note("", || tables::numbers(&snapshot).map(|(_, times)| Some(times)))?;
        // Without the names everything else would seem to belong to no table.
        let tables = contain(|| catalog::names_by_id(&snapshot))?;
        self.note("", || check_maps(store.engine()))?;
        let maps = snapshot.maps();
        self.note("", || check_owners(&snapshot, &maps.properties, "a property", &tables))?;
        self.note("", || check_owners(&snapshot, &maps.tablets, "a tablet", &tables))?;
        self.report.applications = self.note("", || application_state::check(&snapshot))?;
        for (id, name) in tables {
            let place = format!("table `{name}`: ");
            self.note(&place, || catalog::properties(&snapshot, id).map(drop))?;
            let (tablets, entries) = self.note(&place, || check_table(&snapshot, id, times))?;
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

/// Checks that the engine has no maps but those of the format.
fn check_maps(engine: &Engine) -> Result<(), Failure> {
    match engine.unknown_map() {
        Some(name) => Err(Failure::damaged(format_args!(
            "there is `{name}` in the tables, which belongs to no table"
        ))),
        None => Ok(()),
    }
}

fn check_owners(
    snapshot: &Snapshot,
    records: &Map,
    what: &str,
    tables: &BTreeMap<u64, String>,
) -> Result<(), Failure> {
    for record in snapshot.all(records) {
        let (key, _) = record?;
        let id = key.first_chunk().map(|id| u64::from_be_bytes(*id));
        if !id.is_some_and(|id| tables.contains_key(&id)) {
            return Err(Failure::damaged(format_args!("there is {what} of no table")));
        }
    }
    Ok(())
}

/// Returns the numbers of tablets and of entries of a table. `times` is `None` if they are damaged.
fn check_table(
    snapshot: &Snapshot,
    table_id: u64,
    times: Option<MaxTimes>,
) -> Result<(u64, u64), Failure> {
    let tablets = tablets::list(snapshot, table_id)?;
    match tablets.last() {
        None => return Err(Failure::damaged("it has no tablets")),
        Some((Some(_), _)) => return Err(Failure::damaged("it has no last tablet")),
        Some((None, _)) => {}
    }
    let cells = snapshot.maps().cells(table_id);
    let cells = cells.ok_or_else(|| Failure::damaged("its entries are missing"))?;
    let mut found = vec![0_u64; tablets.len()];
    for families in [Families::Notifications, Families::Others] {
        check_cells(snapshot, &cells, families, times, &tablets, &mut found)?;
    }
    check_counts(&tablets, &found)?;
    Ok((u64::try_from(tablets.len()).unwrap_or(u64::MAX), found.iter().sum()))
}

/// Checks the entries of a map of a table, and adds their numbers to those of the tablets.
fn check_cells(
    snapshot: &Snapshot,
    cells: &Cells,
    families: Families,
    times: Option<MaxTimes>,
    tablets: &[Counted],
    found: &mut [u64],
) -> Result<(), Failure> {
    let mut index = 0;
    let mut reader = KeyReader::default();
    let mut previous: Vec<u8> = Vec::new();
    for entry in snapshot.cells(cells, families, &[], None) {
        let (bytes, _) = entry?;
        let bytes = &bytes[..];
        let (key, _) = reader
            .read(bytes)
            .ok_or_else(|| misplaced("a stored key cannot be read", &previous))?;
        if previous.as_slice() >= bytes {
            return Err(misplaced("a stored key is out of order", &previous));
        }
        if Families::for_family(key.family) != families {
            return Err(misplaced("a stored key is in the wrong map", &previous));
        }
        if times.is_some_and(|times| !times.cover(key.timestamp)) {
            let what = "a stored key is newer than `last-time-ms` and `max-explicit`";
            return Err(misplaced(what, &previous));
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
    Ok(())
}

fn check_counts(tablets: &[Counted], found: &[u64]) -> Result<(), Failure> {
    for ((end, expected), found) in tablets.iter().zip(found) {
        if found != expected {
            let tablet = match end {
                Some(end) => format!("the tablet up to the row `{}`", Escaped(end)),
                None => "the last tablet".to_owned(),
            };
            let (expected, found) = (counted(*expected, "entry"), Grouped(*found));
            return Err(Failure::damaged(format_args!(
                "{tablet} counts {expected} and has {found}"
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
