//! Scans of several spans.

use std::ops::Range;

use accumulo_proxy::{Entry, Key, NextBatch};
use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, CellBatches, Filter, Scan, Span, TableAdmin, Timestamp};
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

/// A row with more entries than a lookup may have.
const WIDE: &str = "000";

fn name(row: usize) -> String {
    format!("{row:03}")
}

/// Answers a lookup with one cell for each span, and with very many cells for a wide row.
fn lookup(request: &Request) -> Answer {
    match request.call.as_str() {
        "createBatchScanner" => {
            let asked: wire::CreateBatchScanner = request.read();
            let ranges = asked.options.and_then(|options| options.ranges).unwrap();
            let rows = ranges.into_iter().map(|range| range.start.unwrap().row);
            let rows: Vec<_> = rows.map(|row| String::from_utf8(row.into()).unwrap()).collect();
            Answer::result::<wire::CreateBatchScanner>(rows.join(" "))
        }
        "nextK" => {
            let asked: wire::NextK = request.read();
            let (handle, most) = (asked.scanner.unwrap(), asked.k.unwrap());
            let rows: Vec<_> = handle.split(' ').collect();
            let is_wide = rows.len() > 1 && rows[0] == WIDE;
            let wide = (0..most).map(|number| (WIDE, number));
            let entry = |(row, number): (&str, i32)| {
                let key = Key::from_row(row.to_owned()).in_column("f", number.to_string()).at(7);
                Entry { key, value: "v".into() }
            };
            let entries = match is_wide {
                true => wide.map(entry).collect(),
                false => rows.into_iter().map(|row| entry((row, 0))).collect(),
            };
            Answer::result::<wire::NextK>(NextBatch { entries, more: is_wide })
        }
        _ => one_cell(request),
    }
}

/// Returns the numbers of lookups and of cursors of a scan that yields a cell of each of some rows.
async fn lookups_and_cursors(scan: Scan, rows: Range<usize>) -> [usize; 2] {
    let fake = Fake::start(lookup).await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    let pages = tables.open_table(PAGES, Authorizations::none()).await.unwrap();
    let cells = pages.scan(scan).try_concat().await.unwrap();
    let found: Vec<_> = cells.into_iter().map(|cell| cell.key.row).collect();
    assert_eq!(found, rows.map(name).collect::<Vec<_>>());
    ["createBatchScanner", "createScanner"].map(|call| fake.count(call))
}

/// Each of the rows behind the wide one had a cursor.
#[tokio::test]
async fn lookups_resume_after_a_wide_row() {
    let rows = (0..300).map(|number| Span::row(name(number)));
    // 300, 37 and 4 rows are too large; then come 64 cursors, and 64, 128 and 44 rows.
    assert_eq!(lookups_and_cursors(Scan::over_all(rows), 0..300).await, [6, 64]);
}

#[tokio::test]
async fn short_ranges_of_a_snapshot_are_read_at_once_until_one_is_long() {
    let at = Timestamp::new(9).unwrap();
    for (rows, wanted) in [(1..300, [1, 0]), (0..9, [1, 9])] {
        let end = |row| Some(format!("{}~", name(row)).into());
        let ranges = rows.clone().map(|row| Span::rows(name(row), end(row)));
        let scan = Scan::over_all(ranges).filter(Filter::Snapshot { at });
        assert_eq!(lookups_and_cursors(scan, rows).await, wanted);
    }
}
