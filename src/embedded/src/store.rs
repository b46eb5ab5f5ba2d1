//! The open file: the storage engine, its health, and its snapshots.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Once, OnceLock};

use fluo_table::{Error, ErrorKind, Result};
use redb::{Database, ReadTransaction, ReadableDatabase, TableError, WriteTransaction};
use tracing::{debug, warn};

use crate::catch_panic::contain;
use crate::directory::Directory;
use crate::error::Failure;
use crate::file::{FileState, TableFile};
use crate::mark;
use crate::options::EmbeddedOptions;
use crate::schema::{FORMAT_VERSION, META, PROPERTIES, TABLES, TABLETS, meta};

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

impl Store {
    /// Opens a directory, and creates it first if the options say so.
    pub(crate) fn open(path: &Path, options: &EmbeddedOptions) -> Result<Self> {
        options.check()?;
        let mut directory = Directory::hold(path, options)?;
        let store = contain(|| {
            let file = directory.data_file(|file| fill(file, options))?;
            let refusal = mark::stored_refusal(path);
            let store = Self::open_held(directory, options, TableFile::new(file, false)?)?;
            check_format(&store.snapshot()?)?;
            store.file.release().map_err(io_failure)?;
            if let Some(refusal) = refusal {
                let _ = store.failed.set(refusal);
            }
            Ok(store)
        });
        let store = store.map_err(|failure| failure.into_error(path))?;
        debug!(directory = %path.display(), "opened");
        Ok(store)
    }

    /// Opens a directory for reading only: writes of the engine stay in memory. The format is not
    /// checked.
    pub(crate) fn open_unwritten(path: &Path) -> Result<Self, Failure> {
        let directory = Directory::hold_to_read(path)?;
        contain(|| {
            let file = TableFile::new(directory.data_file_to_read()?, true)?;
            Self::open_held(directory, &EmbeddedOptions::new(), file)
        })
    }

    /// Opens the engine on a directory to which nothing has been written yet.
    fn open_held(
        directory: Directory,
        options: &EmbeddedOptions,
        (file, state): (TableFile, Arc<FileState>),
    ) -> Result<Self, Failure> {
        let engine = builder(options, directory.path()).create_with_backend(file)?;
        Ok(Self {
            engine: Some(engine),
            file: state,
            failed: OnceLock::new(),
            marked: Once::new(),
            directory,
        })
    }

    /// Checks whether the tables were created when the directory was opened.
    pub(crate) fn is_new(&self) -> bool {
        self.directory.is_new()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn snapshot(&self) -> Result<ReadTransaction, Failure> {
        Ok(self.engine()?.begin_read()?)
    }

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
    pub(crate) fn begin_write(&self) -> Result<WriteTransaction> {
        self.check_writable()?;
        contain(|| Ok(self.engine()?.begin_write()?)).map_err(|failure| self.write_error(failure))
    }

    /// Commits durably, and checks that the file was not deleted in the meantime. An error is
    /// [`Uncertain`](ErrorKind::Uncertain): the commit is either complete or absent.
    pub(crate) fn commit(&self, transaction: WriteTransaction) -> Result<()> {
        let committed = contain(|| {
            transaction.commit()?;
            self.directory.check_in_place().map_err(Failure::Lost)
        });
        committed.map_err(|failure| {
            let cause = self.write_error(failure);
            let message = format!(
                "outcome unknown: the commit failed ({cause}); open the directory again and check"
            );
            Error::with_source(ErrorKind::Uncertain, message, cause)
        })
    }

    /// Undoes a transaction whose work failed, and returns the error of the failure.
    pub(crate) fn undo(&self, transaction: WriteTransaction, failure: Failure) -> Error {
        match contain(|| Ok(transaction.abort()?)) {
            Err(of_undoing) if !failure.is_of_the_storage() => self.write_error(of_undoing),
            _ => self.write_error(failure),
        }
    }

    /// Returns the error of a failed write. Stops all further writes if the storage failed.
    fn write_error(&self, failure: Failure) -> Error {
        let is_of_the_storage = failure.is_of_the_storage();
        let error = self.error_of(failure);
        if is_of_the_storage {
            self.stop_writing(&error);
        }
        error
    }

    /// Returns an error once a write has failed, because the engine's memory may no longer match
    /// the file, and while the tables are known to be damaged.
    pub(crate) fn check_writable(&self) -> Result<()> {
        match self.failed.get() {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    fn stop_writing(&self, cause: &Error) {
        warn!(directory = %self.path().display(), error = %cause, "no more writes after a failed one");
        let kind = match cause.kind() {
            ErrorKind::Corrupt => ErrorKind::Corrupt,
            _ => ErrorKind::Storage,
        };
        let message = format!(
            "a write failed ({cause}); fix the storage and open `{}` again",
            self.path().display()
        );
        let _ = self.failed.set(Error::with_source(kind, message, cause.clone()));
    }

    /// Returns the engine for exclusive use.
    pub(crate) fn engine_mut(&mut self) -> Result<&mut Database, Failure> {
        self.engine.as_mut().ok_or(Failure::Engine(redb::Error::DatabaseClosed))
    }

    fn engine(&self) -> Result<&Database, Failure> {
        self.engine.as_ref().ok_or(Failure::Engine(redb::Error::DatabaseClosed))
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

fn fill(file: File, options: &EmbeddedOptions) -> Result<(), Failure> {
    let (file, state) = TableFile::new(file, false)?;
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
        debug!(directory, progress = repair.progress(), "repairing after a crash");
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
        Some(FORMAT_VERSION) => {
            snapshot.open_table(TABLES)?;
            snapshot.open_table(PROPERTIES)?;
            snapshot.open_table(TABLETS)?;
            Ok(())
        }
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

fn io_failure(error: std::io::Error) -> Failure {
    redb::StorageError::from(error).into()
}
