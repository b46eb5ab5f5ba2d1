//! The proxy is killed during a scan through it, and the scan resumes.

use std::num::NonZeroUsize;

use fluo_table::{Cell, Column, ErrorKind, Filter, Mutation, Scan, Span, Table};
use futures::TryStreamExt;

use crate::cli::assert_says;
use crate::faults_ground::{Broken, open, patient};

const ROWS: usize = 20_000;
const COLUMNS: usize = 3;

async fn fill(broken: &Broken) {
    let table = open(&broken.good, &broken.name).await;
    let rows: Vec<_> = (0..ROWS).map(row).collect();
    for rows in rows.chunks(5_000) {
        table.write(rows.to_vec()).await.unwrap();
    }
}

fn row(number: usize) -> Mutation {
    let row = Mutation::new(format!("{number:06}"));
    (0..COLUMNS)
        .fold(row, |row, column| row.put(Column::new("f", column.to_string()), number.to_string()))
}

/// Returns the cells of a scan during which the proxy is killed and restarted twice.
async fn scan_over_restarts(broken: &Broken, table: &dyn Table, scan: Scan) -> Vec<Cell> {
    let mut batches = table.scan(scan.batch_cells(NonZeroUsize::new(499).unwrap()));
    let mut cells = Vec::new();
    let mut restarts = Vec::new();
    for batch in 0.. {
        if batch == 5 || batch == 20 {
            broken.kill();
            restarts.push(broken.restart_meanwhile());
        }
        let Some(more) = batches.try_next().await.unwrap() else { break };
        assert!(!more.is_empty());
        cells.extend(more);
    }
    assert_eq!(restarts.len(), 2);
    for restart in restarts {
        restart.await.unwrap();
    }
    cells
}

fn shown(cells: &[Cell]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    cells.iter().map(|cell| (text(&cell.key.row), text(&cell.key.column.qualifier))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_returns_every_row_once_and_in_order_across_restarts() {
    let Some(broken) = Broken::new("faults_scan").await else { return };
    fill(&broken).await;
    let table = broken.open(patient(broken.settings.clone())).await;
    let cells = scan_over_restarts(&broken, &*table, Scan::over(Span::all())).await;
    let expected = (0..ROWS)
        .flat_map(|row| (0..COLUMNS).map(move |column| (format!("{row:06}"), column.to_string())));
    assert!(shown(&cells).into_iter().eq(expected));

    // The filter restarts in the middle of a row, and must not take the rest of the row for another
    // row.
    let first = Scan::over(Span::all()).filter(Filter::FirstOfRow);
    let cells = scan_over_restarts(&broken, &*table, first).await;
    let expected = (0..ROWS).map(|row| (format!("{row:06}"), "0".to_owned()));
    assert!(shown(&cells).into_iter().eq(expected));
    broken.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_whose_proxy_is_killed_ends_with_one_error() {
    let Some(broken) = Broken::new("faults_scan").await else { return };
    fill(&broken).await;
    let table = broken.open(broken.settings.clone()).await;
    let scan = Scan::over(Span::all()).batch_cells(NonZeroUsize::new(500).unwrap());
    let mut batches = table.scan(scan.clone());
    let mut cells = batches.try_next().await.unwrap().unwrap();
    broken.kill();
    let error = loop {
        match batches.try_next().await {
            Ok(Some(batch)) => cells.extend(batch),
            Ok(None) => panic!("the scan ended without an error"),
            Err(error) => break error,
        }
    };
    assert!(batches.try_next().await.unwrap().is_none());
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_says(
        &error.to_string(),
        &format!("at {}: cannot reach the proxy: Connection refused", broken.proxy.address()),
    );

    // The cells before the error are valid, and another scan continues after them.
    broken.restart();
    let rest = scan.after(&cells.last().unwrap().key);
    cells.extend(table.scan(rest).try_concat().await.unwrap());
    assert_eq!(cells.len(), ROWS * COLUMNS);
    assert!(cells.is_sorted_by(|a, b| a.key < b.key));
    broken.end().await;
}
