//! The files of a directory, and its maps without the embedded table.

use std::path::{Path, PathBuf};

use fjall::{KeyspaceCreateOptions, Readable, SingleWriterTxDatabase};

/// Returns all files of a directory that have data, sorted.
pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false if path.metadata().unwrap().len() > 0 => files.push(path),
            false => {}
        }
    }
    files.sort();
    files
}

/// Copies a directory in the place of another one.
pub(super) fn copy(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).unwrap();
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, to).unwrap()),
        }
    }
}

/// An entry that is stored under a key in a map, or removed.
pub(super) type Change<'a> = (&'a str, &'a [u8], Option<&'a [u8]>);

/// Changes maps of a directory.
pub(super) fn change(directory: &Path, changes: &[Change<'_>]) {
    let engine = SingleWriterTxDatabase::builder(directory.join("fluo.tables")).open().unwrap();
    for (map, key, value) in changes {
        let map = engine.keyspace(map, KeyspaceCreateOptions::default).unwrap();
        match value {
            Some(value) => map.insert(*key, *value).unwrap(),
            None => map.remove(*key).unwrap(),
        }
    }
}

/// Returns the keys of a map.
pub(super) fn keys(directory: &Path, map: &str) -> Vec<Vec<u8>> {
    let engine = SingleWriterTxDatabase::builder(directory.join("fluo.tables")).open().unwrap();
    let map = engine.keyspace(map, KeyspaceCreateOptions::default).unwrap();
    engine.read_tx().iter(map).map(|entry| entry.key().unwrap().to_vec()).collect()
}
