//! The maps of a directory.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use fjall::SingleWriterTxKeyspace;
use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{Key, Scan};

/// Bytes of a key or of a value. A clone shares them.
pub(crate) type Slice = fjall::Slice;

/// A handle on a sorted map.
#[derive(Clone)]
pub(crate) struct Map(pub(super) SingleWriterTxKeyspace);

/// The maps of a directory. `docs/storage-format.md` describes their bytes.
#[derive(Debug)]
pub(crate) struct Maps {
    /// Numbers of the directory, by name.
    pub(crate) meta: Map,
    /// The id of each table, by name. Ids are never reused.
    pub(crate) tables: Map,
    /// The properties of all tables: table id and property name to value.
    pub(crate) properties: Map,
    /// The tablets of all tables: table id and end row to the number of stored entries.
    pub(crate) tablets: Map,
    /// Application state: node path to bytes.
    pub(crate) coordination: Map,
    /// The failed notifications of applications, by application and cell.
    pub(crate) dead_letters: Map,
    /// The stored entries of each table, by the id of the table.
    pub(super) cells: RwLock<BTreeMap<u64, Cells>>,
}

/// The maps of the stored entries of a table: encoded key to value. Notifications have a map of
/// their own, so that a search for them reads nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) notifications: Map,
    pub(crate) others: Map,
}

/// The families that a read of a table covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Families {
    All,
    Notifications,
    Others,
}

impl Cells {
    /// Returns the map with the entries of a family.
    pub(crate) fn for_family(&self, family: &[u8]) -> &Map {
        match Families::for_family(family) == Families::Notifications {
            true => &self.notifications,
            false => &self.others,
        }
    }
}

impl Families {
    pub(crate) fn for_family(family: &[u8]) -> Self {
        match family == NOTIFICATION_FAMILY.as_bytes() {
            true => Self::Notifications,
            false => Self::Others,
        }
    }

    /// Returns the families that a scan can show, by its filter, its columns and its spans.
    pub(crate) fn for_scan(scan: &Scan) -> Self {
        if !scan.filter.looks_at_family(NOTIFICATION_FAMILY.as_bytes()) {
            return Self::Others;
        }
        if !scan.filter.looks_at_family(b"") {
            return Self::Notifications;
        }
        let selected = scan.columns.iter().map(|column| Self::for_family(&column.family));
        let crossed = scan.spans().iter().map(|span| match (span.start(), span.end()) {
            (Key { row, column, .. }, Some(end))
                if *row == end.row && column.family == end.column.family =>
            {
                Self::for_family(&column.family)
            }
            _ => Self::All,
        });
        let joined = |a, b| if a == b { a } else { Self::All };
        let families = selected.reduce(joined).filter(|families| *families != Self::All);
        families.or_else(|| crossed.reduce(joined)).unwrap_or(Self::All)
    }
}

impl Maps {
    /// Returns the entries of a table; `None` if the table was deleted.
    pub(crate) fn cells(&self, table_id: u64) -> Option<Cells> {
        self.read_cells().get(&table_id).cloned()
    }

    fn read_cells(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Cells>> {
        self.cells.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write_cells(&self) -> RwLockWriteGuard<'_, BTreeMap<u64, Cells>> {
        self.cells.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Map").field(self.0.inner().name()).finish()
    }
}

/// Returns the range of keys that belong to a table, if keys start with the id of their table.
pub(crate) fn keys_of(table_id: u64) -> Range<[u8; 8]> {
    table_id.to_be_bytes()..table_id.saturating_add(1).to_be_bytes()
}
