//! The directory: its files, its lock and its creation.
//!
//! ```text
//! <directory>/
//!   fluo.tables/      the files of the storage engine: the tables
//!   fluo.commits      the number of the last commit
//!   fluo.lock         locked by the process that has the directory open; names that process
//!   fluo.tables.new/  an unfinished creation; a leftover one is replaced
//!   fluo.damaged      exists while the tables are known to be damaged
//! ```

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fluo_table::{Error, ErrorKind, Result};

use crate::commits::{COMMITS_FILE, Commits};
use crate::durable_paths::{create_directories, missing, rename_durably, sync_directory};
use crate::error::{Failure, cannot};
use crate::lock::Lock;
use crate::mark;
use crate::options::EmbeddedOptions;

const TABLES: &str = "fluo.tables";
const NEW_TABLES: &str = "fluo.tables.new";
/// The file of the tables of builds with another storage engine.
const OLD_TABLES: &str = "fluo.redb";

/// A directory that this process holds until this is dropped.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// True if this process created the tables.
    is_new: bool,
    /// The identity and the absolute path of the files of the tables, once they are open.
    tables: OnceLock<(Metadata, PathBuf)>,
    /// The lock, which keeps other processes out; it is never read.
    _lock: Lock,
}

impl Directory {
    /// Locks a directory. If the options allow it, creates it if it is missing, and its tables with
    /// `fill` if there are none.
    ///
    /// The tables are created under another name and renamed when they are complete, so that a
    /// crash never leaves a part of them.
    pub(crate) fn hold(
        path: &Path,
        options: &EmbeddedOptions,
        fill: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let create = options.create_if_missing;
        match look_at(path, create) {
            Err(error) if error.kind() == ErrorKind::NotFound && create => {
                check_parents(path, options.create_parents)?;
                create_directories(&missing(path), sync_directory)
                    .map_err(|error| cannot("create", path, error))?;
            }
            found => found?,
        }
        let lock = Lock::exclusive(path, &options.program, options.http)?;
        // Another process may have deleted them since.
        look_at(path, create)?;
        let is_new = !exists(&path.join(TABLES))? && !is_lost(path)?;
        if is_new {
            make_tables(path, fill)?;
        }
        Ok(Self { path: path.to_owned(), is_new, tables: OnceLock::new(), _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks whether the tables were created when the directory was locked.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the path of the files of the tables, and remembers their identity.
    pub(crate) fn tables(&self) -> Result<PathBuf, Failure> {
        if is_lost(&self.path)? {
            return Err(Failure::damaged(format_args!("its `{TABLES}` is missing")));
        }
        let path = self.path.join(TABLES);
        let found = fs::metadata(&path).map_err(|error| cannot("read", &path, error))?;
        if !found.is_dir() {
            return Err(Error::invalid(format!("`{}` is not a directory", path.display())).into());
        }
        // The working directory may change while the tables are open.
        let absolute = std::path::absolute(&path).map_err(|error| cannot("read", &path, error))?;
        let _ = self.tables.set((found, absolute));
        Ok(path)
    }

    /// Checks that the files of the tables are still at their path: deleted files accept writes and
    /// lose them.
    pub(crate) fn check_in_place(&self) -> Result<()> {
        let Some((tables, path)) = self.tables.get() else {
            return Ok(());
        };
        match fs::metadata(path) {
            Ok(found) if is_same_file(&found, tables) => return Ok(()),
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
}

fn make_tables(
    directory: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (new, tables) = (directory.join(NEW_TABLES), directory.join(TABLES));
    let failed = |error| cannot("create", &tables, error);
    if exists(&new)? {
        // First, because it stands for tables that were complete.
        Commits::remove(directory).map_err(failed)?;
        fs::remove_dir_all(&new).map_err(|error| cannot("remove", &new, error))?;
    }
    fill(&new)?;
    sync_directory(directory).map_err(failed)?;
    // The mark is about tables that no longer exist.
    mark::remove(directory)
        .and_then(|()| Commits::create(directory))
        .and_then(|()| rename_durably(directory, &new, &tables))
        .map_err(failed)?;
    Ok(())
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

/// Checks whether a directory has lost its tables: the file beside them is there, and no creation
/// was interrupted. New tables in their place would hide the loss.
fn is_lost(path: &Path) -> Result<bool> {
    let has = |name| exists(&path.join(name));
    Ok(has(COMMITS_FILE)? && !has(NEW_TABLES)? && !has(TABLES)?)
}

/// Checks that the directory exists, and contains tables or may receive them.
fn look_at(path: &Path, create: bool) -> Result<()> {
    let shown = path.display();
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => Err(Error::invalid(format!(
            "`{shown}` is a file, but tables are stored in a directory; pass the directory, or another path"
        ))),
        Ok(_) if exists(&path.join(TABLES))? || is_lost(path)? => Ok(()),
        Ok(_) if exists(&path.join(OLD_TABLES))? => Err(Error::new(
            ErrorKind::Corrupt,
            format!(
                "the directory `{shown}` has tables of an older build in `{OLD_TABLES}`; load their rows elsewhere \
                 with `fluo table load`"
            ),
        )),
        Ok(_) if !create => Err(Error::new(
            ErrorKind::NotFound,
            format!("the directory `{shown}` has no tables in it (no `{TABLES}`)"),
        )),
        Ok(_) if has_other_files(path)? => Err(Error::invalid(format!(
            "the directory `{shown}` has other files and no tables; name an empty or a new directory"
        ))),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("the directory `{shown}` does not exist");
            Err(Error::new(ErrorKind::NotFound, message))
        }
        Err(error) => Err(cannot("read", path, error)),
    }
}

/// Checks whether a directory has files that neither a creation of tables left nor a file system
/// or another program hides.
fn has_other_files(path: &Path) -> Result<bool> {
    let failed = |error| cannot("read", path, error);
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.as_encoded_bytes();
        if !name.starts_with(b"fluo.") && !name.starts_with(b".") && name != b"lost+found" {
            return Ok(true);
        }
    }
    Ok(false)
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

    /// A wrong path, such as a home directory, gets no tables.
    #[test]
    fn makes_no_tables_among_other_files() {
        let parent = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        fs::write(parent.path().join("letter.txt"), "").unwrap();
        let error = Directory::hold(parent.path(), &options, |_| unreachable!()).unwrap_err();
        let expected = format!(
            "the directory `{}` has other files and no tables; name an empty or a new directory",
            parent.path().display()
        );
        assert_eq!(error.into_error(parent.path()).to_string(), expected);
        assert_eq!(entries(parent.path()), ["letter.txt"]);
    }

    #[test]
    fn a_failed_creation_leaves_no_tables() {
        let parent = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        let full = |new: &Path| {
            fs::create_dir(new)?;
            Err(Error::new(ErrorKind::Storage, "full").into())
        };
        for _ in 0..2 {
            let error = Directory::hold(parent.path(), &options, full).unwrap_err();
            assert_eq!(error.into_error(parent.path()).to_string(), "full");
            assert_eq!(entries(parent.path()), [LOCK_FILE, NEW_TABLES]);
            look_at(parent.path(), false).unwrap_err();
        }
    }

    /// A creation replaces what an interrupted one has left. If it is interrupted as well, the
    /// directory is not one that has lost its tables.
    #[test]
    fn a_creation_that_follows_an_interrupted_one_may_fail() {
        let parent = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        fs::create_dir(parent.path().join(NEW_TABLES)).unwrap();
        Commits::create(parent.path()).unwrap();
        let full = |_: &Path| Err(Error::new(ErrorKind::Storage, "full").into());
        for _ in 0..2 {
            let error = Directory::hold(parent.path(), &options, full).unwrap_err();
            assert_eq!(error.into_error(parent.path()).to_string(), "full");
            assert_eq!(entries(parent.path()), [LOCK_FILE]);
        }
    }
}
