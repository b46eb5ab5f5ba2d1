//! The directory: its files, its lock and its creation.
//!
//! ```text
//! <directory>/
//!   fluo.redb        the tables
//!   fluo.lock        locked by the process that has the directory open; names that process
//!   fluo.redb.new    an unfinished file of tables; a leftover one is replaced
//!   fluo.damaged     exists while the tables are known to be damaged
//! ```

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use fluo_table::{Error, ErrorKind, Result};

use crate::durable_paths::{create_directories, missing, rename_durably, sync_directory};
use crate::error::{Failure, cannot};
use crate::lock::{Lock, check_regular};
use crate::mark;
use crate::options::EmbeddedOptions;

const DATA_FILE: &str = "fluo.redb";
const NEW_DATA_FILE: &str = "fluo.redb.new";

/// A directory that this process holds until this is dropped.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// True if this process created the file of the tables.
    is_new: bool,
    /// The identity and the absolute path of the open file of the tables; `None` if it is open for
    /// reading only.
    data: Option<(Metadata, PathBuf)>,
    /// The lock, which keeps other processes out; it is never read. `None` if there is no lock file
    /// and nothing may be written.
    _lock: Option<Lock>,
}

impl Directory {
    /// Locks a directory. Creates it first if it is missing and the options allow it.
    pub(crate) fn hold(path: &Path, options: &EmbeddedOptions) -> Result<Self> {
        let create = options.create_if_missing;
        match look_at(path, create) {
            Err(error) if error.kind() == ErrorKind::NotFound && create => {
                check_parents(path, options.create_parents)?;
                create_directories(&missing(path), sync_directory)
                    .map_err(|error| cannot("create", path, error))?;
            }
            found => found?,
        }
        let lock = Lock::exclusive(path, &options.program)?;
        Ok(Self { path: path.to_owned(), is_new: false, data: None, _lock: Some(lock) })
    }

    /// Locks an existing directory for reading, without writing to it.
    ///
    /// If there is no lock file, no process has the directory open; the engine's own lock keeps out
    /// a process that opens it in the meantime.
    pub(crate) fn hold_to_read(path: &Path) -> Result<Self> {
        look_at(path, false)?;
        Ok(Self { path: path.to_owned(), is_new: false, data: None, _lock: Lock::shared(path)? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks whether the file of the tables was created since the directory was locked.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Opens the file of the tables. If there is none, creates it with `fill`.
    ///
    /// The file is created under another name and renamed when it is complete, so that a crash
    /// never leaves a partial file.
    pub(crate) fn data_file(
        &mut self,
        fill: impl FnOnce(File) -> Result<(), Failure>,
    ) -> Result<File, Failure> {
        let path = self.path.join(DATA_FILE);
        if !exists(&path)? {
            self.make_data_file(&path, fill)?;
        }
        let file = self.open_data_file(OpenOptions::new().read(true).write(true))?;
        let found = file.metadata().map_err(|error| cannot("read", &path, error))?;
        // The working directory may change while the file is open.
        let absolute = std::path::absolute(&path).map_err(|error| cannot("read", &path, error))?;
        self.data = Some((found, absolute));
        Ok(file)
    }

    /// Checks that the file of the tables is still at its path: a deleted file accepts writes and
    /// loses them.
    pub(crate) fn check_in_place(&self) -> Result<()> {
        let Some((data, path)) = &self.data else {
            return Ok(());
        };
        match fs::metadata(path) {
            Ok(found) if is_same_file(&found, data) => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(cannot("read", path, error));
            }
            Ok(_) | Err(_) => {}
        }
        let path = path.display();
        let message = format!(
            "`{path}` was deleted or moved while it was open; restore it and open it again"
        );
        Err(Error::new(ErrorKind::Storage, message))
    }

    pub(crate) fn data_file_to_read(&self) -> Result<File, Failure> {
        self.open_data_file(OpenOptions::new().read(true))
    }

    fn open_data_file(&self, options: &OpenOptions) -> Result<File, Failure> {
        let path = self.path.join(DATA_FILE);
        check_regular(&path)?;
        let file = options.open(&path).map_err(|error| cannot("open", &path, error))?;
        match file.metadata() {
            Ok(found) if found.len() == 0 => {
                Err(Failure::damaged(format_args!("its `{DATA_FILE}` is empty")))
            }
            Ok(_) => Ok(file),
            Err(error) => Err(cannot("read", &path, error).into()),
        }
    }

    fn make_data_file(
        &mut self,
        path: &Path,
        fill: impl FnOnce(File) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let new = self.path.join(NEW_DATA_FILE);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&new)
            .map_err(|error| cannot("create", &new, error))?;
        fill(file)?;
        // The mark is about tables that no longer exist.
        mark::remove(&self.path)
            .and_then(|()| rename_durably(&self.path, &new, path))
            .map_err(|error| cannot("create", path, error))?;
        self.is_new = true;
        Ok(())
    }
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Returns true: on other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Checks that the directory exists, and contains tables or may receive them.
fn look_at(path: &Path, create: bool) -> Result<()> {
    let shown = path.display();
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => Err(Error::invalid(format!(
            "`{shown}` is a file, but tables are stored in a directory; pass the directory, or another path"
        ))),
        Ok(_) if !create && !exists(&path.join(DATA_FILE))? => Err(Error::new(
            ErrorKind::NotFound,
            format!("the directory `{shown}` has no tables in it (no file `{DATA_FILE}`)"),
        )),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("the directory `{shown}` does not exist");
            Err(Error::new(ErrorKind::NotFound, message))
        }
        Err(error) => Err(cannot("read", path, error)),
    }
}

/// Checks that only the directory itself is missing, unless its parents may be created too.
fn check_parents(path: &Path, create_parents: bool) -> Result<()> {
    match missing(path).as_slice() {
        [first, _, ..] if !create_parents => Err(Error::new(
            ErrorKind::NotFound,
            format!(
                "cannot create the directory `{}`: the directory `{}` above it does not exist",
                path.display(),
                first.display()
            ),
        )),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|error| cannot("read", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock::LOCK_FILE;

    fn entries(path: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = path.read_dir().unwrap().map(name);
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_creation_leaves_no_tables() {
        let parent = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        let mut held = Directory::hold(parent.path(), &options).unwrap();
        let full = |_| Err(Error::new(ErrorKind::Storage, "full").into());
        let error = held.data_file(full).unwrap_err().into_error(parent.path());
        assert_eq!(error.to_string(), "full");
        drop(held);
        assert_eq!(entries(parent.path()), [LOCK_FILE, NEW_DATA_FILE]);
        look_at(parent.path(), false).unwrap_err();
    }

    #[test]
    fn a_reader_creates_no_lock_file_and_respects_one() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join(DATA_FILE), "x").unwrap();
        let reading = Directory::hold_to_read(parent.path()).unwrap();
        assert_eq!(entries(parent.path()), [DATA_FILE]);
        // A handle for reading cannot be used for writing by mistake.
        let mut file = reading.data_file_to_read().unwrap();
        io::Write::write_all(&mut file, b"y").unwrap_err();
        let writing = Directory::hold(parent.path(), &EmbeddedOptions::new()).unwrap();
        let refused = Directory::hold_to_read(parent.path()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
        drop(writing);
        let _reading = Directory::hold_to_read(parent.path()).unwrap();
        let _both = Directory::hold_to_read(parent.path()).unwrap();
        let refused = Directory::hold(parent.path(), &EmbeddedOptions::new()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
    }
}
