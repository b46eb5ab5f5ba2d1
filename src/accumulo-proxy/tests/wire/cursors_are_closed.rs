//! A cursor that was opened on the proxy is closed, wherever its stream ends.

use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{BatchScanOptions, Range, ScanOptions, Scanner};
use futures::{StreamExt, TryStreamExt};
use tokio::time::sleep;

use crate::fake::{Answer, Fake, Request, thrown, until};
use crate::generated as wire;
use crate::rows::{Rows, rows_of};

/// Within it comes what must not come.
const SOON: Duration = Duration::from_millis(50);
/// Long enough for a test to do something meanwhile.
const LATER: Duration = Duration::from_millis(500);

/// A table of 500 rows; `spoil` may change an answer.
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

async fn closed_once(fake: &Fake, rows: &Rows) {
    let closes = || fake.count("closeScanner");
    until("closeScanner", || closes() > 0 && rows.open_cursors() == 0).await;
    sleep(SOON).await;
    assert_eq!(closes(), 1);
}

/// Polls a scanner for its first batch until the proxy has a call, and no longer.
async fn poll_until_asked(scanner: &mut Scanner, fake: &Fake, call: &str) {
    tokio::select! {
        item = scanner.next() => panic!("{item:?} came before {call}"),
        () = until(call, || fake.count(call) > 0) => {}
    }
}

#[tokio::test]
async fn at_the_end() {
    let (fake, rows) = fake(|_, answer| answer).await;
    assert_eq!(rows_of(scanner(&fake)).await.unwrap().len(), 500);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("createScanner"), 1);
}

#[tokio::test]
async fn at_the_end_of_a_batch_scan() {
    let (fake, rows) = fake(|_, answer| answer).await;
    let options = BatchScanOptions::over([Range::all()]);
    let scanner = fake.client().batch_scanner("t", options);
    assert_eq!(rows_of(scanner).await.unwrap().len(), 500);
    closed_once(&fake, &rows).await;
}

#[tokio::test]
async fn at_the_end_though_the_consumer_is_not_as_far() {
    let (fake, rows) = fake(|_, answer| answer).await;
    let mut scanner = scanner(&fake);
    scanner.try_next().await.unwrap().unwrap();
    scanner.try_next().await.unwrap().unwrap();
    // The third batch is the last. It waits here, and the proxy is rid of the scan.
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 3);
    assert!(scanner.try_next().await.unwrap().is_some());
    assert!(scanner.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn dropped_while_it_is_opened() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "createScanner" => answer.after(LATER),
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    poll_until_asked(&mut scanner, &fake, "createScanner").await;
    drop(scanner);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 0);
}

#[tokio::test]
async fn dropped_while_it_is_read() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "nextK" => answer.after(LATER),
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    poll_until_asked(&mut scanner, &fake, "nextK").await;
    drop(scanner);
    closed_once(&fake, &rows).await;
    // The reply was waited for, so the connection was kept.
    assert_eq!(fake.connections(), 1);
}

#[tokio::test]
async fn dropped_while_it_is_read_for_long() {
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

/// Each read of a row made a second call, which nobody waited for: it held a connection and a thread of the proxy.
#[tokio::test]
async fn dropped_after_the_first_batch_with_no_call_in_vain() {
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
async fn dropped_between_batches() {
    let rows = Arc::new(Rows::new([10; 2000]));
    let table = Arc::clone(&rows);
    let fake = Fake::start(move |request| table.answer(request)).await;
    let mut scanner = scanner(&fake);
    for _ in 0..2 {
        assert!(scanner.try_next().await.unwrap().is_some());
    }
    // Those that were taken, and the one ahead.
    until("the one ahead", || fake.count("nextK") == 3).await;
    drop(scanner);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 3);
}

#[tokio::test]
async fn after_an_error_which_ends_the_stream() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "nextK" => {
            let message = "java.lang.RuntimeException: org.apache.accumulo.core.client.TableDeletedException: Table ID 2 was deleted";
            Answer::reply(wire::NextKReply::new(None, None, None, thrown(message)))
        }
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    let error = scanner.try_next().await.unwrap_err();
    assert_eq!(error.kind(), accumulo_proxy::ErrorKind::TableNotFound);
    assert_eq!(error.reason(), "Table ID 2 was deleted");
    assert!(scanner.try_next().await.unwrap().is_none());
    closed_once(&fake, &rows).await;
}

#[tokio::test]
async fn a_stream_that_nobody_polls_opens_none() {
    let (fake, _) = fake(|_, answer| answer).await;
    drop(scanner(&fake));
    sleep(SOON).await;
    assert_eq!(fake.connections(), 0);
}

#[tokio::test]
async fn a_scan_of_nothing_opens_none() {
    let (fake, _) = fake(|_, answer| answer).await;
    let nothing = Range::rows(Some("b".into()), Some("a".into()));
    let scanner = fake
        .client()
        .scanner("t", ScanOptions::default().range(nothing.clone()));
    assert!(rows_of(scanner).await.unwrap().is_empty());
    let options = BatchScanOptions::over([nothing]);
    let scanner = fake.client().batch_scanner("t", options);
    assert!(rows_of(scanner).await.unwrap().is_empty());
    assert_eq!(fake.connections(), 0);
}
