//! A scan by the client's stream and by the port, beside bare `nextK(1000)` calls; and a scan of
//! many ranges, beside a scan of each.

use std::sync::Arc;
use std::time::Instant;

use accumulo_proxy::{Mutation, ProxyClient, ScanOptions, TimeType};
use fluo_accumulo::AccumuloTables;
use fluo_table::{Authorizations, Scan, Span, Table, TableAdmin};
use futures::stream::TryStreamExt;

use crate::figures::Figures;

const TABLE: &str = "bench_scan";
const CELLS: usize = 200_000;
const ROUNDS: usize = 5;
const BATCH: usize = 1_000;
/// Number of the ranges of a scan. Each has ten rows.
const RANGES: usize = 300;

pub(crate) async fn run(client: &ProxyClient) {
    let tables = client.table_operations();
    let _ = tables.delete(TABLE).await;
    tables.create(TABLE, true, TimeType::Millis).await.unwrap();
    let rows = (0..CELLS).map(|n| {
        Mutation::new(format!("row{n:08}")).put("page", "uri", format!("https://example.com/{n}"))
    });
    client.write(TABLE, rows.collect()).await.unwrap();
    tables.flush(TABLE, None, None, true).await.unwrap();

    let port = AccumuloTables::new(client.clone())
        .open_table(TABLE, Authorizations::none())
        .await
        .unwrap();
    let (mut bare, mut stream, mut through_port) =
        (Figures::default(), Figures::default(), Figures::default());
    let (mut one_by_one, mut together) = (Figures::default(), Figures::default());
    // Ranges that touch would be one range.
    let range = |number| Span::prefix(format!("row{:07}", 2 * number));
    for round in 0..=ROUNDS {
        let begin = Instant::now();
        assert_eq!(next_k(client).await, CELLS);
        let one = begin.elapsed();
        let begin = Instant::now();
        assert_eq!(scanner(client).await, CELLS);
        let two = begin.elapsed();
        let begin = Instant::now();
        assert_eq!(scan(&port, Scan::over(Span::all())).await, CELLS);
        let three = begin.elapsed();
        let begin = Instant::now();
        for number in 0..RANGES {
            assert_eq!(scan(&port, Scan::over(range(number))).await, 10);
        }
        let four = begin.elapsed();
        let begin = Instant::now();
        let all = Scan::over_all((0..RANGES).map(range));
        assert_eq!(scan(&port, all).await, 10 * RANGES);
        let five = begin.elapsed();
        if round > 0 {
            bare.add(one);
            stream.add(two);
            through_port.add(three);
            one_by_one.add(four);
            together.add(five);
        }
    }
    tables.delete(TABLE).await.unwrap();
    println!(
        "scan of {CELLS} cells: bare nextK {:.0} cells/s; the client's stream {:.0} ({:.2} of its time); the port {:.0} ({:.2})",
        bare.rate(CELLS),
        stream.rate(CELLS),
        stream.ratio_to(&bare),
        through_port.rate(CELLS),
        through_port.ratio_to(&bare)
    );
    println!(
        "{RANGES} ranges of ten rows: a scan of each {:.0} ranges/s, one scan {:.0} ({:.2} of its time)",
        one_by_one.rate(RANGES),
        together.rate(RANGES),
        together.ratio_to(&one_by_one)
    );
}

async fn next_k(client: &ProxyClient) -> usize {
    let low_level = client.low_level();
    let scanner = low_level.create_scanner(TABLE, &ScanOptions::default()).await.unwrap();
    let mut cells = 0;
    loop {
        let batch = low_level.next_k(&scanner, i32::try_from(BATCH).unwrap()).await.unwrap();
        cells += batch.entries.len();
        if !batch.more {
            break;
        }
    }
    low_level.close_scanner(&scanner).await.unwrap();
    cells
}

async fn scanner(client: &ProxyClient) -> usize {
    let batches = client.scanner(TABLE, ScanOptions::default());
    batches.try_fold(0, async |cells, batch| Ok(cells + batch.len())).await.unwrap()
}

async fn scan(table: &Arc<dyn Table>, scan: Scan) -> usize {
    let batches = table.scan(scan);
    batches.try_fold(0, async |cells, batch| Ok(cells + batch.len())).await.unwrap()
}
