//! Recorded transactions on a table in memory.

use std::num::NonZeroUsize;

use fluo_engine::{
    Cell, Client, Column, ErrorKind, Instance, InstanceExt, OwnedTransaction, RowColumn, Span,
};
use fluo_table::Scan;
use fluo_table::coordination::{ObservedColumn, ObserverKind};
use futures::stream::TryStreamExt;

use super::*;
use crate::TypedColumn;

fn column(family: &'static str, qualifier: &'static str) -> Column {
    Column::new(family, qualifier)
}

fn position(row: &'static str, family: &'static str) -> RowColumn {
    RowColumn::new(row, column(family, ""))
}

/// Returns an application whose rows `r1` to `r4` have the cell `cf:` = `v1` to `v4`.
async fn client() -> Client {
    let observed = ObservedColumn::new(column("cf", "weak"), ObserverKind::Weak, "w");
    let web = Instance::in_memory().application("web");
    let client = web.observed_columns([observed]).create().await.unwrap();
    let rows = [("r1", "v1"), ("r2", "v2"), ("r3", "v3"), ("r4", "v4")];
    let fill = client.run(async |tx| {
        rows.iter().try_for_each(|(row, value)| tx.set(*row, &column("cf", ""), *value))
    });
    fill.await.unwrap();
    client
}

async fn begin() -> OwnedTransaction {
    client().await.begin().await.unwrap()
}

fn lines(log: &TxLog) -> Vec<String> {
    log.entries.iter().map(ToString::to_string).collect()
}

/// Returns the lines of the log so far.
fn logged(recorded: &RecordedTransaction) -> Vec<String> {
    lines(&recorded.recorder.log())
}

#[tokio::test]
async fn logs_the_bytes_of_typed_columns() {
    const VISITS: TypedColumn<u64> = TypedColumn::new("page", "visits");
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    recorded.set("r5", &VISITS, 7).unwrap();
    assert_eq!(logged(&recorded), ["set r5 page:visits = 7"]);
    let error = recorded.get("r1", &TypedColumn::<u64>::new("cf", "")).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Corrupt);
    let locked = recorded.with_read_lock();
    assert_eq!(locked.get("r9", &VISITS).await.unwrap(), None);
}

#[tokio::test]
async fn logs_each_operation_in_order() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    recorded.set("r1", &column("cf1", ""), "v1").unwrap();
    recorded.set("r2", &column("cf2", "cq2"), "v2").unwrap();
    recorded.delete("r3", &column("cf3", "")).unwrap();
    let read = recorded.get("r4", &column("cf", "")).await.unwrap();
    assert_eq!(read.as_deref(), Some(&b"v4"[..]));
    assert_eq!(recorded.start(), tx.start());

    let log = recorded.finish();
    assert_eq!(
        lines(&log),
        ["set r1 cf1: = v1", "set r2 cf2:cq2 = v2", "delete r3 cf3:", "get r4 cf: = v4"]
    );
    let (read, set) = (log.gets().collect::<Vec<_>>(), log.sets().collect::<Vec<_>>());
    assert_eq!(read, [(&position("r4", "cf"), &"v4".into())]);
    let second = RowColumn::new("r2", column("cf2", "cq2"));
    assert_eq!(set, [(&position("r1", "cf1"), &"v1".into()), (&second, &"v2".into())]);
    assert!(log.deletes().eq([&position("r3", "cf3")]));
}

#[tokio::test]
async fn writes_of_a_recording_are_committed() {
    let client = client().await;
    let tx = client.begin().await.unwrap();
    let recorded = RecordedTransaction::new(&tx);
    recorded.set("r1", &column("cf", ""), "new").unwrap();
    recorded.delete("r2", &column("cf", "")).unwrap();
    drop(recorded);
    tx.commit().await.unwrap();
    let now = client.snapshot().await.unwrap();
    let value = now.get("r1", &column("cf", "")).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"new"[..]));
    assert_eq!(now.get("r2", &column("cf", "")).await.unwrap(), None);
}

