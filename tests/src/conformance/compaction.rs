//! A8 during concurrent reads and writes.

use std::num::NonZeroU32;
use std::sync::Arc;

use fluo_table::{
    Column, Condition, Filter, Garbage, Mutation, Scan, Span, Table, TableAdmin, Versions,
};

use super::ground::{Ground, column};

/// Checks A8: scans during a compaction yield the same cells as before it, also of columns with
/// more versions than one step of a compaction may read.
pub async fn a8_a_running_compaction_changes_no_scan(tables: Arc<dyn TableAdmin>) {
    let two = Versions::Latest(NonZeroU32::new(2).unwrap());
    let ground = Ground::new(&tables, two).await;
    for (qualifier, deletes) in [("a", vec![]), ("b", vec![9_001, 7_000]), ("c", vec![8_999])] {
        write_long_column(&ground, column(qualifier), &deletes).await;
    }
    let looks = async || {
        let all = Scan::over(Span::all());
        let first = all.clone().filter(Filter::FirstOfRow);
        [ground.read(all).await, ground.read(first).await]
    };
    let before = looks().await;
    assert_eq!(before[0].len(), 3, "two versions of a, none of b, one of c");

    let (admin, name) = (tables.clone(), ground.name.clone());
    let compaction =
        tokio::spawn(async move { admin.compact(&name, &Span::all(), Garbage::Keep).await });
    while !compaction.is_finished() {
        assert_eq!(looks().await, before, "during a compaction");
        tokio::task::yield_now().await;
    }
    compaction.await.unwrap().unwrap();
    assert_eq!(looks().await, before, "after a compaction");
}

async fn write_long_column(ground: &Ground, column: Column, deletes: &[i64]) {
    let timestamps: Vec<i64> = (1..=9_000).collect();
    for timestamps in timestamps.chunks(1_000) {
        let put = |row: Mutation, &t: &i64| row.put_at(column.clone(), t, "v");
        let row = timestamps.iter().fold(Mutation::new("long"), put);
        ground.write(vec![row]).await;
    }
    for &delete in deletes {
        let row = Mutation::new("long").delete_at(column.clone(), delete);
        ground.write(vec![row]).await;
    }
}

/// Checks A6 and A8: writes during splits, merges and compactions of tablets are not lost.
pub async fn a8_no_write_is_lost_to_a_compaction(tables: Arc<dyn TableAdmin>) {
    const ROWS: usize = 60;
    let ground = Ground::new(&tables, Versions::default()).await;
    let writers: Vec<_> =
        (0..3).map(|writer| tokio::spawn(write_rows(ground.table.clone(), writer, ROWS))).collect();
    for _ in 0..4 {
        ground.add_splits(["0 020", "1", "2 050"]).await;
        tables.compact(&ground.name, &Span::all(), Garbage::Keep).await.unwrap();
        tables.merge(&ground.name, Some(b"0 020"), None).await.unwrap();
        tables.flush(&ground.name).await.unwrap();
    }
    for writer in writers {
        writer.await.unwrap();
    }
    tables.compact(&ground.name, &Span::all(), Garbage::Keep).await.unwrap();
    let shown = ground.all().await;
    assert_eq!(shown.len(), 3 * ROWS);
    for cell in shown {
        assert_eq!((cell.key.timestamp, &cell.value[..]), (3, &b"last"[..]), "{}", cell.key);
    }
}

/// Puts, deletes and puts each row again. The last put is conditional on the delete.
async fn write_rows(table: Arc<dyn Table>, writer: usize, rows: usize) {
    for n in 0..rows {
        let row = || Mutation::new(format!("{writer} {n:03}"));
        table.write(vec![row().put_at(column("q"), 1, "first")]).await.unwrap();
        table.write(vec![row().delete_at(column("q"), 2)]).await.unwrap();
        let last = row().put_at(column("q"), 3, "last");
        let last = vec![last.when(Condition::absent(column("q")))];
        let outcomes = table.write_conditional(last).await.unwrap();
        assert!(outcomes[0].is_accepted(), "{writer} {n}: {outcomes:?}");
    }
}
