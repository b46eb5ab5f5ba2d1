//! The directory: what is in it, who holds it, how it comes to be.
//!
//! ```text
//! <directory>/
//!   fluo.redb       the tables
//!   fluo.lock       empty; locked by whoever has the directory open
//!   fluo.redb.new   a file of tables in the making; one that is left over is replaced
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use fluo_core::{Error, ErrorKind, Result};

const DATA_FILE: &str = "fluo.redb";
const NEW_DATA_FILE: &str = "fluo.redb.new";
const LOCK_FILE: &str = "fluo.lock";

/// A directory that this process holds, until it is dropped.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// Never read: its lock is what keeps others out.
    _lock: File,
}

impl Directory {
    /// Takes hold of a directory; makes it if it is not there and `create` says so.
    pub(crate) fn hold(path: &Path, create: bool) -> Result<Self> {
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => return Err(is_a_file(path)),
            Ok(_) if !create && !exists(&path.join(DATA_FILE))? => return Err(has_no_tables(path)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && create => {
                fs::create_dir_all(path).map_err(|error| cannot("make", path, error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(is_not_there(path));
            }
            Err(error) => return Err(cannot("read", path, error)),
        }
        let lock = lock(path)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// The directory's path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file of the tables; makes it by `fill` if there is none.
    ///
    /// The file is made under another name and renamed when it is whole, so that a crash leaves no half of it.
    pub(crate) fn data_file(&self, fill: impl FnOnce(File) -> Result<()>) -> Result<File> {
        let path = self.path.join(DATA_FILE);
        if !exists(&path)? {
            self.make_data_file(&path, fill)?;
        }
        let file = open_for_both(&path).map_err(|error| cannot("open", &path, error))?;
        match file.metadata() {
            Ok(found) if found.len() == 0 => Err(is_empty(&self.path)),
            Ok(_) => Ok(file),
            Err(error) => Err(cannot("read", &path, error)),
        }
    }

    fn make_data_file(&self, path: &Path, fill: impl FnOnce(File) -> Result<()>) -> Result<()> {
        let new = self.path.join(NEW_DATA_FILE);
        let made = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&new)
            .map_err(|error| cannot("make", &new, error))
            .and_then(fill)
            .and_then(|()| rename_durably(&self.path, &new, path));
        if made.is_err() {
            // The error that matters is the first one; what is left over here is replaced next time.
            let _ = fs::remove_file(&new);
        }
        made
    }
}

fn lock(directory: &Path) -> Result<File> {
    let path = directory.join(LOCK_FILE);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| cannot("open", &path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            ErrorKind::Unavailable,
            format!(
                "the directory `{}` is held by another process or handle; close that one first",
                directory.display()
            ),
        )),
        Err(TryLockError::Error(error)) => Err(cannot("lock", &path, error)),
    }
}

fn open_for_both(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

fn exists(path: &Path) -> Result<bool> {
    path.try_exists()
        .map_err(|error| cannot("read", path, error))
}

fn rename_durably(directory: &Path, from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to)
        .and_then(|()| File::open(directory)?.sync_all())
        .map_err(|error| cannot("make", to, error))
}

fn cannot(what: &str, path: &Path, error: io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        io::ErrorKind::NotADirectory => ErrorKind::Invalid,
        _ => ErrorKind::Storage,
    };
    let message = format!("cannot {what} `{}`: {error}", path.display());
    Error::with_source(kind, message, error)
}

fn is_a_file(path: &Path) -> Error {
    Error::invalid(format!(
        "`{}` is a file; the tables are kept in a directory: name the directory, or another path",
        path.display()
    ))
}

fn is_not_there(path: &Path) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there is no directory `{}`; name the directory of the tables, or ask for it to be made",
            path.display()
        ),
    )
}

fn has_no_tables(path: &Path) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there are no tables in the directory `{}` (no file `{DATA_FILE}`); name the directory of the \
             tables, or ask for them to be made there",
            path.display()
        ),
    )
}

fn is_empty(path: &Path) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "the directory `{}` is damaged: its `{DATA_FILE}` is empty; restore it from a copy",
            path.display()
        ),
    )
}