/// The Java recorder logs a write before the transaction checks it.
#[tokio::test]
async fn does_not_log_a_write_that_failed() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    let cf = column("cf", "");
    recorded.set("r1", &cf, "first").unwrap();
    for again in [recorded.set("r1", &cf, "second"), recorded.delete("r1", &cf)] {
        assert_eq!(again.unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(lines(&recorded.finish()), ["set r1 cf: = first"]);
}

#[tokio::test]
async fn does_not_log_a_read_that_failed_or_found_nothing() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    let (cf, absent) = (column("cf", ""), column("absent", ""));
    assert_eq!(recorded.get("r1", &absent).await.unwrap(), None);
    let none = recorded.get_columns("r1", [&absent]).await.unwrap();
    assert!(none.is_empty());
    assert!(recorded.get_many([]).await.unwrap().is_empty());
    assert!(recorded.row("r9").await.unwrap().is_empty());
    assert!(recorded.get("", &cf).await.is_err());
    assert!(recorded.finish().entries.is_empty());
}

#[tokio::test]
async fn logs_each_value_of_a_read_of_several_cells() {
    let tx = begin().await;
    let [cf, absent] = ["cf", "absent"].map(|family| column(family, ""));
    let recorded = RecordedTransaction::new(&tx);
    recorded.get_columns("r1", [&cf, &absent]).await.unwrap();
    let cells = ["r2", "r9"].map(|row| position(row, "cf"));
    recorded.get_many(cells).await.unwrap();
    let cells = ["r4", "r9", "r3"].map(|row| position(row, "cf"));
    recorded.get_many(cells).await.unwrap();
    recorded.row("r1").await.unwrap();
    recorded.get_cell("r2", &cf).await.unwrap();
    assert_eq!(
        lines(&recorded.finish()),
        [
            "get r1 cf: = v1",
            "get r2 cf: = v2",
            "get r3 cf: = v3",
            "get r4 cf: = v4",
            "get r1 cf: = v1",
            "get r2 cf: = v2",
        ]
    );
}

#[tokio::test]
async fn a_scan_logs_a_batch_when_it_is_received() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    let scan = Scan::over(Span::all()).batch_cells(NonZeroUsize::new(2).unwrap());
    let mut batches = recorded.scan(scan);
    assert_eq!(logged(&recorded), [""; 0]);
    let first = batches.try_next().await.unwrap().unwrap();
    assert_eq!(first.len(), 2);
    drop(batches);
    assert_eq!(logged(&recorded), ["get r1 cf: = v1", "get r2 cf: = v2"]);

    let all: Vec<Cell> = recorded.scan_prefix("r3", []).try_concat().await.unwrap();
    assert_eq!(all.len(), 1);
    let log = recorded.finish();
    assert_eq!(lines(&log).last().unwrap(), "get r3 cf: = v3");
    assert_eq!(log.gets().count(), 3);
}

#[tokio::test]
async fn an_operation_is_logged_if_all_filters_accept_it() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx)
        .filter(|entry| entry.cell().column.family == "cfa")
        .filter(|entry| entry.cell().row != "r4");
    for (row, family, value) in
        [("r1", "cfa", "1"), ("r2", "cfb", "2"), ("r3", "cfa", "3"), ("r4", "cfa", "4")]
    {
        recorded.set(row, &column(family, ""), value).unwrap();
    }
    assert_eq!(lines(&recorded.finish()), ["set r1 cfa: = 1", "set r3 cfa: = 3"]);
}

#[tokio::test]
async fn locked_reads_are_logged_and_lock() {
    let client = client().await;
    let cf = column("cf", "");
    let tx = client.begin().await.unwrap();
    let recorded = RecordedTransaction::new(&tx);
    let locked = recorded.with_read_lock();
    locked.get("r1", &cf).await.unwrap();
    locked.get_columns("r2", [&cf]).await.unwrap();
    locked.get_many([position("r3", "cf")]).await.unwrap();
    assert_eq!(locked.get("r9", &cf).await.unwrap(), None);
    recorded.set("r5", &cf, "v5").unwrap();
    assert_eq!(
        lines(&recorded.finish()),
        ["get r1 cf: = v1", "get r2 cf: = v2", "get r3 cf: = v3", "set r5 cf: = v5"]
    );
    client.run(async |tx| tx.set("r3", &cf, "new")).await.unwrap();
    assert!(tx.commit().await.is_err(), "`r3` was read under a lock");
}

#[tokio::test]
async fn forwards_a_notification_without_logging_it() {
    let tx = begin().await;
    let recorded = RecordedTransaction::new(&tx);
    recorded.notify("r1", &column("cf", "weak")).unwrap();
    let error = recorded.notify("r1", &column("cf", "")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(recorded.finish().entries.is_empty());
}
