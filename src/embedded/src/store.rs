//! The open file: the storage engine, its health, and the snapshots that are read from.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use fluo_core::{Error, ErrorKind, Result};
use redb::{
    Database, DatabaseError, ReadTransaction, ReadableDatabase, TableError, WriteTransaction,
};
use tracing::{debug, warn};

use crate::contain::{contain, contain_in};
use crate::directory::Directory;
use crate::error::Failure;
use crate::file::{FileState, TableFile};
use crate::schema::{self, FORMAT_VERSION, META, PROPERTIES, TABLES, TABLETS, meta};
use crate::settings::Settings;

/// The storage engine with a directory open. Closed when dropped.
#[derive(Debug)]
pub(crate) struct Store {
    /// `None` only while the store is being dropped.
    engine: Option<Database>,
    file: Arc<FileState>,
    /// Why no more is written, once a write has failed.
    failed: OnceLock<Error>,
    /// Last, so that the directory is let go after the engine has closed its file.
    directory: Directory,
}

/// How a commit ended that did not succeed.
#[derive(Debug)]
pub(crate) enum CommitFailure {
    /// Nothing of it is in the file.
    NothingWritten(Failure),
    /// All of it or nothing of it is in the file, and nobody can tell.
    InDoubt(Failure),
}

impl Store {
    /// Opens a directory, and makes it first if that is asked for. What was made is gone again with the store,
    /// unless it is [kept](Store::keep_directory).
    pub(crate) fn open(path: &Path, settings: &Settings) -> Result<Self> {
        settings.check()?;
        let mut directory = Directory::hold(path, settings.create_if_missing)?;
        let file = directory.data_file(|file| contain_in(path, || fill(file, settings)))?;
        let store = Self::open_held(directory, settings, || TableFile::holding(file))?;
        contain_in(path, || store.file.release().map_err(io_failure))?;
        debug!(directory = %path.display(), "opened");
        Ok(store)
    }

    /// Opens a directory for reading only: what the engine writes stays in memory.
    pub(crate) fn open_unwritten(path: &Path) -> Result<Self> {
        let directory = Directory::hold_to_read(path)?;
        let file = directory.data_file_to_read()?;
        Self::open_held(directory, &Settings::default(), || {
            TableFile::read_only(file)
        })
    }

    /// Opens a directory whose file is recognised now and to which nothing is written yet.
    fn open_held(
        directory: Directory,
        settings: &Settings,
        file: impl FnOnce() -> Result<(TableFile, Arc<FileState>), DatabaseError>,
    ) -> Result<Self> {
        let (engine, file) = contain_in(directory.path(), || {
            let (file, state) = file()?;
            let engine = builder(settings, directory.path()).create_with_backend(file)?;
            check_format(&engine)?;
            Ok((engine, state))
        })?;
        Ok(Self {
            engine: Some(engine),
            file,
            failed: OnceLock::new(),
            directory,
        })
    }

    /// The directory was opened and stays as it is now.
    pub(crate) fn keep_directory(&self) {
        self.directory.keep();
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// What is committed now, for reading.
    pub(crate) fn snapshot(&self) -> Result<ReadTransaction, Failure> {
        Ok(self.engine()?.begin_read()?)
    }

    /// Reads from a snapshot.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Failure>,
    ) -> Result<T> {
        contain_in(self.path(), || read(&self.snapshot()?))
    }

    /// Begins a write. Only the writer's thread does.
    pub(crate) fn begin_write(&self) -> Result<WriteTransaction, Failure> {
        Ok(self.engine()?.begin_write()?)
    }

    /// Commits, durably. Must run contained, as everything that touches the engine.
    pub(crate) fn commit(&self, transaction: WriteTransaction) -> Result<(), CommitFailure> {
        self.file.begin_commit();
        contain(|| Ok(transaction.commit()?)).map_err(|failure| {
            let failure = failure.leaving_doubt();
            if self.file.may_have_committed() {
                CommitFailure::InDoubt(failure)
            } else {
                CommitFailure::NothingWritten(failure)
            }
        })
    }

