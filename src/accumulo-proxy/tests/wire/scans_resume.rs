//! An ordered scan resumes after a break. No entry is repeated, and none is left out.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{BatchScanOptions, ErrorKind, ProxyClient, Range, ScanOptions};
use futures::TryStreamExt;
use tokio::runtime::{self, Runtime};
use tokio::time::sleep;

use crate::fake::{Answer, Fake, until};
use crate::rows::{Rows, row_name, rows_of};

const ROWS: usize = 2000;
/// More bytes than any lookup here finds.
const MOST: usize = 1 << 30;

fn options() -> ScanOptions {
    ScanOptions::default().batch_entries(100.try_into().unwrap())
}

fn everything() -> BatchScanOptions {
    BatchScanOptions::over([Range::all()])
}

/// Starts a proxy with a table whose values have these lengths.
async fn proxy_of(value_bytes: impl IntoIterator<Item = usize>) -> Fake {
    let rows = Rows::new(value_bytes);
    Fake::start(move |request| rows.answer(request)).await
}

async fn assert_whole(fake: &Fake, rows: usize) {
    let scanner = fake.client().scanner("t", options());
    let expected: Vec<_> = (0..rows).map(row_name).collect();
    assert_eq!(rows_of(scanner).await.unwrap(), expected);
}

#[tokio::test]
async fn resumes_after_a_broken_connection() {
    let rows = Rows::new([10; ROWS]);
    let fake = Fake::start(move |request| match (request.call.as_str(), request.nth % 3) {
        // The cursor moved, and the reply is lost.
        ("nextK", 2) => {
            rows.answer(request);
            Answer::Close
        }
        _ => rows.answer(request),
    })
    .await;
    assert_whole(&fake, ROWS).await;
    assert!(fake.count("createScanner") > 5);
}

#[tokio::test]
async fn resumes_after_the_proxy_dropped_the_cursor() {
    let rows = Rows::new([10; ROWS]);
    let fake = Fake::start(move |request| {
        if request.call == "nextK" && request.nth % 4 == 3 {
            rows.forget();
        }
        rows.answer(request)
    })
    .await;
    assert_whole(&fake, ROWS).await;
}

#[tokio::test]
async fn resumes_after_a_restart_of_the_proxy() {
    let rows = Arc::new(Rows::new([10; ROWS]));
    let table = Arc::clone(&rows);
    let fake = Fake::start(move |request| table.answer(request)).await;
    let settings = fake.settings().tries(100.try_into().unwrap());
    let mut scanner = ProxyClient::lazy(settings).scanner("t", options());
    let mut read = scanner.try_next().await.unwrap().unwrap().len();
    fake.go_away().await;
    rows.forget();
    let (rest, ()) = tokio::join!(rows_of(scanner), async {
        sleep(Duration::from_millis(50)).await;
        fake.come_back().await;
    });
    read += rest.unwrap().len();
    assert_eq!(read, ROWS);
}

#[tokio::test]
async fn resumes_with_smaller_requests_after_a_reply_that_was_too_long() {
    // The small entries give no hint of the large ones behind them.
    let value_bytes = (0..ROWS).map(|row| if row < 1000 { 10 } else { 10_000 });
    let fake = proxy_of(value_bytes).await;
    let settings = fake.settings().max_reply_bytes(1024 * 1024);
    let scanner = ProxyClient::lazy(settings).scanner("t", ScanOptions::default());
    assert_eq!(rows_of(scanner).await.unwrap().len(), ROWS);
    assert!(fake.count("createScanner") > 1);
}

#[tokio::test]
async fn fails_at_an_entry_that_is_longer_than_any_reply() {
    let fake = proxy_of([100_000]).await;
    let settings = fake.settings().max_reply_bytes(50_000);
    let scanner = ProxyClient::lazy(settings).scanner("t", ScanOptions::default());
    let error = rows_of(scanner).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.reason().contains("that this client accepts"), "{error}");
    assert!(!error.may_have_taken_effect());
}

