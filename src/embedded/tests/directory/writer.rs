//! The writer: many callers, cancelled callers, runtimes with one thread, no runtime, and time
//! across restarts.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Clock, Column, Condition, ErrorKind, Garbage, Mutation, Result, Scan, Span,
    Table, TableAdmin, Versions, counted,
};
use futures::FutureExt;
use futures::future::{join_all, try_join_all};

use super::HeldClock;

fn column() -> Column {
    Column::new("page", "uri")
}

fn put(row: impl Into<fluo_table::Bytes>) -> Mutation {
    Mutation::new(row).put(column(), "v")
}

async fn open(
    directory: &Path,
    options: EmbeddedOptions,
) -> Result<(EmbeddedTables, Arc<dyn Table>)> {
    let tables = EmbeddedTables::open(directory, options.create_if_missing(true))?;
    if tables.tables().await?.is_empty() {
        tables.create_table("t", Versions::All).await?;
    }
    let table = tables.open_table("t", Authorizations::none()).await?;
    Ok((tables, table))
}

#[tokio::test]
async fn one_of_many_concurrent_claims_of_a_row_succeeds() {
    let directory = tempfile::tempdir().unwrap();
    let (_tables, table) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    let claim = |_| table.write_conditional(vec![put("r").when(Condition::absent(column()))]);
    let outcomes = try_join_all((0..100).map(claim)).await.unwrap();
    assert_eq!(outcomes.iter().flatten().filter(|outcome| outcome.is_accepted()).count(), 1);
    assert_eq!(outcomes.iter().flatten().filter(|outcome| outcome.is_rejected()).count(), 99);
}

#[tokio::test]
async fn a_small_queue_accepts_all_calls_in_turn() {
    let directory = tempfile::tempdir().unwrap();
    let small = EmbeddedOptions::new().max_queued_mutations(3);
    let (_tables, table) = open(directory.path(), small).await.unwrap();
    // Calls of one to seven rows: some are larger than the queue.
    let call = |number: usize| {
        table.write((0..=number % 7).map(|row| put(format!("{number}-{row}"))).collect())
    };
    try_join_all((0..70).map(call)).await.unwrap();
    assert_eq!(table.read(Scan::over(Span::all())).await.unwrap().len(), 280);
}

#[tokio::test]
async fn a_cancelled_write_disturbs_no_other_call() {
    let directory = tempfile::tempdir().unwrap();
    let small = EmbeddedOptions::new().max_queued_mutations(8);
    let (tables, table) = open(directory.path(), small).await.unwrap();
    for round in 0..300 {
        let left = (0..20).map(|row| table.write(vec![put(format!("left-{round}-{row}"))]));
        let leaving = tokio::time::timeout(Duration::from_micros(round % 50), join_all(left));
        let _ = leaving.await;
        if round % 50 == 0 {
            table.write(vec![put(format!("stayed-{round}"))]).await.unwrap();
        }
    }
    table.write(vec![put("stayed-last")]).await.unwrap();
    let stayed = table.read(Scan::over(Span::prefix("stayed"))).await.unwrap();
    assert_eq!(stayed.len(), 7);
    drop((tables, table));
    // Writes in the queue are applied when the last handle is dropped, and the directory is
    // released.
    assert!(EmbeddedTables::check(directory.path()).unwrap().entries >= 7);
}

#[test]
fn no_runtime_is_needed() {
    let directory = tempfile::tempdir().unwrap();
    let work = async {
        let (tables, table) = open(directory.path(), EmbeddedOptions::new()).await?;
        table.write((0..5_000).map(|row| put(format!("{row}"))).collect()).await?;
        tables.compact("t", &Span::all(), Garbage::Keep).await?;
        let batch = NonZeroUsize::new(100).unwrap_or(NonZeroUsize::MIN);
        table.read(Scan::over(Span::all()).batch_cells(batch)).await
    };
    assert_eq!(futures::executor::block_on(work).unwrap().len(), 5_000);
}

