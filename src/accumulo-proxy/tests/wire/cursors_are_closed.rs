//! A cursor that was opened on the proxy is closed, wherever its stream ends.

use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{BatchScanOptions, ErrorKind, Range, ScanOptions, Scanner};
use futures::{StreamExt, TryStreamExt};
use tokio::time::sleep;

use crate::fake::{Answer, Fake, Gate, Request, gate, until};
use crate::interface as wire;
use crate::rows::{Rows, rows_of};

/// Time to wait for an event that must not happen.
const SOON: Duration = Duration::from_millis(50);

/// Starts a proxy with a table of 500 rows; `spoil` may change an answer.
async fn fake(
    spoil: impl Fn(&Request, Answer) -> Answer + Send + Sync + 'static,
) -> (Fake, Arc<Rows>) {
    let rows = Arc::new(Rows::new([10; 500]));
    let table = Arc::clone(&rows);
    let fake = Fake::start(move |request| spoil(request, table.answer(request))).await;
    (fake, rows)
}

fn scanner(fake: &Fake) -> Scanner {
    fake.client().scanner("t", ScanOptions::default())
}

/// Starts a proxy whose answers to a call are held by a gate.
async fn fake_that_holds(call: &'static str) -> (Fake, Arc<Rows>, Gate) {
    let gate = gate();
    let holds = Gate::clone(&gate);
    let (fake, rows) = fake(move |request, answer| match request.call == call {
        true => answer.held_by(&holds),
        false => answer,
    })
    .await;
    (fake, rows, gate)
}

async fn closed_once(fake: &Fake, rows: &Rows) {
    let closes = || fake.count("closeScanner");
    until("closeScanner", || closes() > 0 && rows.open_cursors() == 0).await;
    sleep(SOON).await;
    assert_eq!(closes(), 1);
}

/// Polls a scanner for its first batch until the proxy has received a call.
async fn poll_until_asked(scanner: &mut Scanner, fake: &Fake, call: &str) {
    tokio::select! {
        item = scanner.next() => panic!("{item:?} came before {call}"),
        () = until(call, || fake.count(call) > 0) => {}
    }
}

#[tokio::test]
async fn closes_a_cursor_at_the_end_of_a_scan_and_of_a_batch_scan() {
    let (scanned, rows) = fake(|_, answer| answer).await;
    assert_eq!(rows_of(scanner(&scanned)).await.unwrap().len(), 500);
    closed_once(&scanned, &rows).await;
    assert_eq!(scanned.count("createScanner"), 1);

    let (scanned, rows) = fake(|_, answer| answer).await;
    let options = BatchScanOptions::over([Range::all()]);
    let scanner = scanned.client().batch_scanner("t", options);
    assert_eq!(rows_of(scanner).await.unwrap().len(), 500);
    closed_once(&scanned, &rows).await;
}

#[tokio::test]
async fn closes_a_cursor_at_the_end_before_the_consumer_reads_it() {
    let (fake, rows) = fake(|_, answer| answer).await;
    let mut scanner = scanner(&fake);
    scanner.try_next().await.unwrap().unwrap();
    scanner.try_next().await.unwrap().unwrap();
    // The third batch is the last. It waits in the client, and the proxy has no cursor any more.
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 3);
    assert!(scanner.try_next().await.unwrap().is_some());
    assert!(scanner.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn closes_a_cursor_that_is_dropped_while_it_opens_or_during_a_read() {
    for (call, reads) in [("createScanner", 0), ("nextK", 1)] {
        let (fake, rows, gate) = fake_that_holds(call).await;
        let mut scanner = scanner(&fake);
        poll_until_asked(&mut scanner, &fake, call).await;
        drop(scanner);
        gate.close();
        closed_once(&fake, &rows).await;
        assert_eq!(fake.count("nextK"), reads, "{call}");
        // The client waited for the reply, so the connection was kept.
        assert_eq!(fake.connections(), 1, "{call}");
    }
}

#[tokio::test]
async fn closes_a_cursor_that_is_dropped_during_a_long_read() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "nextK" => Answer::Never,
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    poll_until_asked(&mut scanner, &fake, "nextK").await;
    drop(scanner);
    closed_once(&fake, &rows).await;
}

/// Regression test: each read of a row made a second, unnecessary call, which occupied a connection
/// and a thread of the proxy.
#[tokio::test]
async fn makes_no_unnecessary_call_if_dropped_after_the_first_batch() {
    let (fake, rows) = fake(|_, answer| answer).await;
    let mut scanner = scanner(&fake);
    assert!(scanner.try_next().await.unwrap().is_some());
    sleep(SOON).await;
    assert_eq!(fake.count("nextK"), 1);
    drop(scanner);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 1);
}

#[tokio::test]
async fn closes_a_cursor_that_is_dropped_between_batches() {
    let rows = Arc::new(Rows::new([10; 2000]));
    let table = Arc::clone(&rows);
    let fake = Fake::start(move |request| table.answer(request)).await;
    let mut scanner = scanner(&fake);
    for _ in 0..2 {
        assert!(scanner.try_next().await.unwrap().is_some());
    }
    // Two batches that were taken, and the one ahead.
    until("the one ahead", || fake.count("nextK") == 3).await;
    drop(scanner);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 3);
}

#[tokio::test]
async fn closes_a_cursor_after_an_error_which_ends_the_stream() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "nextK" => {
            let message = "java.lang.RuntimeException: org.apache.accumulo.core.client.TableDeletedException: Table ID 2 was deleted";
            Answer::thrown::<wire::NextK>(ErrorKind::Security, message)
        }
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    let error = scanner.try_next().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    assert_eq!(error.reason(), "Table ID 2 was deleted");
    assert!(scanner.try_next().await.unwrap().is_none());
    closed_once(&fake, &rows).await;
}

#[tokio::test]
async fn a_stream_that_is_never_polled_opens_no_cursor() {
    let (fake, _) = fake(|_, answer| answer).await;
    drop(scanner(&fake));
    sleep(SOON).await;
    assert_eq!(fake.connections(), 0);
}

#[tokio::test]
async fn a_scan_of_an_empty_range_opens_no_cursor() {
    let (fake, _) = fake(|_, answer| answer).await;
    let nothing = Range::rows(Some("b".into()), Some("a".into()));
    let scanner = fake.client().scanner("t", ScanOptions::default().range(nothing.clone()));
    assert!(rows_of(scanner).await.unwrap().is_empty());
    let options = BatchScanOptions::over([nothing]);
    let scanner = fake.client().batch_scanner("t", options);
    assert!(rows_of(scanner).await.unwrap().is_empty());
    assert_eq!(fake.connections(), 0);
}
