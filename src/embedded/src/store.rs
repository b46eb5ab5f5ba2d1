//! The open directory: the storage engine, its health, and its snapshots.

use std::path::Path;
use std::sync::{Arc, Once, OnceLock};

use fluo_table::{Error, ErrorKind, Result};
use tracing::{debug, warn};

use crate::catalog;
use crate::catch_panic::contain;
use crate::commits::Commits;
use crate::directory::Directory;
use crate::engine::{Engine, Read, Snapshot, Transaction};
use crate::error::Failure;
use crate::mark;
use crate::options::EmbeddedOptions;

/// The version of the format that this build writes and reads.
pub(crate) const FORMAT_VERSION: u64 = 4;

/// The storage engine with an open directory. Dropping it closes the files.
#[derive(Debug)]
pub(crate) struct Store {
    engine: Engine,
    commits: Commits,
    /// The reason why writes are rejected, once a write has failed or the tables are known to be
    /// damaged.
    failed: OnceLock<Error>,
    /// The error of a commit whose outcome is unknown.
    in_doubt: OnceLock<Error>,
    /// Completed once damage was found and the directory is marked.
    marked: Once,
    /// The directory. Last field, so that it is unlocked after the engine has closed its files.
    directory: Arc<Directory>,
}

impl Store {
    /// Opens a directory, and creates it first if the options say so.
    pub(crate) fn open(path: &Path, options: &EmbeddedOptions) -> Result<Self> {
        let store = contain(|| {
            let directory = Arc::new(Self::hold(path, options)?);
            let store = Self::open_held(&directory, options)?;
            match mark::stored_refusal(path) {
                Some(refusal) => drop(store.failed.set(refusal)),
                None => store.engine.prepare_writes(store.read_next_id()?)?,
            }
            Ok(store)
        });
        let store = store.map_err(|failure| failure.into_error(path))?;
        debug!(directory = %path.display(), "opened");
        Ok(store)
    }

    /// Locks a directory, and creates it and its tables first if the options say so.
    pub(crate) fn hold(path: &Path, options: &EmbeddedOptions) -> Result<Directory, Failure> {
        options.check()?;
        Directory::hold(path, options, |new| fill(new, options))
    }

    fn read_next_id(&self) -> Result<u64, Failure> {
        catalog::number(&self.engine.snapshot(), catalog::NEXT_TABLE_ID)
    }

    /// Opens the tables of a locked directory, and writes nothing.
    pub(crate) fn open_held(
        directory: &Arc<Directory>,
        options: &EmbeddedOptions,
    ) -> Result<Self, Failure> {
        let tables = directory.tables()?;
        // First, because the engine may drop the end of its log.
        let commits = match Commits::open(directory.path()) {
            // The engine shows whether these are files of another program.
            Err(failure) if !failure.is_proof() => return Err(failure),
            commits => commits,
        };
        let engine = Engine::open(&tables, options.cache_bytes);
        let opened = engine.and_then(|engine| check_format(&engine.snapshot()).map(|()| engine));
        let engine = match opened {
            // The file with the number is of this crate.
            Err(Failure::WithoutFormat) if commits.is_ok() => {
                return Err(Failure::damaged("its records are missing"));
            }
            opened => opened?,
        };
        let snapshot = engine.snapshot();
        let commits = commits?.with_last(catalog::number(&snapshot, catalog::COMMITS)?)?;
        engine.open_tables(&catalog::ids(&snapshot)?)?;
        Ok(Self {
            engine,
            commits,
            failed: OnceLock::new(),
            in_doubt: OnceLock::new(),
            marked: Once::new(),
            directory: directory.clone(),
        })
    }

