//! A cursor that was opened on the proxy is closed, wherever its stream ends.

use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{BatchScanOptions, Range, ScanOptions, Scanner};
use futures::TryStreamExt;
use tokio::time::{sleep, timeout};

use crate::fake::{Answer, Fake, Request, thrown, until};
use crate::generated as wire;
use crate::rows::{Rows, rows_of};

const SOON: Duration = Duration::from_millis(50);

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
    until("closeScanner", || fake.count("closeScanner") > 0).await;
    sleep(SOON).await;
    assert_eq!(fake.count("closeScanner"), 1);
    assert_eq!(rows.open_cursors(), 0);
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
async fn dropped_while_it_is_opened() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "createScanner" => answer.after(SOON),
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    let opening = timeout(SOON / 5, scanner.try_next()).await;
    assert!(opening.is_err());
    drop(scanner);
    closed_once(&fake, &rows).await;
    assert_eq!(fake.count("nextK"), 0);
}

#[tokio::test]
async fn dropped_while_it_is_read() {
    let (fake, rows) = fake(|request, answer| match request.call.as_str() {
        "nextK" => answer.after(SOON),
        _ => answer,
    })
    .await;
    let mut scanner = scanner(&fake);
    let reading = timeout(SOON / 5, scanner.try_next()).await;
    assert!(reading.is_err());
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
    assert!(timeout(SOON, scanner.try_next()).await.is_err());
    drop(scanner);
    closed_once(&fake, &rows).await;
}

#[tokio::test]
async fn dropped_between_batches() {
    let (fake, rows) = fake(|_, answer| answer).await;
    let mut scanner = scanner(&fake);
    assert!(scanner.try_next().await.unwrap().is_some());
    sleep(SOON).await;
    // The batch that was taken, and the one ahead.
    assert_eq!(fake.count("nextK"), 2);
    drop(scanner);
    closed_once(&fake, &rows).await;
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
