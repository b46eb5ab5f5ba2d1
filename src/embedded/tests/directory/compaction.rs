//! A compaction drops invisible entries in steps. Neither an interruption nor a concurrent write
//! changes the result of a scan.

use std::num::NonZeroU32;
use std::path::Path;
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
