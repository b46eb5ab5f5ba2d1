//! The storage engine. No other module names it.
//!
//! An engine keeps sorted maps of byte strings. One map for each kind of record exists in every
//! directory; each table has a map for its entries. Maps are created and deleted outside of
//! transactions: the records of a transaction decide which of them belong to a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::ops::{Bound, Range};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

use fjall::{
    KeyspaceCreateOptions, LsmError, PersistMode, Readable, SingleWriterTxDatabase,
    SingleWriterTxKeyspace, SingleWriterWriteTx,
};
use fluo_table::Error;
use tracing::debug;

use crate::error::Failure;

/// Number of bytes of the longest key.
pub(crate) const MAX_KEY_BYTES: usize = 65_535;

/// Maximum size of the entries of a table that are in memory and not in a file of their own yet.
const MAX_TABLE_BUFFER_BYTES: u64 = 32 << 20;
/// The same for a kind of records.
const MAX_RECORD_BUFFER_BYTES: u64 = 8 << 20;
/// Maximum size of the logs that an opening reads again.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// The pause between two looks at the progress of the engine's threads.
const POLL: Duration = Duration::from_millis(2);

/// The file that the engine writes last when it creates its directory.
const LAST_FILE: &str = "version";

const CELLS: &str = "cells-";

/// The name of the number that is written only to advance the sequence number of the engine.
const ADVANCE: &str = "advance";
/// More sequence numbers than the creation or deletion of a map takes before the next commit.
const MAX_UNCOMMITTED_STEPS: usize = 8;

/// Bytes of a key or of a value. A clone shares them.
pub(crate) type Slice = fjall::Slice;

/// A handle on a sorted map.
#[derive(Clone)]
pub(crate) struct Map(SingleWriterTxKeyspace);

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
    /// The stored entries of each table, by the id of the table: encoded key to value.
    cells: RwLock<BTreeMap<u64, Map>>,
}

impl Maps {
    /// Returns the entries of a table; `None` if the table was deleted.
    pub(crate) fn cells(&self, table_id: u64) -> Option<Map> {
        self.read_cells().get(&table_id).cloned()
    }

    fn read_cells(&self) -> RwLockReadGuard<'_, BTreeMap<u64, Map>> {
        self.cells.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_cells(&self) -> RwLockWriteGuard<'_, BTreeMap<u64, Map>> {
        self.cells.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open engine. Dropping it waits for its threads.
pub(crate) struct Engine {
    database: SingleWriterTxDatabase,
    maps: Arc<Maps>,
}

impl Engine {
    /// The names of the maps that are no entries of a table.
    pub(crate) const RECORDS: [&str; 6] =
        ["meta", "tables", "properties", "tablets", "coordination", "dead-letters"];

    /// Creates an engine in an empty directory.
    pub(crate) fn create(directory: &Path, cache_bytes: usize) -> Result<Self, Failure> {
        let builder = SingleWriterTxDatabase::builder(directory)
            .cache_size(u64::try_from(cache_bytes).unwrap_or(u64::MAX))
            .max_journaling_size(MAX_LOG_BYTES);
        let database = builder.open()?;
        let map = |name| open_map(&database, name, MAX_RECORD_BUFFER_BYTES);
        let [meta, tables, properties, tablets, coordination, dead_letters] = Self::RECORDS;
        let maps = Maps {
            meta: map(meta)?,
            tables: map(tables)?,
            properties: map(properties)?,
            tablets: map(tablets)?,
            coordination: map(coordination)?,
            dead_letters: map(dead_letters)?,
            cells: RwLock::default(),
        };
        Ok(Self { database, maps: Arc::new(maps) })
    }

    /// Opens the engine of a directory, without the entries of its tables.
    pub(crate) fn open(directory: &Path, cache_bytes: usize) -> Result<Self, Failure> {
        // Without this file the engine would create its first files again.
        if !directory.join(LAST_FILE).try_exists()? {
            return Err(Failure::damaged(format_args!("its file `{LAST_FILE}` is missing")));
        }
        let engine = Self::create(directory, cache_bytes)?;
        engine.advance(MAX_UNCOMMITTED_STEPS)?;
        Ok(engine)
    }

