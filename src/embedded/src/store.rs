//! The open file: the storage engine, its health, and its snapshots.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Once, OnceLock};

use fluo_table::{Error, ErrorKind, Result};
use redb::{
    Database, DatabaseError, ReadTransaction, ReadableDatabase, TableError, WriteTransaction,
};
use tracing::{debug, warn};

use crate::catch_panic::{contain, contain_in};
use crate::directory::Directory;
use crate::error::Failure;
use crate::file::{FileState, TableFile};
use crate::mark;
use crate::options::EmbeddedOptions;
use crate::schema::{self, FORMAT_VERSION, META, PROPERTIES, TABLES, TABLETS, meta};

/// The storage engine with an open directory. Dropping it closes the file.
#[derive(Debug)]
pub(crate) struct Store {
    /// The engine; `None` only while the store is being dropped.
    engine: Option<Database>,
    file: Arc<FileState>,
    /// The reason why writes are rejected, once a write has failed or the tables are known to be
    /// damaged.
    failed: OnceLock<Error>,
    /// Completed once damage was found and the directory is marked.
    marked: Once,
    /// The directory. Last field, so that it is unlocked after the engine has closed its file.
    directory: Directory,
}

/// The result of a failed commit.
#[derive(Debug)]
pub(crate) enum CommitFailure {
    /// Nothing of it is in the file.
    NothingWritten(Failure),
    /// Either all of it or nothing of it is in the file, and it cannot be determined which.
    InDoubt(Failure),
}

impl Store {
    /// Opens a directory, and creates it first if the options say so. Created paths are removed
    /// again with the store unless they are [kept](Store::keep_directory).
    pub(crate) fn open(path: &Path, options: &EmbeddedOptions) -> Result<Self> {
        options.check()?;
        let mut directory = Directory::hold(path, options)?;
        let file = directory
            .data_file(|file| contain_in(path, || fill(file, options)))
            .map_err(|failure| failure.into_error(path))?;
        let refusal = mark::stored_refusal(path);
        let store = Self::open_held(directory, options, || TableFile::holding(file))
            .and_then(|store| {
                contain(|| check_format(&store.snapshot()?))?;
                Ok(store)
            })
            .map_err(|failure| failure.into_error(path))?;
        contain_in(path, || store.file.release().map_err(io_failure))?;
        if let Some(refusal) = refusal {
            let _ = store.failed.set(refusal);
        }
        debug!(directory = %path.display(), "opened");
        Ok(store)
    }

    /// Opens a directory for reading only: writes of the engine stay in memory. The format is not
    /// checked.
    pub(crate) fn open_unwritten(path: &Path) -> Result<Self, Failure> {
        let directory = Directory::hold_to_read(path)?;
        let file = directory.data_file_to_read()?;
        Self::open_held(directory, &EmbeddedOptions::new(), || {
            TableFile::read_only(file)
        })
    }

    /// Opens the engine on a directory to which nothing has been written yet.
    fn open_held(
        directory: Directory,
        options: &EmbeddedOptions,
        file: impl FnOnce() -> Result<(TableFile, Arc<FileState>), DatabaseError>,
    ) -> Result<Self, Failure> {
        let (engine, file) = contain(|| {
            let (file, state) = file()?;
            let engine = builder(options, directory.path()).create_with_backend(file)?;
            Ok((engine, state))
        })?;
        Ok(Self {
            engine: Some(engine),
            file,
            failed: OnceLock::new(),
            marked: Once::new(),
            directory,
        })
    }

    /// Checks whether the tables were created when the directory was opened.
    pub(crate) fn is_new(&self) -> bool {
        self.directory.is_new()
    }

    /// Keeps the directory and its files.
    pub(crate) fn keep_directory(&self) {
        self.directory.keep();
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns a snapshot of the last commit.
    pub(crate) fn snapshot(&self) -> Result<ReadTransaction, Failure> {
        Ok(self.engine()?.begin_read()?)
    }

    /// Reads from a snapshot.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Failure>,
    ) -> Result<T> {
        self.contained(|| read(&self.snapshot()?))
    }

    /// Runs code that uses the engine, and converts its failure to the error for a caller. Damage
    /// marks the directory.
    pub(crate) fn contained<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T> {
        contain(work).map_err(|failure| self.error_of(failure))
    }

    /// Returns the error of a failure. Damage marks the directory, which then accepts no more
    /// writes.
    pub(crate) fn error_of(&self, failure: Failure) -> Error {
        if let Some(finding) = failure.finding().filter(|_| failure.is_proof()) {
            self.marked.call_once(|| self.mark(finding));
        }
        failure.into_error(self.path())
    }

