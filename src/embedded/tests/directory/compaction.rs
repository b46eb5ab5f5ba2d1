//! A compaction drops invisible entries in steps. Neither an interruption nor a concurrent write
//! changes the result of a scan.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Cell, Column, Garbage, Mutation, Result, Scan, Span, Table, TableAdmin,
    Versions,
};

/// Number of versions in one column: more than several steps inspect.
const VERSIONS: i64 = 40_000;
/// Timestamp at and below which all versions are deleted.
const DELETED_UP_TO: i64 = 30_000;

fn column() -> Column {
    Column::new("f", "q")
}

async fn open(directory: &Path, versions: Versions) -> Result<(EmbeddedTables, Arc<dyn Table>)> {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options)?;
    if tables.tables().await?.is_empty() {
        tables.create_table("t", versions).await?;
    }
    let table = tables.open_table("t", Authorizations::none()).await?;
    Ok((tables, table))
}

/// Writes a row with many versions and two delete markers, a row before it, and a row after it.
async fn load(table: &dyn Table) -> Result<()> {
    let put =
        |row: &'static str, timestamp: i64| Mutation::new(row).put_at(column(), timestamp, "v");
    let versions = (0..VERSIONS).map(|timestamp| put("many", timestamp)).collect();
    table.write(versions).await?;
    let marker = Mutation::new("many").delete_at(column(), DELETED_UP_TO);
    let older = Mutation::new("many").delete_at(column(), 20_000);
    table.write(vec![marker, older, put("a", 1), put("z", 1)]).await
}

async fn all(table: &dyn Table) -> Result<Vec<Cell>> {
    table.read(Scan::over(Span::all())).await
}

async fn entries(tables: &EmbeddedTables) -> Result<u64> {
    Ok(tables.tablets("t").await?.entries())
}

#[tokio::test]
async fn drops_exactly_the_invisible_entries() {
    for (versions, left) in
        [(Versions::All, 9_999 + 2), (Versions::Latest(NonZeroU32::new(3).unwrap()), 3 + 2)]
    {
        let directory = tempfile::tempdir().unwrap();
        let (tables, table) = open(directory.path(), versions).await.unwrap();
        load(&*table).await.unwrap();
        let before = all(&*table).await.unwrap();
        assert_eq!(entries(&tables).await.unwrap(), 40_004);
        tables.compact("t", &Span::all(), Garbage::Keep).await.unwrap();
        assert_eq!(all(&*table).await.unwrap(), before);
        assert_eq!(entries(&tables).await.unwrap(), left);
        drop((tables, table));
        assert_eq!(EmbeddedTables::check(directory.path()).unwrap().entries, left);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_compaction_changes_no_scan() {
    let directory = tempfile::tempdir().unwrap();
    let (tables, table) = open(directory.path(), Versions::All).await.unwrap();
    load(&*table).await.unwrap();
    let before = all(&*table).await.unwrap();
    let mut counts = vec![entries(&tables).await.unwrap()];
    // The patience grows until a compaction finishes.
    for round in 0.. {
        let span = Span::row("many");
        let compaction = tables.compact("t", &span, Garbage::Keep);
        let patience = Duration::from_millis(2 * round);
        let finished = tokio::time::timeout(patience, compaction).await.is_ok();
        assert_eq!(all(&*table).await.unwrap(), before);
        counts.push(entries(&tables).await.unwrap());
        if finished {
            break;
        }
    }
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    assert_eq!(counts.last(), Some(&10_001));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_below_a_marker_stays_hidden_or_stays_visible() {
    let directory = tempfile::tempdir().unwrap();
    let (tables, table) = open(directory.path(), Versions::All).await.unwrap();
    load(&*table).await.unwrap();
    let before = all(&*table).await.unwrap();
    let compaction = {
        let tables = tables.clone();
        tokio::spawn(async move { tables.compact("t", &Span::all(), Garbage::Keep).await })
    };
    // The marker hides each write, unless the compaction has already dropped the marker. A cell
    // that a scan has shown stays visible, and a hidden cell stays hidden.
    let mut shown = Vec::new();
    for timestamp in 0..150 {
        let late = Mutation::new("many").put_at(column(), DELETED_UP_TO - timestamp, "late");
        table.write(vec![late]).await.unwrap();
        let seen = late_ones(&*table).await.unwrap();
        let is_shown = seen.contains(&(DELETED_UP_TO - timestamp));
        if is_shown {
            shown.push(DELETED_UP_TO - timestamp);
        }
        assert_eq!(seen, shown, "{timestamp}");
    }
    compaction.await.unwrap().unwrap();
    assert_eq!(late_ones(&*table).await.unwrap(), shown);
    let others: Vec<_> =
        all(&*table).await.unwrap().into_iter().filter(|cell| cell.value != "late").collect();
    assert_eq!(others, before);
}

async fn late_ones(table: &dyn Table) -> Result<Vec<i64>> {
    let start = fluo_table::Key::new("many", column(), DELETED_UP_TO);
    let cells = table.read(Scan::over(Span::between(start, None))).await?;
    let late = cells.into_iter().filter(|cell| cell.value == "late");
    Ok(late.map(|cell| cell.key.timestamp).collect())
}

/// Returns the large files of a directory.
fn large_files(directory: &Path) -> BTreeSet<PathBuf> {
    let files = walk(directory).into_iter();
    files.filter(|file| file.metadata().unwrap().len() >= 1 << 20).collect()
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// The removed entries of both maps counted together: a collection of notifications rewrote all
/// files of a table.
#[tokio::test]
async fn rewrites_no_file_of_a_table_of_which_only_notifications_were_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let (tables, table) = open(directory.path(), Versions::All).await.unwrap();
    let noise = |seed| -> Vec<u8> {
        let mut dice = fastrand::Rng::with_seed(seed);
        std::iter::repeat_with(|| dice.u8(..)).take(100_000).collect()
    };
    let rows: Vec<_> = (0..40).map(|row| format!("row-{row:02}")).collect();
    let put =
        |(row, seed): (&String, u64)| Mutation::new(row.clone()).put_at(column(), 1, noise(seed));
    table.write(rows.iter().zip(0..).map(put).collect()).await.unwrap();
    let delete = |row: &String, column: Column| Mutation::new(row.clone()).delete_at(column, 2);
    let deleted = rows.iter().take(20).map(|row| delete(row, column())).collect();
    table.write(deleted).await.unwrap();
    tables.compact("t", &Span::all(), Garbage::Keep).await.unwrap();
    let before = large_files(directory.path());
    assert!(!before.is_empty());

    let notification = Column::new("ntfy", "f\0q");
    let notify = |row: &String| Mutation::new(row.clone()).put_at(notification.clone(), 1, "");
    table.write(rows.iter().map(notify).collect()).await.unwrap();
    let acknowledged = rows.iter().map(|row| delete(row, notification.clone()));
    table.write(acknowledged.collect()).await.unwrap();
    assert_eq!(entries(&tables).await.unwrap(), 20 + 80);
    tables.compact("t", &Span::all(), Garbage::Keep).await.unwrap();
    assert_eq!(entries(&tables).await.unwrap(), 20);
    let after = large_files(directory.path());
    assert!(after.is_subset(&before), "{after:?} after {before:?}");
}