#[tokio::test]
async fn an_invalid_request_is_refused_with_its_whole_call() {
    let directory = tempfile::tempdir().unwrap();
    let small = EmbeddedOptions::new().max_mutation_bytes(100);
    let (_tables, table) = open(directory.path(), small).await.unwrap();
    let large = put("r\n").put(column(), vec![0; 200]);
    let error = table.write(vec![put("first"), large.clone()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        r"the mutation of row `r\x0a` has 253 bytes; this table takes 100 at most"
    );
    let expected = put("r").when(Condition::value(column(), vec![0; 200]));
    let error = table.write_conditional(vec![expected]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "conditions count too");
    let conditional = large.when(Condition::absent(column()));
    let other = put("first").when(Condition::absent(column()));
    let error = table.write_conditional(vec![other, conditional]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(table.read(Scan::over(Span::all())).await.unwrap().is_empty());
}

/// The longest key of the storage engine has 65,535 bytes; a longer one made it panic.
#[tokio::test]
async fn a_key_that_is_too_long_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (_tables, table) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    // A key has 24 bytes beside its row, and a zero byte is stored as two.
    for (row, size) in [(vec![b'r'; 63_977], 64_001), (vec![0; 31_989], 64_002)] {
        let error = table.write(vec![put(row.clone())]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let size = counted(size, "byte");
        let expected = format!("has {size} when it is stored; a directory takes 64,000 at most");
        assert!(error.to_string().contains(&expected), "{error}");
        let row = row[1..].to_vec();
        table.write(vec![put(row.clone())]).await.unwrap();
        assert_eq!(table.read(Scan::over(Span::row(row))).await.unwrap().len(), 1);
    }
    let long = vec![b'r'; 100_000];
    assert_eq!(table.read(Scan::over(Span::row(long))).await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_handle_of_a_deleted_table_does_not_reach_a_new_table_of_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let (tables, old) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    old.write(vec![put("r")]).await.unwrap();
    tables.delete_table("t").await.unwrap();
    tables.create_table("t", Versions::All).await.unwrap();
    let new = tables.open_table("t", Authorizations::none()).await.unwrap();
    new.write(vec![put("new")]).await.unwrap();
    for error in [
        old.write(vec![put("r")]).await.unwrap_err(),
        old.write_conditional(vec![put("r").when(Condition::absent(column()))]).await.unwrap_err(),
        old.read(Scan::over(Span::all())).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), "there is no table `t`");
    }
    assert_eq!(new.read(Scan::over(Span::all())).await.unwrap().len(), 1);
}

#[derive(Debug)]
struct BrokenClock;

impl Clock for BrokenClock {
    fn now_ms(&self) -> i64 {
        panic!("no time")
    }
}

/// Regression test: the panic was reported as damage of the directory, and stopped all writes.
#[tokio::test]
async fn a_panicking_clock_fails_its_caller_and_not_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let broken = EmbeddedOptions::new().clock(Arc::new(BrokenClock));
    let (tables, table) = open(directory.path(), broken).await.unwrap();
    let write = std::panic::AssertUnwindSafe(table.write(vec![put("r")]));
    let panic = write.catch_unwind().await.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"no time"));
    // The writer still works.
    tables.create_table("u", Versions::All).await.unwrap();
    drop((tables, table));
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap().tables, 2);
}

#[tokio::test]
async fn the_tables_time_does_not_go_back_across_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mut times = Vec::new();
    for now in [1_000, 2_000, 500, 400, 2_001] {
        let options = EmbeddedOptions::new().clock(Arc::new(HeldClock(now.into())));
        let (_tables, table) = open(directory.path(), options).await.unwrap();
        let row = format!("at-{now}");
        table.write(vec![put(row.clone())]).await.unwrap();
        times.push(table.read(Scan::over(Span::row(row))).await.unwrap()[0].key.timestamp);
    }
    assert_eq!(times, [1_000, 2_000, 2_001, 2_002, 2_003]);
}

