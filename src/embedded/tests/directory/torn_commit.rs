//! The last commit of the log lacks a sector inside of a long value. A commit that was not synced
//! before a loss of power may end like that, and the next opening drops it. If it was acknowledged,
//! or the log has another damage, the directory is refused.
//!
//! The storage engine once refused such a directory, although no acknowledged write was lost.

use std::path::{Path, PathBuf};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Bytes, Column, ErrorKind, Mutation, Scan, Span, TableAdmin, Versions,
};

use super::files::files;

const SECTOR: usize = 512;

/// Returns a value of some sectors that the engine does not compress.
fn noise(row: &str) -> Vec<u8> {
    let mut dice = fastrand::Rng::with_seed(row.bytes().map(u64::from).sum());
    (0..3_000).map(|_| dice.u8(..)).collect()
}

async fn write(tables: &EmbeddedTables, row: &'static str, value: Vec<u8>) {
    let pages = tables.open_table("pages", Authorizations::none()).await.unwrap();
    pages.write(vec![Mutation::new(row).put(Column::new("f", "q"), value)]).await.unwrap();
}

async fn rows(tables: &EmbeddedTables) -> Vec<Bytes> {
    let pages = tables.open_table("pages", Authorizations::none()).await.unwrap();
    let cells = pages.read(Scan::over(Span::all())).await.unwrap();
    cells.into_iter().map(|cell| cell.key.row).collect()
}

/// Creates a directory with three commits of a row each.
async fn make(directory: &Path) {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options).unwrap();
    tables.create_table("pages", Versions::default()).await.unwrap();
    for row in ["a", "b", "c"] {
        write(&tables, row, noise(row)).await;
    }
}

/// Returns the logs of a directory in their order.
fn logs(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_log = |path: &PathBuf| path.extension().is_some_and(|end| end == "jnl");
    files(&directory.join("fluo.tables")).into_iter().filter(is_log)
}

/// Changes the first log of a directory.
fn change_log(directory: &Path, change: impl FnOnce(&mut [u8])) {
    let log = logs(directory).next().unwrap();
    let mut bytes = std::fs::read(&log).unwrap();
    change(&mut bytes);
    std::fs::write(log, bytes).unwrap();
}

/// Returns the position of the first sector that has only bytes of a row's value.
fn sector_of(row: &str, log: &[u8]) -> usize {
    let value = log.windows(16).position(|bytes| bytes == &noise(row)[..16]).unwrap();
    value.next_multiple_of(SECTOR)
}

fn lose_sector(row: &str, log: &mut [u8]) {
    let start = sector_of(row, log);
    log[start..start + SECTOR].fill(0);
}

fn flip_bit(row: &str, log: &mut [u8]) {
    let at = sector_of(row, log);
    log[at] ^= 1;
}

/// Makes the last commit one that was not acknowledged. After a loss of power, the file may be
/// older than that, because it is not synced.
fn acknowledge_one_less(directory: &Path) {
    let path = directory.join("fluo.commits");
    let number = u64::from_be_bytes(*std::fs::read(&path).unwrap().first_chunk().unwrap()) - 1;
    std::fs::write(path, [number.to_be_bytes(), (!number).to_be_bytes()].concat()).unwrap();
}

fn assert_refused(directory: &Path, finding: &str) {
    let shown = directory.display();
    let expected = format!("the directory `{shown}` is damaged: {finding}; restore it from a copy");
    let opened = EmbeddedTables::open(directory, EmbeddedOptions::new()).map(drop);
    for result in [opened, EmbeddedTables::check(directory).map(drop)] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn a_torn_commit_that_was_not_acknowledged_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    make(directory).await;
    change_log(directory, |log| lose_sector("c", log));
    acknowledge_one_less(directory);
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap();
    assert_eq!(rows(&tables).await, ["a", "b"]);
    write(&tables, "d", noise("d")).await;
    drop(tables);
    assert_eq!(EmbeddedTables::check(directory).unwrap().entries, 3);
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap();
    assert_eq!(rows(&tables).await, ["a", "b", "d"]);
}

#[tokio::test]
async fn a_torn_commit_that_was_acknowledged_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path()).await;
    change_log(directory.path(), |log| lose_sector("c", log));
    assert_refused(directory.path(), "its last commit is 3, but 4 was acknowledged");
}

/// Checks that a directory is refused although no acknowledged commit is known, and that its logs
/// stay.
fn assert_refused_unchanged(directory: &Path) {
    acknowledge_one_less(directory);
    let read = || -> Vec<_> { logs(directory).map(|log| std::fs::read(log).unwrap()).collect() };
    let before = read();
    assert_refused(directory, "the log of the last writes is damaged");
    assert!(read() == before);
}

#[tokio::test]
async fn other_damage_of_the_log_is_refused() {
    let damages: [fn(&mut [u8]); 3] = [
        |log| flip_bit("c", log),
        |log| lose_sector("b", log),
        |log| {
            flip_bit("a", log);
            lose_sector("c", log);
        },
    ];
    for damage in damages {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path()).await;
        change_log(directory.path(), damage);
        assert_refused_unchanged(directory.path());
    }
}

/// The last commit is intact, and looks as if it had lost a sector.
#[tokio::test]
async fn damage_of_an_earlier_log_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    make(directory).await;
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap();
    write(&tables, "zeros", vec![0; 3_000]).await;
    drop(tables);
    let log = logs(directory).next().unwrap();
    std::fs::copy(&log, log.with_file_name("9.jnl")).unwrap();
    change_log(directory, |log| flip_bit("a", log));
    assert_refused_unchanged(directory);
}
