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

use crate::made::{Made, sync_directory};

const DATA_FILE: &str = "fluo.redb";
const NEW_DATA_FILE: &str = "fluo.redb.new";
const LOCK_FILE: &str = "fluo.lock";

/// A directory that this process holds, until it is dropped. What was made in it, and it itself, is removed again
/// then, unless it is [kept](Directory::keep).
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// Before the lock, so that nobody else comes in before it is gone.
    made: Made,
    /// Never read: its lock is what keeps others out. None where there is none and nothing may be written.
    _lock: Option<File>,
}

impl Directory {
    /// Takes hold of a directory; makes it if it is not there and `create` says so.
    pub(crate) fn hold(path: &Path, create: bool) -> Result<Self> {
        let mut made = Made::default();
        match look_at(path, create) {
            Err(error) if error.kind() == ErrorKind::NotFound && create => made
                .directories(path, sync_directory)
                .map_err(|error| cannot("make", path, error))?,
            found => found?,
        }
        let lock = lock(path, &mut made)?;
        Ok(Self {
            path: path.to_owned(),
            made,
            _lock: Some(lock),
        })
    }

    /// Takes hold of a directory that is there, and writes nothing for it.
    ///
    /// Where there is no file for the lock, nobody has the directory open; the engine's own lock keeps out whoever
    /// opens it meanwhile.
    pub(crate) fn hold_to_read(path: &Path) -> Result<Self> {
        look_at(path, false)?;
        let lock_path = path.join(LOCK_FILE);
        let lock = match File::open(&lock_path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            opened => Some(opened.map_err(|error| cannot("open", &lock_path, error))?),
        };
        if let Some(lock) = &lock {
            locked(path, &lock_path, lock.try_lock_shared())?;
        }
        Ok(Self {
            path: path.to_owned(),
            made: Made::default(),
            _lock: lock,
        })
    }

    /// The directory's path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whatever was made stays.
    pub(crate) fn keep(&self) {
        self.made.keep();
    }

    /// Opens the file of the tables; makes it by `fill` if there is none.
    ///
    /// The file is made under another name and renamed when it is whole, so that a crash leaves no half of it.
    pub(crate) fn data_file(&mut self, fill: impl FnOnce(File) -> Result<()>) -> Result<File> {
        let path = self.path.join(DATA_FILE);
        if !exists(&path)? {
            self.make_data_file(&path, fill)?;
        }
        self.open_data_file(OpenOptions::new().read(true).write(true))
    }

    /// Opens the file of the tables for reading.
    pub(crate) fn data_file_to_read(&self) -> Result<File> {
        self.open_data_file(OpenOptions::new().read(true))
    }

    fn open_data_file(&self, options: &OpenOptions) -> Result<File> {
        let path = self.path.join(DATA_FILE);
        let file = options
            .open(&path)
            .map_err(|error| cannot("open", &path, error))?;
        match file.metadata() {
            Ok(found) if found.len() == 0 => Err(is_empty(&self.path)),
            Ok(_) => Ok(file),
            Err(error) => Err(cannot("read", &path, error)),
        }
    }

    fn make_data_file(&mut self, path: &Path, fill: impl FnOnce(File) -> Result<()>) -> Result<()> {
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
        match &made {
            Ok(()) => self.made.push(path),
            // The error that matters is the first one; what is left over here is replaced next time.
            Err(_) => drop(fs::remove_file(&new)),
        }
        made
    }
}

/// Whether there is a directory, with tables in it or one where they may be made.
fn look_at(path: &Path, create: bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => Err(is_a_file(path)),
        Ok(_) if !create && !exists(&path.join(DATA_FILE))? => Err(has_no_tables(path)),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(is_not_there(path)),
        Err(error) => Err(cannot("read", path, error)),
    }
}