    /// Checks whether the tables were created when the directory was opened.
    pub(crate) fn is_new(&self) -> bool {
        self.directory.is_new()
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&Snapshot) -> Result<T, Failure>) -> Result<T> {
        self.contained(|| read(&self.engine.snapshot()))
    }

    /// Runs code that uses the engine, and converts its failure to the error for a caller. Damage
    /// marks the directory.
    pub(crate) fn contained<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T> {
        contain(work).map_err(|failure| self.error_of(failure))
    }

    /// Returns the error of a failure. Damage marks the directory, which then accepts no more
    /// writes.
    pub(crate) fn error_of(&self, failure: Failure) -> Error {
        // Files that were moved away are not damaged.
        if failure.is_proof()
            && let Err(error) = self.directory.check_in_place()
        {
            return error;
        }
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
    pub(crate) fn begin_write(&self) -> Result<Transaction<'_>> {
        self.check_writable()?;
        contain(|| self.engine.begin()).map_err(|failure| self.write_error(failure))
    }

    /// Commits durably, and checks that the files were not deleted in the meantime. If the error is
    /// [`Uncertain`](ErrorKind::Uncertain), the commit is either complete or absent; otherwise it
    /// is absent.
    pub(crate) fn commit(&self, mut transaction: Transaction<'_>) -> Result<()> {
        let prepared = contain(|| {
            catalog::put_number(&mut transaction, catalog::COMMITS, self.commits.next())?;
            transaction.wait_for_room()
        });
        prepared.map_err(|failure| self.write_error(failure))?;
        let committed = contain(|| {
            transaction.commit()?;
            self.directory.check_in_place().map_err(Failure::Lost)?;
            Ok(self.commits.record_next()?)
        });
        committed.map_err(|failure| {
            let is_absent = matches!(failure, Failure::Stopped);
            let cause = self.write_error(failure);
            if is_absent {
                return cause;
            }
            let message = format!(
                "outcome unknown: the commit failed ({cause}); open the directory again and check"
            );
            let _ = self.in_doubt.set(cause.clone());
            Error::with_source(ErrorKind::Uncertain, message, cause)
        })
    }

    /// Returns an error if the outcome of a commit is unknown: this process does not see the
    /// commit, and a later opening may.
    pub(crate) fn check_certain(&self) -> Result<()> {
        self.in_doubt.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Returns the error of a failed write. Stops all further writes if the storage failed.
    pub(crate) fn write_error(&self, failure: Failure) -> Error {
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
}

/// Creates the tables of a new directory.
fn fill(new: &Path, options: &EmbeddedOptions) -> Result<(), Failure> {
    let engine = Engine::create(new, options.cache_bytes)?;
    let mut transaction = engine.begin()?;
    let servers = u64::try_from(options.servers.get()).unwrap_or(u64::MAX);
    for (name, number) in [
        (catalog::FORMAT, FORMAT_VERSION),
        (catalog::SERVERS, servers),
        (catalog::NEXT_TABLE_ID, 1),
        (catalog::LAST_TIME_MS, 0),
        (catalog::MAX_EXPLICIT, i64::MIN.cast_unsigned()),
        (catalog::COMMITS, 0),
    ] {
        catalog::put_number(&mut transaction, name, number)?;
    }
    transaction.commit()
}

/// Checks that this build can read the tables.
fn check_format(snapshot: &Snapshot) -> Result<(), Failure> {
    match snapshot.number(&snapshot.maps().meta, catalog::FORMAT.as_bytes())? {
        Some(FORMAT_VERSION) => Ok(()),
        Some(other) => Err(Failure::Foreign(format!(
            "has format version {other}, but this build supports only version {FORMAT_VERSION}; \
             use the build that created it"
        ))),
        None => Err(Failure::WithoutFormat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens a store whose engine stops when it writes a buffer to a file.
    fn store_without_maps(path: &Path) -> Store {
        let store = Store::open(path, &EmbeddedOptions::new().create_if_missing(true)).unwrap();
        std::fs::remove_dir_all(path.join("fluo.tables/keyspaces")).unwrap();
        store
    }

    fn stop(store: &Store) {
        let snapshot = store.engine.snapshot();
        let stopped = store.engine.drop_removed(&snapshot.maps().meta, false);
        assert!(matches!(stopped, Err(Failure::Stopped)), "{stopped:?}");
    }

    /// Covers a bug: once a thread of the engine had failed, as on a full disk, the next commit had
    /// an unknown outcome, and no more timestamps were handed out.
    #[test]
    fn a_write_to_a_stopped_engine_has_no_effect() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().display();
        let stopped = format!(
            "the storage of the directory `{name}` failed; fix it and open the directory again"
        );

        let store = store_without_maps(directory.path());
        let transaction = store.begin_write().unwrap();
        stop(&store);
        let error = store.commit(transaction).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Storage, stopped.clone()));
        store.check_certain().unwrap();
        drop(store);

        std::fs::remove_dir_all(directory.path()).unwrap();
        let store = store_without_maps(directory.path());
        stop(&store);
        let error = store.begin_write().err().unwrap();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Storage, stopped));
        store.check_certain().unwrap();
    }
}
