//! The files and directories that were created for a directory that is being opened.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A guard of created files and directories. Removes them on drop unless they are
/// [kept](Made::keep).
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The paths in the order of their creation.
    paths: Vec<PathBuf>,
    is_kept: AtomicBool,
}

impl Made {
    pub(crate) fn push(&mut self, path: &Path) {
        self.paths.push(path.to_owned());
    }

    /// Keeps the created files and directories.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Release);
    }

    /// Creates a directory and its missing parents, durably: a new directory survives a power
    /// failure once its parent was synced.
    pub(crate) fn directories(
        &mut self,
        path: &Path,
        mut sync: impl FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        for directory in missing(path) {
            match fs::create_dir(directory) {
                Ok(()) => self.push(directory),
                // Another process created it in the meantime.
                Err(_) if directory.is_dir() => {}
                Err(error) => return Err(error),
            }
            sync(above(directory))?;
        }
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if *self.is_kept.get_mut() {
            return;
        }
        for path in self.paths.iter().rev() {
            // Ignore a path that cannot be removed: a directory that another process uses by now is
            // not empty.
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
        }
    }
}

/// Returns the directories of a path that do not exist: the topmost first, the path itself last.
pub(crate) fn missing(path: &Path) -> Vec<&Path> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let mut missing: Vec<_> = path.ancestors().take_while(is_missing).collect();
    missing.reverse();
    missing
}

/// Makes the entries of a directory durable.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Renames a file within a directory, durably: a power failure does not undo it.
pub(crate) fn rename_durably(directory: &Path, from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to).and_then(|()| sync_directory(directory))
}

fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parent of a new directory was once not synced: a power failure could lose the directory
    /// with all acknowledged data.
    #[test]
    fn syncs_the_parent_of_each_new_directory() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b/c");
        let mut synced = Vec::new();
        let mut made = Made::default();
        let sync = |directory: &Path| {
            // The entry to make durable exists already.
            assert!(directory.read_dir().unwrap().next().is_some());
            synced.push(directory.to_owned());
            sync_directory(directory)
        };
        made.directories(&path, sync).unwrap();
        let above = [
            parent.path().to_owned(),
            parent.path().join("a"),
            parent.path().join("a/b"),
        ];
        assert_eq!(synced, above);
        made.directories(&path, |_| {
            panic!("nothing is created, so nothing is synced")
        })
        .unwrap();
        drop(made);
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn paths_that_are_kept_or_used_stay() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let mut used = Made::default();
        used.directories(&path, sync_directory).unwrap();
        let mut kept = Made::default();
        kept.directories(&path.join("c"), sync_directory).unwrap();
        kept.keep();
        drop((kept, used));
        assert!(path.join("c").is_dir());
    }

    #[test]
    fn the_parent_of_a_bare_name_is_the_working_directory() {
        assert_eq!(above(Path::new("tables")), Path::new("."));
        assert_eq!(above(Path::new("a/tables")), Path::new("a"));
    }
}