    /// Refuses once a write has failed: the engine's memory may no longer be what the file says.
    pub(crate) fn check_writable(&self) -> Result<()> {
        match self.failed.get() {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    /// Takes no more writes from now on.
    pub(crate) fn stop_writing(&self, cause: &Error) {
        warn!(directory = %self.path().display(), error = %cause, "no more writes after a failed one");
        let kind = match cause.kind() {
            ErrorKind::Corrupt => ErrorKind::Corrupt,
            _ => ErrorKind::Storage,
        };
        let message = format!(
            "the directory `{}` takes no more writes since one failed ({cause}); mend the storage and open \
             the directory again",
            self.path().display()
        );
        let _ = self
            .failed
            .set(Error::with_source(kind, message, cause.clone()));
    }

    /// The engine alone, while nothing else uses it.
    pub(crate) fn engine_mut(&mut self) -> Result<&mut Database, Failure> {
        self.engine
            .as_mut()
            .ok_or(Failure::Engine(redb::Error::DatabaseClosed))
    }

    fn engine(&self) -> Result<&Database, Failure> {
        self.engine
            .as_ref()
            .ok_or(Failure::Engine(redb::Error::DatabaseClosed))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let engine = self.engine.take();
        // Closing writes; where it fails, the next opening repairs.
        let close = || {
            drop(engine);
            Ok(())
        };
        if let Err(failure) = contain(close) {
            warn!(directory = %self.path().display(), ?failure, "closing failed");
        }
    }
}

/// Writes what a file without tables has in it.
fn fill(file: File, settings: &Settings) -> Result<(), Failure> {
    let (file, state) = TableFile::holding(file)?;
    state.release().map_err(io_failure)?;
    let engine = builder(settings, Path::new("")).create_with_backend(file)?;
    let transaction = engine.begin_write()?;
    {
        let mut numbers = transaction.open_table(META)?;
        let servers = u64::try_from(settings.servers.get()).unwrap_or(u64::MAX);
        numbers.insert(meta::FORMAT, FORMAT_VERSION)?;
        numbers.insert(meta::SERVERS, servers)?;
        numbers.insert(meta::NEXT_TABLE_ID, 1)?;
        numbers.insert(meta::LAST_TIME_MS, 0)?;
        transaction.open_table(TABLES)?;
        transaction.open_table(PROPERTIES)?;
        transaction.open_table(TABLETS)?;
    }
    transaction.commit()?;
    Ok(())
}

fn builder(settings: &Settings, path: &Path) -> redb::Builder {
    let mut builder = Database::builder();
    let directory = path.display().to_string();
    builder.set_cache_size(settings.cache_bytes);
    builder.set_repair_callback(move |repair| {
        debug!(
            directory,
            progress = repair.progress(),
            "repairing after a crash"
        );
    });
    builder
}

fn check_format(engine: &Database) -> Result<(), Failure> {
    let snapshot = engine.begin_read()?;
    let version = match snapshot.open_table(META) {
        Ok(numbers) => numbers.get(meta::FORMAT)?.map(|version| version.value()),
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => None,
    };
    match version {
        Some(FORMAT_VERSION) => check_tables(&snapshot),
        Some(other) => Err(Failure::Unreadable(format!(
            "has format version {other}, and this build knows version {FORMAT_VERSION} only; use the build \
             that made it"
        ))),
        None => Err(Failure::Unreadable(
            "has a file in it that another program made: there is no format version in it; name another \
             directory"
                .to_owned(),
        )),
    }
}

fn check_tables(snapshot: &ReadTransaction) -> Result<(), Failure> {
    snapshot.open_table(schema::TABLES)?;
    snapshot.open_table(schema::PROPERTIES)?;
    snapshot.open_table(schema::TABLETS)?;
    Ok(())
}

fn io_failure(error: std::io::Error) -> Failure {
    redb::StorageError::from(error).into()
}