    fn mark(&self, finding: String) {
        // Writes stop in this process even if the mark cannot be written, for example on a full
        // disk.
        let _ = self.failed.set(mark::refusal(self.path(), &finding));
        if let Err(error) = mark::set(self.path(), &[finding]) {
            warn!(directory = %self.path().display(), %error, "damage was found, but the directory cannot be marked");
        }
    }

    /// Begins a write. Only the writer thread may call this.
    pub(crate) fn begin_write(&self) -> Result<WriteTransaction, Failure> {
        Ok(self.engine()?.begin_write()?)
    }

    /// Commits durably, and checks that the file was not deleted in the meantime. Must run
    /// contained, like all code that uses the engine.
    pub(crate) fn commit(&self, transaction: WriteTransaction) -> Result<(), CommitFailure> {
        self.file.begin_commit();
        contain(|| Ok(transaction.commit()?)).map_err(|failure| {
            let failure = failure.leaving_doubt();
            if self.file.may_have_committed() {
                CommitFailure::InDoubt(failure)
            } else {
                CommitFailure::NothingWritten(failure)
            }
        })?;
        self.directory
            .check_in_place()
            .map_err(|error| CommitFailure::InDoubt(Failure::Lost(error)))
    }

    /// Returns an error once a write has failed, because the engine's memory may no longer match
    /// the file, and while the tables are known to be damaged.
    pub(crate) fn check_writable(&self) -> Result<()> {
        match self.failed.get() {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    /// Stops all further writes.
    pub(crate) fn stop_writing(&self, cause: &Error) {
        warn!(directory = %self.path().display(), error = %cause, "no more writes after a failed one");
        let kind = match cause.kind() {
            ErrorKind::Corrupt => ErrorKind::Corrupt,
            _ => ErrorKind::Storage,
        };
        let message = format!(
            "the directory `{}` accepts no more writes because one failed ({cause}); repair the storage and open \
             the directory again",
            self.path().display()
        );
        let _ = self
            .failed
            .set(Error::with_source(kind, message, cause.clone()));
    }

    /// Returns the engine for exclusive use.
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
        // Closing writes to the file; if that fails, the next opening repairs it.
        let close = || {
            drop(engine);
            Ok(())
        };
        if let Err(failure) = contain(close) {
            warn!(directory = %self.path().display(), ?failure, "closing failed");
        }
    }
}

/// Writes the content of a file without tables.
fn fill(file: File, options: &EmbeddedOptions) -> Result<(), Failure> {
    let (file, state) = TableFile::holding(file)?;
    state.release().map_err(io_failure)?;
    let engine = builder(options, Path::new("")).create_with_backend(file)?;
    let transaction = engine.begin_write()?;
    {
        let mut numbers = transaction.open_table(META)?;
        let servers = u64::try_from(options.servers.get()).unwrap_or(u64::MAX);
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

fn builder(options: &EmbeddedOptions, path: &Path) -> redb::Builder {
    let mut builder = Database::builder();
    let directory = path.display().to_string();
    builder.set_cache_size(options.cache_bytes);
    builder.set_repair_callback(move |repair| {
        debug!(
            directory,
            progress = repair.progress(),
            "repairing after a crash"
        );
    });
    builder
}

/// Checks that this build can read the file.
pub(crate) fn check_format(snapshot: &ReadTransaction) -> Result<(), Failure> {
    let version = match snapshot.open_table(META) {
        Ok(numbers) => numbers.get(meta::FORMAT)?.map(|version| version.value()),
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => None,
    };
    match version {
        Some(FORMAT_VERSION) => check_tables(snapshot),
        Some(other) => Err(Failure::Foreign(format!(
            "has format version {other}, but this build supports only version {FORMAT_VERSION}; \
             use the build that created it"
        ))),
        None => Err(Failure::Foreign(
            "contains a file of another program: the file has no format version; choose another \
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic in a bug of this crate poisoned a lock of the engine. The next call panicked on the
    /// poisoned lock, in a module that reads pages, and a sound directory was marked as damaged: it
    /// took no writes after it was opened again.
    #[test]
    fn a_poisoned_lock_marks_no_directory() {
        let directory = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        let store = Store::open(directory.path(), &options).unwrap();
        let stopped = |message: &str| Failure::Stopped {
            message: message.to_owned(),
            read_pages: true,
        };
        let poisoned = "called `Result::unwrap()` on an `Err` value: PoisonError { .. }";
        let error = store.error_of(stopped(poisoned));
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(mark::stored_refusal(directory.path()).is_none());
        store.check_writable().unwrap();
        store.error_of(stopped("internal error: entered unreachable code"));
        assert!(mark::stored_refusal(directory.path()).is_some());
        store.check_writable().unwrap_err();
    }
}
