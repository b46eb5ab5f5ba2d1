//! Changes of directories that survive a power failure.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates directories, the topmost first. A new directory survives a power failure once its
/// parent was synced.
pub(crate) fn create_directories(
    missing: &[&Path],
    mut sync: impl FnMut(&Path) -> io::Result<()>,
) -> io::Result<()> {
    for directory in missing {
        match fs::create_dir(directory) {
            // Another process created it in the meantime.
            Err(_) if directory.is_dir() => {}
            created => created?,
        }
        sync(above(directory))?;
    }
    Ok(())
}

/// Returns the directories of a path that do not exist: the topmost first, the path itself last.
pub(crate) fn missing(path: &Path) -> Vec<&Path> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let mut missing: Vec<_> = path.ancestors().take_while(is_missing).collect();
    missing.reverse();
    missing
}

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
        let path = parent.path().join("a/b");
        let mut synced = Vec::new();
        let sync = |directory: &Path| {
            // The entry to make durable exists already.
            assert!(directory.read_dir().unwrap().next().is_some());
            synced.push(directory.to_owned());
            sync_directory(directory)
        };
        create_directories(&missing(&path), sync).unwrap();
        assert_eq!(synced, [parent.path().to_owned(), parent.path().join("a")]);
        assert!(missing(&path).is_empty());
        assert_eq!(above(Path::new("tables")), Path::new("."));
    }
}