#[tokio::test]
async fn a_scan_shows_the_instant_of_its_call() {
    let directory = tempfile::tempdir().unwrap();
    let (_tables, table) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    table.write((0..3_000).map(|row| put(format!("{row:05}"))).collect()).await.unwrap();
    let scan = table.scan(Scan::over(Span::all()));
    table.write((0..3_000).map(|row| put(format!("{row:05}-later"))).collect()).await.unwrap();
    let cells = futures::TryStreamExt::try_concat(scan).await.unwrap();
    assert_eq!(cells.len(), 3_000);
    assert_eq!(table.read(Scan::over(Span::all())).await.unwrap().len(), 6_000);
}

#[tokio::test]
async fn a_batch_size_has_no_upper_limit() {
    let directory = tempfile::tempdir().unwrap();
    let (_tables, table) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    table.write((0..1_000).map(|row| put(format!("{row:05}"))).collect()).await.unwrap();
    let scan = Scan::over(Span::all()).batch_cells(NonZeroUsize::MAX);
    assert_eq!(table.read(scan).await.unwrap().len(), 1_000);
}

#[test]
fn a_scan_reports_that_its_runtime_was_shut_down() {
    let directory = tempfile::tempdir().unwrap();
    let work = async {
        let (tables, table) = open(directory.path(), EmbeddedOptions::new()).await?;
        table.write((0..1_000).map(|row| put(format!("{row:05}"))).collect()).await?;
        Ok::<_, fluo_table::Error>((tables, table))
    };
    let (_tables, table) = futures::executor::block_on(work).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _inside = handle.enter();
    let error = futures::executor::block_on(table.read(Scan::over(Span::all()))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "the runtime was shut down while a table was read");
}

#[tokio::test]
async fn a_dropped_scan_releases_its_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let (tables, table) = open(directory.path(), EmbeddedOptions::new()).await.unwrap();
    table.write((0..20_000).map(|row| put(format!("{row:05}"))).collect()).await.unwrap();
    for batches in 0..3 {
        let mut scan = table.scan(Scan::over(Span::all()));
        for _ in 0..batches {
            futures::TryStreamExt::try_next(&mut scan).await.unwrap();
        }
        // The scan is dropped while another thread reads a batch of it.
        let _ = futures::TryStreamExt::try_next(&mut scan).now_or_never();
    }
    drop((tables, table));
    let mut tries = 0;
    while EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).is_err() {
        // The read on the other thread ends by itself.
        tokio::time::sleep(Duration::from_millis(5)).await;
        tries += 1;
        assert!(tries < 60_000);
    }
}

/// Regression test: a load into a directory that was deleted meanwhile reported success, and all of
/// its rows were lost.
#[cfg(unix)]
#[tokio::test]
async fn writes_to_a_deleted_moved_or_replaced_directory_fail() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("data");
    for case in ["deleted", "moved", "replaced"] {
        let (_tables, table) = open(&directory, EmbeddedOptions::new()).await.unwrap();
        table.write(vec![put("a")]).await.unwrap();
        match case {
            "moved" => std::fs::rename(&directory, parent.path().join("elsewhere")).unwrap(),
            _ => std::fs::remove_dir_all(&directory).unwrap(),
        }
        let other = match case {
            "replaced" => Some(open(&directory, EmbeddedOptions::new()).await.unwrap()),
            _ => None,
        };
        let error = table.write(vec![put("b")]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uncertain, "{case}");
        let lost = format!(
            "`{}` was deleted or moved while it was open; restore it and open it again",
            directory.join("fluo.tables").display()
        );
        assert!(error.to_string().contains(&lost), "{error}");
        table.write(vec![put("c")]).await.unwrap_err();
        if let Some((_, other)) = other {
            other.write(vec![put("d")]).await.unwrap();
            std::fs::remove_dir_all(&directory).unwrap();
        }
    }
}
