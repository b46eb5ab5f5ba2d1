//! Scans of several spans.

use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, Scan, Span, TableAdmin};
use futures::TryStreamExt;

use crate::fake::{Answer, Fake, Request, gate, until};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

/// Answers a scan of any span with one cell, whose row is the start of the span.
fn one_cell(request: &Request) -> Answer {
    match request.call.as_str() {
        "createScanner" => {
            let asked: wire::CreateScannerRequest = request.read();
            let start = asked.options.and_then(|options| options.range?.start?.row);
            let handle = String::from_utf8(start.unwrap()).unwrap();
            Answer::reply(wire::CreateScannerReply::new(handle, None, None, None))
        }
        "nextK" => {
            let asked: wire::NextKRequest = request.read();
            let row = asked.scanner.unwrap().into_bytes();
            let key = wire::Key::new(row, b"f".to_vec(), b"q".to_vec(), Vec::new(), 7);
            let cells = vec![wire::KeyValue::new(key, b"v".to_vec())];
            let cells = wire::ScanResult::new(cells, false);
            Answer::reply(wire::NextKReply::new(cells, None, None, None))
        }
        _ => OLD.answer(request),
    }
}

#[tokio::test]
async fn reads_the_next_spans_while_the_first_one_is_read() {
    let held = gate();
    let fake = Fake::start({
        let held = held.clone();
        move |request| match (request.call.as_str(), one_cell(request)) {
            ("nextK", answer) if request.nth == 0 => answer.held_by(&held),
            (_, answer) => answer,
        }
    })
    .await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    let pages = tables.open_table(PAGES, Authorizations::none()).await;
    // Spans that touch would be one span.
    let rows = ["a", "c", "e", "g", "i", "k"];
    let spans = rows.into_iter().map(Span::prefix);
    let cells = pages.unwrap().scan(Scan::over_all(spans)).try_concat();
    let cells = tokio::spawn(cells);
    until("three spans are read", || fake.count("nextK") == 3).await;
    assert_eq!(fake.count("createScanner"), 3);
    assert!(!cells.is_finished());
    held.close();
    let cells = cells.await.unwrap().unwrap();
    let found: Vec<_> = cells.into_iter().map(|cell| cell.key.row).collect();
    assert_eq!(found, rows);
    assert_eq!(fake.count("createScanner"), rows.len());
}