    /// Opens the entries of tables, and deletes those of deleted tables: a crash may have left
    /// them. Entries of the `next` table may be left by a creation that failed.
    pub(crate) fn open_tables(&self, tables: &BTreeSet<u64>, next: u64) -> Result<(), Failure> {
        for name in self.database.list_keyspace_names() {
            let id = name.strip_prefix(CELLS).and_then(|id| id.parse().ok());
            match id {
                Some(id) if tables.contains(&id) => {
                    self.open_cells(id)?;
                }
                Some(id) if id < next => self.delete_map(open_map(&self.database, &name, 0)?)?,
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot { snapshot: self.database.read_tx(), maps: self.maps.clone() }
    }

    pub(crate) fn begin(&self) -> Transaction<'_> {
        let inner = self.database.write_tx().durability(Some(PersistMode::SyncData));
        Transaction { inner, engine: self, deleted: Vec::new() }
    }

    /// Writes the marks of removed entries of a table to a file. If `merge` is set, merges all
    /// files of the table, which drops the removed entries with their marks. May take long.
    pub(crate) fn drop_removed(&self, table_id: u64, merge: bool) -> Result<(), Failure> {
        let Some(Map(cells)) = self.maps.cells(table_id) else {
            return Ok(());
        };
        cells.inner().rotate_memtable()?;
        while cells.inner().sealed_memtable_count() > 0 {
            // Fails if the engine has stopped; the file would never be written.
            self.database.persist(PersistMode::Buffer)?;
            thread::sleep(POLL);
        }
        if merge {
            cells.inner().major_compact()?;
        }
        Ok(())
    }

    /// Returns the names of all maps that are no entries of a table.
    pub(crate) fn other_maps(&self) -> Vec<String> {
        let names = self.database.list_keyspace_names().into_iter();
        names.map(|name| name.to_string()).filter(|name| !name.starts_with(CELLS)).collect()
    }

    fn open_cells(&self, table_id: u64) -> Result<Map, Failure> {
        let name = format!("{CELLS}{table_id}");
        let map = open_map(&self.database, &name, MAX_TABLE_BUFFER_BYTES)?;
        self.maps.write_cells().insert(table_id, map.clone());
        Ok(map)
    }

    fn delete_map(&self, Map(map): Map) -> Result<(), Failure> {
        self.database.inner().delete_keyspace(map.inner().clone())?;
        self.advance(1)
    }

    /// Advances the sequence number of the engine.
    ///
    /// The engine records the deletion of a map under a sequence number, and reuses the number of
    /// the map. After an opening it may continue below the recorded number: the next map then has
    /// the record of the deleted one, and the engine deletes it with its entries when it is opened
    /// again. So a commit follows each deletion, and some precede the first step of an opening.
    fn advance(&self, commits: usize) -> Result<(), Failure> {
        for _ in 0..commits {
            self.maps.meta.0.insert(ADVANCE, [])?;
        }
        Ok(())
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Map").field(self.0.inner().name()).finish()
    }
}

fn open_map(
    database: &SingleWriterTxDatabase,
    name: &str,
    max_buffer_bytes: u64,
) -> Result<Map, Failure> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(max_buffer_bytes);
    Ok(Map(database.keyspace(name, options)?))
}

/// Reads of the maps, in a snapshot or in a transaction.
pub(crate) trait Read {
    fn maps(&self) -> &Maps;

    fn source(&self) -> &impl Readable;

    fn get(&self, map: &Map, key: &[u8]) -> Result<Option<Slice>, Failure> {
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        Ok(self.source().get(&map.0, key)?)
    }

    fn contains(&self, map: &Map, key: &[u8]) -> Result<bool, Failure> {
        Ok(key.len() <= MAX_KEY_BYTES && self.source().contains_key(&map.0, key)?)
    }

    /// Returns a number that [`Transaction::insert_number`] stored.
    fn number(&self, map: &Map, key: &[u8]) -> Result<Option<u64>, Failure> {
        self.get(map, key)?.map(|value| number(&value)).transpose()
    }

    /// Returns the entries from a key on, up to another one, exclusive.
    fn entries(&self, map: &Map, from: &[u8], end: Option<&[u8]>) -> Entries {
        let (start, stop) = (shortened(from), end.map(shortened));
        let is_between_long_keys = from.len() > MAX_KEY_BYTES && stop == Some(start);
        if end.is_some_and(|end| from >= end) || is_between_long_keys {
            return Entries(None);
        }
        // No stored key is longer than a shortened bound, or equal to the whole bound.
        let start = match from.len() {
            0..=MAX_KEY_BYTES => Bound::Included(start),
            _ => Bound::Excluded(start),
        };
        let stop = match (stop, end) {
            (Some(stop), Some(end)) if stop.len() < end.len() => Bound::Included(stop),
            (Some(stop), _) => Bound::Excluded(stop),
            (None, _) => Bound::Unbounded,
        };
        Entries(Some(self.source().range::<&[u8], _>(&map.0, (start, stop))))
    }

