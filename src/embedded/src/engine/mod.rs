//! The storage engine. Nothing outside of this folder names it.
//!
//! An engine keeps sorted maps of byte strings. One map for each kind of record exists in every
//! directory; each table has two maps for its entries. Maps are created and deleted outside of
//! transactions: the records of a transaction decide which of them belong to a table.

mod failure;
mod maps;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod torn_commit;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use fjall::{
    AbstractTree, KeyspaceCreateOptions, PersistMode, Readable, SingleWriterTxDatabase,
    SingleWriterWriteTx,
};
use fluo_table::{Error, Grouped, counted};
use tracing::debug;

use self::failure::LAST_FILE;
pub(crate) use self::maps::{Cells, Families, Map, Maps, Slice, keys_of};
use self::read::MAX_KEY_BYTES;
pub(crate) use self::read::{CellEntries, Read, Snapshot, number};
use self::torn_commit::cut_torn_commit;
use crate::durable_paths::sync_directory;
use crate::error::Failure;

/// Maximum size of the entries of a table that are in memory and not in a file of their own yet,
/// without its notifications.
const MAX_TABLE_BUFFER_BYTES: u64 = 32 << 20;
/// The same for a kind of records, or the notifications of a table.
const MAX_RECORD_BUFFER_BYTES: u64 = 8 << 20;
/// The size of all logs at which the engine writes the buffers of the oldest to files.
const MAX_LOG_BYTES: u64 = 256 << 20;
/// Maximum size of a map whose files are merged in one step. No other file of a directory is merged
/// meanwhile.
const MAX_MERGED_BYTES: u64 = 1 << 30;
/// Maximum growth of all buffers before they are written to files.
const MAX_BUFFERS_BYTES: u64 = 64 << 20;
/// Maximum number of full buffers, and of new files, of a map at which a commit begins. The engine
/// waits in a commit if there are 4 or 30, and never returns if its threads have stopped. One
/// buffer may become full before a commit, and one with it.
const MAX_FULL_BUFFERS: usize = 1;
const MAX_NEW_FILES: usize = 16;

/// The pause between two looks at the progress of the engine's threads.
const POLL: Duration = Duration::from_millis(2);

/// The folder with a folder for each map.
const MAPS_FOLDER: &str = "keyspaces";
/// The prefixes of the names of the maps of a table.
const OTHERS: &str = "cells-";
const NOTIFICATIONS: &str = "notifications-";

/// The name of the number that is written only to advance the sequence number of the engine.
const ADVANCE: &str = "advance";
/// More sequence numbers than the engine takes between two synced commits: for flushes, merges, and
/// the creation or deletion of a map.
const MAX_UNSYNCED_NUMBERS: usize = 256;

/// An open engine. Dropping it waits for its threads.
pub(crate) struct Engine {
    directory: PathBuf,
    database: SingleWriterTxDatabase,
    maps: Arc<Maps>,
    /// The state after the last commit. While the engine applies a commit, its own snapshots may
    /// show a part of it.
    last: RwLock<Snapshot>,
    writes: Mutex<Writes>,
}

/// The state of the writes, beside the maps.
#[derive(Default)]
struct Writes {
    /// The number of logs, except the last, whose buffers are being written to files.
    old_logs: usize,
    /// The least size of all buffers since they became full.
    least_bytes: u64,
}

impl Engine {
    /// The names of the maps that are no entries of a table.
    const RECORDS: [&str; 6] =
        ["meta", "tables", "properties", "tablets", "coordination", "dead-letters"];

    /// Creates an engine in an empty directory.
    pub(crate) fn create(directory: &Path, cache_bytes: usize) -> Result<Self, Failure> {
        let engine = Self::with_records(directory, open_database(directory, cache_bytes)?)?;
        engine.sync_maps()?;
        Ok(engine)
    }

    fn with_records(directory: &Path, database: SingleWriterTxDatabase) -> Result<Self, Failure> {
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
        let maps = Arc::new(maps);
        let last = Snapshot { snapshot: database.read_tx(), maps: maps.clone(), changes: 0 };
        Ok(Self {
            directory: directory.to_owned(),
            database,
            maps,
            last: RwLock::new(last),
            writes: Mutex::default(),
        })
    }

    /// Opens the engine of a directory, without the entries of its tables.
    pub(crate) fn open(directory: &Path, cache_bytes: usize) -> Result<Self, Failure> {
        // Without this file the engine would create its first files again.
        if !directory.join(LAST_FILE).try_exists()? {
            return Err(Failure::damaged(format_args!("its file `{LAST_FILE}` is missing")));
        }
        let database = match open_database(directory, cache_bytes) {
            Err(fjall::Error::JournalRecovery(_)) if cut_torn_commit(directory)? => {
                open_database(directory, cache_bytes)?
            }
            opened => opened?,
        };
        // The engine forgets a map whose files are missing.
        let is_there = |name: &&str| database.keyspace_exists(name);
        if !Self::RECORDS.iter().any(is_there) {
            return Err(Failure::WithoutFormat);
        }
        if let Some(name) = Self::RECORDS.iter().find(|name| !is_there(name)) {
            return Err(Failure::damaged(format_args!("the records `{name}` are missing")));
        }
        Self::with_records(directory, database)
    }

