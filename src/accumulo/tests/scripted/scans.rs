//! Scans of several spans.

use accumulo_proxy::{Entry, Key, NextBatch};
use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, CellBatches, Scan, Span, TableAdmin};
use futures::TryStreamExt;

use crate::fake::{Answer, Fake, Request, gate, until};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

/// Answers a scan of any span with one cell, whose row is the start of the span.
fn one_cell(request: &Request) -> Answer {
    match request.call.as_str() {
        "createScanner" => {
            let asked: wire::CreateScanner = request.read();
            let start = asked.options.and_then(|options| Some(options.range?.start?.row));
            let handle = String::from_utf8(start.unwrap().into()).unwrap();
            Answer::result::<wire::CreateScanner>(handle)
        }
        "nextK" => {
            let asked: wire::NextK = request.read();
            let key = Key::from_row(asked.scanner.unwrap()).in_column("f", "q").at(7);
            let cells = NextBatch { entries: vec![Entry { key, value: "v".into() }], more: false };
            Answer::result::<wire::NextK>(cells)
        }
        _ => OLD.answer(request),
    }
}

/// Returns the span whose cursor a request reads.
fn read_span(request: &Request) -> Option<String> {
    let reads = request.call == "nextK";
    reads.then(|| request.read::<wire::NextK>().scanner.unwrap())
}

// Spans that touch would be one span.
const ROWS: [&str; 4] = ["a", "c", "e", "g"];

/// Starts a scan of four large spans.
async fn scan(fake: &Fake) -> CellBatches {
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    let pages = tables.open_table(PAGES, Authorizations::none()).await;
    pages.unwrap().scan(Scan::over_all(ROWS.map(Span::prefix)))
}

#[tokio::test]
async fn reads_the_next_span_while_the_last_one_is_read() {
    let held = gate();
    let fake = Fake::start({
        let held = held.clone();
        move |request| match read_span(request) {
            Some(span) if span == "c" => one_cell(request).held_by(&held),
            _ => one_cell(request),
        }
    })
    .await;
    let cells = tokio::spawn(scan(&fake).await.try_concat());
    until("the span after the held one is read", || {
        fake.calls("nextK").iter().filter_map(read_span).any(|span| span == "e")
    })
    .await;
    assert!(!cells.is_finished());
    assert_eq!(fake.count("createScanner"), 3);
    held.close();
    let cells = cells.await.unwrap().unwrap();
    let found: Vec<_> = cells.into_iter().map(|cell| cell.key.row).collect();
    assert_eq!(found, ROWS);
    until("all cursors are closed", || fake.count("closeScanner") == ROWS.len()).await;
}

#[tokio::test]
async fn opens_one_cursor_if_the_first_batch_is_enough() {
    let fake = Fake::start(one_cell).await;
    let mut batches = scan(&fake).await;
    assert_eq!(batches.try_next().await.unwrap().unwrap().len(), 1);
    drop(batches);
    until("the cursor is closed", || fake.count("closeScanner") == 1).await;
    assert_eq!(fake.count("createScanner"), 1);
}

#[tokio::test]
async fn closes_each_cursor_of_a_scan_that_ends_early() {
    let fake = Fake::start(|request| match read_span(request) {
        Some(span) if span == "c" => Answer::Never,
        _ => one_cell(request),
    })
    .await;
    let scan = scan(&fake).await.try_concat();
    let is_open = async {
        until("the third span is read", || fake.count("nextK") == 3).await;
    };
    tokio::select! {
        _ = scan => panic!("the second span has no answer"),
        () = is_open => {}
    }
    until("all cursors are closed", || fake.count("closeScanner") == 3).await;
}