    fn all(&self, map: &Map) -> Entries {
        self.entries(map, &[], None)
    }
}

fn shortened(bound: &[u8]) -> &[u8] {
    bound.get(..MAX_KEY_BYTES).unwrap_or(bound)
}

pub(crate) fn number(value: &[u8]) -> Result<u64, Failure> {
    let number = value.try_into().map(u64::from_be_bytes);
    number.map_err(|_| Failure::damaged("a number does not have 8 bytes"))
}

/// Returns the range of keys that belong to a table, if keys start with the id of their table.
pub(crate) fn keys_of(table_id: u64) -> Range<[u8; 8]> {
    table_id.to_be_bytes()..table_id.saturating_add(1).to_be_bytes()
}

/// The entries of a map in the order of their keys.
pub(crate) struct Entries(Option<fjall::Iter>);

impl Iterator for Entries {
    type Item = Result<(Slice, Slice), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.0.as_mut()?.next()?;
        Some(entry.into_inner().map_err(Failure::from))
    }
}

impl DoubleEndedIterator for Entries {
    fn next_back(&mut self) -> Option<Self::Item> {
        let entry = self.0.as_mut()?.next_back()?;
        Some(entry.into_inner().map_err(Failure::from))
    }
}

/// The maps at one instant.
pub(crate) struct Snapshot {
    snapshot: fjall::Snapshot,
    maps: Arc<Maps>,
}

impl Read for Snapshot {
    fn maps(&self) -> &Maps {
        &self.maps
    }

    fn source(&self) -> &impl Readable {
        &self.snapshot
    }
}

/// The only write at a time, which sees its own changes. Dropping it changes nothing.
pub(crate) struct Transaction<'e> {
    inner: SingleWriterWriteTx<'e>,
    engine: &'e Engine,
    deleted: Vec<u64>,
}

impl Read for Transaction<'_> {
    fn maps(&self) -> &Maps {
        &self.engine.maps
    }

    fn source(&self) -> &impl Readable {
        &self.inner
    }
}

impl<'e> Transaction<'e> {
    /// Returns the maps for as long as the engine is open.
    pub(crate) fn engine_maps(&self) -> &'e Maps {
        &self.engine.maps
    }

    /// Stores an entry.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the key is too long for the engine.
    pub(crate) fn insert(&mut self, map: &Map, key: &[u8], value: &[u8]) -> Result<(), Failure> {
        if key.len() > MAX_KEY_BYTES {
            let message = format!(
                "a stored key has {} bytes; a directory takes {MAX_KEY_BYTES} at most",
                key.len()
            );
            return Err(Error::invalid(message).into());
        }
        self.inner.insert(&map.0, key, value);
        Ok(())
    }

    pub(crate) fn insert_number(
        &mut self,
        map: &Map,
        key: &[u8],
        number: u64,
    ) -> Result<(), Failure> {
        self.insert(map, key, &number.to_be_bytes())
    }

    /// Removes the entry of a key that was read before.
    pub(crate) fn remove(&mut self, map: &Map, key: &[u8]) {
        self.inner.remove(&map.0, key);
    }

    /// Removes all entries from a key on, up to another one, exclusive.
    pub(crate) fn remove_range(
        &mut self,
        map: &Map,
        from: &[u8],
        end: &[u8],
    ) -> Result<(), Failure> {
        for entry in self.entries(map, from, Some(end)) {
            self.inner.remove(&map.0, entry?.0);
        }
        Ok(())
    }

    /// Creates the map of the entries of a new table. If this is not committed, the map stays for
    /// the next table, which has the same id.
    pub(crate) fn create_cells(&mut self, table_id: u64) -> Result<(), Failure> {
        self.engine.open_cells(table_id).map(drop)
    }

    /// Deletes the entries of a table when this is committed.
    pub(crate) fn delete_cells(&mut self, table_id: u64) {
        self.deleted.push(table_id);
    }

    /// Commits durably.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let Self { inner, engine, deleted } = self;
        inner.commit()?;
        for table_id in deleted {
            let cells = engine.maps.write_cells().remove(&table_id);
            if let Some(Err(failure)) = cells.map(|cells| engine.delete_map(cells)) {
                debug!(
                    table_id,
                    ?failure,
                    "the entries of a table are deleted by the next opening"
                );
            }
        }
        Ok(())
    }
}