    /// Opens the entries of tables.
    pub(crate) fn open_tables(&self, tables: &BTreeSet<u64>) -> Result<(), Failure> {
        for id in tables {
            let mut maps =
                [OTHERS, NOTIFICATIONS].map(|prefix| format!("{prefix}{id}")).into_iter();
            if let Some(map) = maps.find(|map| !self.database.keyspace_exists(map)) {
                let what = format!("the entries `{map}` of the table with the id {id} are missing");
                return Err(Failure::damaged(what));
            }
            self.open_cells(*id)?;
        }
        Ok(())
    }

    /// Prepares an engine whose tables are open for writes. Deletes the entries of deleted tables
    /// with ids below `next`, which a crash may have left. Those of the next table may be left by a
    /// creation that failed.
    pub(crate) fn prepare_writes(&self, next: u64) -> Result<(), Failure> {
        for name in self.database.list_keyspace_names() {
            let id = name.strip_prefix(OTHERS).or(name.strip_prefix(NOTIFICATIONS));
            let id = id.and_then(|id| id.parse().ok());
            if id.is_some_and(|id| id < next && self.maps.cells(id).is_none()) {
                self.delete_map(open_map(&self.database, &name, 0)?)?;
            }
        }
        self.advance(MAX_UNSYNCED_NUMBERS)
    }