#[tokio::test]
async fn fails_after_the_last_retry() {
    let rows = Rows::new([10; ROWS]);
    let fake = Fake::start(move |request| match request.call.as_str() {
        "nextK" if request.nth > 2 => Answer::Close,
        _ => rows.answer(request),
    })
    .await;
    let error = rows_of(fake.client().scanner("t", options())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(error.call(), "nextK");
    // The default is eight attempts.
    assert_eq!(fake.count("nextK"), 3 + 8);
}

#[tokio::test]
async fn a_batch_scan_ends_with_the_error() {
    let rows = Rows::new([10; ROWS]);
    let fake = Fake::start(move |request| match request.call.as_str() {
        "nextK" if request.nth == 2 => Answer::Close,
        _ => rows.answer(request),
    })
    .await;
    let mut scanner = fake.client().batch_scanner("t", everything());
    scanner.try_next().await.unwrap().unwrap();
    scanner.try_next().await.unwrap().unwrap();
    let error = scanner.try_next().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(scanner.try_next().await.unwrap().is_none());
    assert_eq!(fake.count("createBatchScanner"), 1);
}

/// Regression test: the scan requested 1000 entries at a time after small ones. With a hundred
/// kilobytes each, they exceeded every reply, and each new attempt failed again.
#[tokio::test]
async fn a_batch_scan_requests_no_more_than_fits_if_large_entries_follow() {
    // A reply has room for four entries of 256 KiB.
    let value_bytes = (0..1000).map(|row| if row < 900 { 10 } else { 200 * 1024 });
    let fake = proxy_of(value_bytes).await;
    let settings = fake.settings().max_reply_bytes(1024 * 1024);
    let scanner = ProxyClient::lazy(settings).batch_scanner("t", everything());
    assert_eq!(rows_of(scanner).await.unwrap().len(), 1000);
    assert_eq!(fake.count("createBatchScanner"), 1);
}

#[tokio::test]
async fn a_batch_scan_with_still_larger_entries_reports_the_remedy() {
    // The replies have one small entry, then ten times four, then four that are too large.
    let value_bytes = (0..50).map(|row| if row < 41 { 10 } else { 400 * 1024 });
    let fake = proxy_of(value_bytes).await;
    let settings = fake.settings().max_reply_bytes(1024 * 1024);
    let client = ProxyClient::lazy(settings);
    let error = rows_of(client.batch_scanner("t", everything())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert_eq!(error.call(), "nextK");
    let end = "more than the 1048576 that this client accepts; this scan asked for 4 entries at a \
               time: ask for fewer";
    assert!(error.reason().ends_with(end), "{error}");
    // The advice works.
    let options = everything().batch_entries(2.try_into().unwrap());
    let scanner = client.batch_scanner("t", options);
    assert_eq!(rows_of(scanner).await.unwrap().len(), 50);
}

#[tokio::test]
async fn reads_one_batch_ahead() {
    let fake = proxy_of([10; ROWS]).await;
    let mut scanner = fake.client().scanner("t", options());
    scanner.try_next().await.unwrap().unwrap();
    for taken in 2..6 {
        scanner.try_next().await.unwrap().unwrap();
        until("the batch ahead", || fake.count("nextK") > taken).await;
        sleep(Duration::from_millis(20)).await;
        assert_eq!(fake.count("nextK"), taken + 1);
    }
}

/// Returns a runtime for the proxy and the consumer, and one for the reading task.
fn two_runtimes() -> (Runtime, Runtime) {
    let make =
        || runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    (make(), make())
}

/// Regression test: the reading task had ended with its runtime, and the end of its channel was
/// taken for the end of the table.
#[test]
fn fails_if_the_runtime_of_the_reading_task_shut_down() {
    let (here, there) = two_runtimes();
    let fake = here.block_on(proxy_of([10; ROWS]));
    let client = fake.client();
    let in_there = there.enter();
    let mut unopened = client.scanner("t", options());
    let mut begun = client.scanner("t", options());
    drop(in_there);
    here.block_on(async { begun.try_next().await.unwrap().unwrap() });
    drop(there);
    for scanner in [&mut unopened, &mut begun] {
        let error = here.block_on(scanner.try_next()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert_eq!((error.call(), error.subject()), ("nextK", Some("t")));
        assert!(error.reason().contains("runtime was shut down"), "{error}");
        assert!(here.block_on(scanner.try_next()).unwrap().is_none());
    }
    here.block_on(async move { drop(fake) });
}

/// A lookup is three calls, and starts again after a break.
#[tokio::test]
async fn a_lookup_starts_again_after_a_break() {
    let rows = Arc::new(Rows::new([10; 100]));
    let answering = rows.clone();
    let fake = Fake::start(move |request| match request.call.as_str() {
        "nextK" if request.nth == 0 => Answer::Close,
        _ => answering.answer(request),
    })
    .await;
    let client = fake.client();
    let found = client.lookup("t", everything(), 200, MOST).await.unwrap().unwrap();
    assert_eq!(found.len(), 100);
    assert!(found.is_sorted_by(|a, b| a.key < b.key));
    assert_eq!(fake.count("createBatchScanner"), 2);
    assert_eq!(fake.count("nextK"), 2);
    assert_eq!(client.lookup("t", everything(), 99, MOST).await.unwrap(), None);
    assert_eq!(client.lookup("t", everything(), 200, 999).await.unwrap(), None);
    let nothing = BatchScanOptions::over([]);
    assert_eq!(client.lookup("t", nothing, 1, MOST).await.unwrap(), Some(Vec::new()));
    assert_eq!(fake.count("createBatchScanner"), 4);
    while rows.open_cursors() > 0 {
        tokio::task::yield_now().await;
    }
}

/// A lookup cannot resume, but it can request less.
#[tokio::test]
async fn a_lookup_requests_less_after_a_reply_that_was_too_long() {
    let fake = proxy_of([400 * 1024; 20]).await;
    let settings = fake.settings().max_reply_bytes(1024 * 1024);
    let client = ProxyClient::lazy(settings);
    let found = client.lookup("t", everything(), 20, MOST).await.unwrap();
    assert_eq!(found.unwrap().len(), 20);
    assert_eq!(fake.count("createBatchScanner"), 2);
}

/// It kept its connection until the timeout of the call. Lookups of a tablet that did not answer
/// took all connections.
#[tokio::test]
async fn a_lookup_without_a_caller_gives_up_its_call() {
    let rows = Rows::new([10; 1]);
    let fake = Fake::start(move |request| match request.call.as_str() {
        "nextK" if request.nth == 0 => Answer::Never,
        _ => rows.answer(request),
    })
    .await;
    let client = ProxyClient::lazy(fake.settings().connections(NonZeroUsize::MIN));
    let lookup = client.lookup("t", everything(), 1, MOST);
    tokio::select! {
        found = lookup => panic!("{found:?}"),
        () = until("the call", || fake.count("nextK") == 1) => {}
    }
    let found = client.lookup("t", everything(), 1, MOST).await.unwrap();
    assert_eq!(found.unwrap().len(), 1);
}