impl From<fjall::Error> for Failure {
    fn from(error: fjall::Error) -> Self {
        match error {
            fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => error.into(),
            fjall::Error::Locked => Self::InUse,
            fjall::Error::Poisoned | fjall::Error::KeyspaceDeleted => Self::Stopped,
            fjall::Error::InvalidVersion(Some(version)) => Self::Foreign(format!(
                "has files of version {version} of the storage engine, which this build cannot read"
            )),
            fjall::Error::Storage(LsmError::ChecksumMismatch { .. }) => {
                Self::damaged("a block does not have its checksum")
            }
            fjall::Error::JournalRecovery(error) => {
                Self::damaged(format_args!("the log of the last writes is damaged ({error:?})"))
            }
            fjall::Error::Storage(error) => Self::damaged(format_args!("{error:?}")),
            error => Self::damaged(format_args!("{error:?}")),
        }
    }
}

impl From<io::Error> for Failure {
    /// Missing or invalid bytes are damage; other errors are those of a failing disk.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::NotFound
            | io::ErrorKind::AlreadyExists => Self::damaged(error),
            _ => Self::Io(error),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns an engine in a directory that exists until it is dropped.
    pub(crate) fn engine() -> (tempfile::TempDir, Engine) {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::create(&directory.path().join("engine"), 1 << 20).unwrap();
        (directory, engine)
    }

    /// A read with a bound longer than the longest key once marked its directory as damaged.
    #[test]
    fn bounds_longer_than_a_key_are_exact() {
        let (_directory, engine) = engine();
        let mut transaction = engine.begin();
        let map = &engine.maps.meta;
        let keys = [vec![7; MAX_KEY_BYTES - 1], vec![7; MAX_KEY_BYTES], vec![8]];
        for key in &keys {
            transaction.insert(map, key, b"").unwrap();
        }
        let long = vec![7; MAX_KEY_BYTES + 1];
        let longer = vec![7; MAX_KEY_BYTES + 2];
        let found = |from: &[u8], end: Option<&[u8]>| -> Vec<Vec<u8>> {
            let entries = transaction.entries(map, from, end);
            entries.map(|entry| entry.unwrap().0.to_vec()).collect()
        };
        assert_eq!(found(&long, None), keys[2..]);
        assert_eq!(found(&[], Some(&long)), keys[..2]);
        assert_eq!(found(&keys[1], Some(&long)), keys[1..2]);
        assert_eq!(found(&long, Some(&longer)), [[0_u8; 0]; 0]);
        assert_eq!(found(&longer, Some(&long)), [[0_u8; 0]; 0]);
        assert_eq!(found(&keys[0], Some(&keys[1])), keys[..1]);
        assert_eq!(transaction.get(map, &long).unwrap(), None);
        let refused = transaction.insert(map, &long, b"").unwrap_err();
        assert_eq!(
            refused.into_error(Path::new("d")).to_string(),
            "a stored key has 65536 bytes; a directory takes 65535 at most"
        );
    }

    #[test]
    fn the_entries_of_a_deleted_table_are_gone_after_a_crash() {
        let (directory, engine) = engine();
        for id in 1..=3 {
            let mut transaction = engine.begin();
            transaction.create_cells(id).unwrap();
            let cells = transaction.engine_maps().cells(id).unwrap();
            transaction.insert(&cells, b"key", b"value").unwrap();
            transaction.commit().unwrap();
        }
        drop(engine);
        let engine = Engine::open(&directory.path().join("engine"), 1 << 20).unwrap();
        engine.open_tables(&[1].into(), 3).unwrap();
        let [one, two, three] = [1, 2, 3].map(|id| engine.maps.cells(id));
        assert!(one.is_some() && two.is_none() && three.is_none());
        assert!(!engine.database.keyspace_exists("cells-2"));
        assert!(engine.database.keyspace_exists("cells-3"), "the next table will take it");
    }
}