    /// Returns the state after the last commit.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins a write. Fails if the engine's threads have stopped.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>, Failure> {
        self.database.persist(PersistMode::Buffer)?;
        let inner = self.database.write_tx().durability(Some(PersistMode::SyncData));
        Ok(Transaction { inner, engine: self, touched: BTreeMap::new(), deleted: Vec::new() })
    }

    /// Waits until the engine has room for a commit to maps.
    fn wait_for_room<'m>(&self, maps: impl Iterator<Item = &'m Map>) -> Result<(), Failure> {
        let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        // The engine drops the unreadable end of an old log, too, and only the last commit has a
        // number to miss. So old logs do not wait until the buffers of all their maps are full.
        let old_logs = self.database.journal_count().saturating_sub(1);
        // Deleted maps stay in this size.
        let bytes = self.database.write_buffer_size();
        writes.least_bytes = writes.least_bytes.min(bytes);
        // The engine bounds only the buffer of each map.
        let is_full = bytes - writes.least_bytes > MAX_BUFFERS_BYTES;
        if is_full || old_logs > writes.old_logs {
            for name in self.database.list_keyspace_names() {
                let Map(map) = open_map(&self.database, &name, MAX_TABLE_BUFFER_BYTES)?;
                while is_full && map.inner().sealed_memtable_count() > 0 {
                    self.wait()?;
                }
                map.inner().rotate_memtable()?;
            }
        }
        if is_full {
            writes.least_bytes = bytes;
        }
        writes.old_logs = old_logs;
        for Map(map) in maps {
            while map.inner().sealed_memtable_count() > MAX_FULL_BUFFERS
                || map.inner().l0_table_count() > MAX_NEW_FILES
            {
                self.wait()?;
            }
        }
        Ok(())
    }

    /// Waits for the engine's threads for a moment. Fails if they have stopped.
    fn wait(&self) -> Result<(), Failure> {
        self.database.persist(PersistMode::Buffer)?;
        thread::sleep(POLL);
        Ok(())
    }

    /// Makes the present state the one after the last commit, which may have changed properties of
    /// tables. No commit may be in progress.
    fn show_last(&self, changes_properties: bool) {
        let snapshot = self.database.read_tx();
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        last.snapshot = snapshot;
        last.changes += u64::from(changes_properties);
    }

    /// Writes the marks of removed entries of a map to files. If `merge` is set, merges its files
    /// unless they are large: this drops the removed entries with their marks. May take long.
    pub(crate) fn drop_removed(&self, Map(map): &Map, merge: bool) -> Result<(), Failure> {
        let map = map.inner();
        // Later writes need not be in a file.
        let written = map.tree.get_highest_memtable_seqno();
        map.rotate_memtable()?;
        while map.sealed_memtable_count() > 0 && map.tree.get_highest_persisted_seqno() < written {
            self.wait()?;
        }
        if merge && map.disk_space() <= MAX_MERGED_BYTES {
            map.major_compact()?;
        }
        Ok(())
    }

    /// Returns the name of a map that is not one of the format.
    pub(crate) fn unknown_map(&self) -> Option<String> {
        let is_known = |name: &str| {
            [OTHERS, NOTIFICATIONS].iter().any(|prefix| name.starts_with(prefix))
                || Self::RECORDS.contains(&name)
        };
        let mut names = self.database.list_keyspace_names().into_iter();
        names.find(|name| !is_known(name)).map(|name| name.to_string())
    }

    fn open_cells(&self, table_id: u64) -> Result<(), Failure> {
        let map = |prefix, max_buffer_bytes| {
            open_map(&self.database, &format!("{prefix}{table_id}"), max_buffer_bytes)
        };
        let cells = Cells {
            notifications: map(NOTIFICATIONS, MAX_RECORD_BUFFER_BYTES)?,
            others: map(OTHERS, MAX_TABLE_BUFFER_BYTES)?,
        };
        self.maps.write_cells().insert(table_id, cells);
        Ok(())
    }

    /// Makes new maps durable: the engine does not sync the folder that has theirs.
    fn sync_maps(&self) -> Result<(), Failure> {
        Ok(sync_directory(&self.directory.join(MAPS_FOLDER))?)
    }

    fn delete_map(&self, Map(map): Map) -> Result<(), Failure> {
        self.database.inner().delete_keyspace(map.inner().clone())?;
        self.advance(1)
    }

    /// Advances the sequence number of the engine, durably.
    ///
    /// The engine records the deletion of a map under a sequence number, and reuses the number of
    /// the map. After an opening it may continue below the recorded number: the next map then has
    /// the record of the deleted one, and the engine deletes it with its entries when it is opened
    /// again. So a commit follows each deletion, and some precede the first write of an opening.
    fn advance(&self, commits: usize) -> Result<(), Failure> {
        for _ in 0..commits {
            self.maps.meta.0.insert(ADVANCE, [])?;
        }
        self.database.persist(PersistMode::SyncData)?;
        self.show_last(false);
        Ok(())
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

fn open_database(directory: &Path, cache_bytes: usize) -> fjall::Result<SingleWriterTxDatabase> {
    let builder = SingleWriterTxDatabase::builder(directory)
        .cache_size(u64::try_from(cache_bytes).unwrap_or(u64::MAX))
        .max_journaling_size(MAX_LOG_BYTES);
    builder.open()
}

fn open_map(
    database: &SingleWriterTxDatabase,
    name: &str,
    max_buffer_bytes: u64,
) -> Result<Map, Failure> {
    let options = || KeyspaceCreateOptions::default().max_memtable_size(max_buffer_bytes);
    Ok(Map(database.keyspace(name, options)?))
}

/// The only write at a time, which sees its own changes. Dropping it changes nothing.
pub(crate) struct Transaction<'e> {
    inner: SingleWriterWriteTx<'e>,
    engine: &'e Engine,
    /// The maps to which it writes, by their ids.
    touched: BTreeMap<u64, Map>,
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
                "a stored key has {}; a directory takes {} at most",
                counted(key.len(), "byte"),
                Grouped::new(MAX_KEY_BYTES)
            );
            return Err(Error::invalid(message).into());
        }
        self.touch(map);
        self.inner.insert(&map.0, key, value);
        Ok(())
    }

    fn touch(&mut self, map: &Map) {
        self.touched.entry(map.0.inner().id()).or_insert_with(|| map.clone());
    }

    pub(crate) fn insert_number(
        &mut self,
        map: &Map,
        key: &[u8],
        number: u64,
    ) -> Result<(), Failure> {
        self.insert(map, key, &number.to_be_bytes())
    }

    pub(crate) fn remove(&mut self, map: &Map, key: &[u8]) {
        if key.len() <= MAX_KEY_BYTES {
            self.touch(map);
            self.inner.remove(&map.0, key);
        }
    }

    /// Removes all entries from a key on, up to another one, exclusive.
    pub(crate) fn remove_range(
        &mut self,
        map: &Map,
        from: &[u8],
        end: &[u8],
    ) -> Result<(), Failure> {
        for entry in self.entries(map, from, Some(end)) {
            self.remove(map, &entry?.0);
        }
        Ok(())
    }

    /// Creates the maps of the entries of a new table. If this is not committed, they stay for the
    /// next table, which has the same id.
    pub(crate) fn create_cells(&mut self, table_id: u64) -> Result<(), Failure> {
        self.engine.open_cells(table_id)?;
        self.engine.sync_maps()
    }

    /// Deletes the entries of a table when this is committed.
    pub(crate) fn delete_cells(&mut self, table_id: u64) {
        self.deleted.push(table_id);
    }

    /// Waits until the engine has room for the commit.
    pub(crate) fn wait_for_room(&self) -> Result<(), Failure> {
        self.engine.wait_for_room(self.touched.values())
    }

    /// Commits durably. [`Stopped`](Failure::Stopped) means that nothing was written.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let Self { inner, engine, touched, deleted } = self;
        inner.commit()?;
        let changes_properties = touched.contains_key(&engine.maps.properties.0.inner().id());
        // First of all, so that no reader that sees the deletion finds the entries.
        let cells: Vec<_> = {
            let mut cells = engine.maps.write_cells();
            deleted.iter().filter_map(|table_id| cells.remove(table_id)).collect()
        };
        engine.show_last(changes_properties);
        let maps = cells.into_iter().flat_map(|cells| [cells.notifications, cells.others]);
        for map in maps {
            if let Err(failure) = engine.delete_map(map) {
                debug!(?failure, "the entries of a table are deleted by the next opening");
            }
        }
        Ok(())
    }
}
