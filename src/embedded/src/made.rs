//! What was made for a directory that is being opened, and what becomes of it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Files and directories that were made. Those that are not [kept](Made::keep) are removed again.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// In the order in which they were made.
    paths: Vec<PathBuf>,
    is_kept: AtomicBool,
}

impl Made {
    pub(crate) fn push(&mut self, path: &Path) {
        self.paths.push(path.to_owned());
    }

    /// Whatever was made stays.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Release);
    }

    /// Makes a directory and those above it that are missing, so that a loss of power does not take them: a new
    /// directory is durable once the one above it was synced.
    pub(crate) fn directories(
        &mut self,
        path: &Path,
        mut sync: impl FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        for directory in missing(path) {
            match fs::create_dir(directory) {
                Ok(()) => self.push(directory),
                // Somebody else made it meanwhile.
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
            // What cannot be removed stays; a directory that somebody else uses meanwhile is not empty.
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

fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing above a new directory was synced once: a loss of power could take it with all that was acknowledged.
    #[test]
    fn the_directory_above_each_new_one_is_synced() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b/c");
        let mut synced = Vec::new();
        let mut made = Made::default();
        let sync = |directory: &Path| {
            // What is to be made durable is there already.
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
        made.directories(&path, |_| panic!("nothing is made, nothing is synced"))
            .unwrap();
        drop(made);
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_is_kept_or_used_stays() {
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
    fn the_one_above_a_bare_name_is_the_working_directory() {
        assert_eq!(above(Path::new("tables")), Path::new("."));
        assert_eq!(above(Path::new("a/tables")), Path::new("a"));
    }
}