fn lock(directory: &Path, made: &mut Made) -> Result<File> {
    let path = directory.join(LOCK_FILE);
    let open = |is_new| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(is_new)
            .create(true)
            .truncate(false)
            .open(&path)
    };
    loop {
        let (file, is_new) = match open(true) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (open(false), false),
            made => (made, true),
        };
        let file = file.map_err(|error| cannot("open", &path, error))?;
        locked(directory, &path, file.try_lock())?;
        // Whoever made it may have removed it between the two: a lock on it would keep nobody out. Each round
        // takes another process that failed in that instant.
        if is_at(&file, &path) {
            if is_new {
                made.push(&path);
            }
            return Ok(file);
        }
    }
}

fn locked(directory: &Path, path: &Path, result: Result<(), TryLockError>) -> Result<()> {
    match result {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            ErrorKind::Unavailable,
            format!(
                "the directory `{}` is held by another process or handle; close that one first",
                directory.display()
            ),
        )),
        Err(TryLockError::Error(error)) => Err(cannot("lock", path, error)),
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    match (file.metadata(), fs::metadata(path)) {
        (Ok(file), Ok(there)) => (file.dev(), file.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Elsewhere a file that is open is not removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn exists(path: &Path) -> Result<bool> {
    path.try_exists()
        .map_err(|error| cannot("read", path, error))
}

fn rename_durably(directory: &Path, from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to)
        .and_then(|()| sync_directory(directory))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(path: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = path.read_dir().unwrap().map(name);
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn fails(_: File) -> Result<()> {
        Err(Error::new(ErrorKind::Storage, "full"))
    }

    #[test]
    fn a_creation_that_failed_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let mut held = Directory::hold(&path, true).unwrap();
        assert_eq!(entries(&path), [LOCK_FILE]);
        assert_eq!(held.data_file(fails).unwrap_err().to_string(), "full");
        drop(held);
        assert_eq!(entries(parent.path()), [""; 0]);

        // Made whole, but what came next failed.
        let mut held = Directory::hold(&path, true).unwrap();
        let fill = |file: File| {
            file.set_len(1)
                .map_err(|error| cannot("write", &path, error))
        };
        held.data_file(fill).unwrap();
        drop(held);
        assert_eq!(entries(parent.path()), [""; 0]);

        let mut held = Directory::hold(&path, true).unwrap();
        held.data_file(fill).unwrap();
        held.keep();
        drop(held);
        assert_eq!(entries(&path), [LOCK_FILE, DATA_FILE]);
    }

    #[test]
    fn what_was_there_before_stays() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("other"), "").unwrap();
        let mut held = Directory::hold(parent.path(), true).unwrap();
        held.data_file(fails).unwrap_err();
        drop(held);
        assert_eq!(entries(parent.path()), ["other"]);
        fs::write(parent.path().join(LOCK_FILE), "").unwrap();
        let mut held = Directory::hold(parent.path(), true).unwrap();
        held.data_file(fails).unwrap_err();
        drop(held);
        assert_eq!(entries(parent.path()), [LOCK_FILE, "other"]);
    }

    #[test]
    fn who_reads_makes_no_lock_and_respects_one() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join(DATA_FILE), "x").unwrap();
        let reading = Directory::hold_to_read(parent.path()).unwrap();
        assert_eq!(entries(parent.path()), [DATA_FILE]);
        // What cannot be written cannot be opened by mistake either.
        let mut file = reading.data_file_to_read().unwrap();
        io::Write::write_all(&mut file, b"y").unwrap_err();
        let writing = Directory::hold(parent.path(), false).unwrap();
        let refused = Directory::hold_to_read(parent.path()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
        writing.keep();
        drop(writing);
        let _reading = Directory::hold_to_read(parent.path()).unwrap();
        let _both = Directory::hold_to_read(parent.path()).unwrap();
        let refused = Directory::hold(parent.path(), false).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
    }

    /// Whoever removed it may have let go of it just before somebody else locked it.
    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_file_that_was_removed_is_none() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join(LOCK_FILE);
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path));
        fs::remove_file(&path).unwrap();
        assert!(!is_at(&file, &path));
        fs::write(&path, "").unwrap();
        assert!(!is_at(&file, &path));
    }
}
