//! An ordered scan over 64 salts beside the same scan of the unsalted table, in one run:
//! `cargo bench -p fluo-tests --bench salted_scan [rounds]`.
//!
//! Two embedded tables contain the same million rows, one without a salt and one under 64 salts.
//! Both are read completely, in order, alternately; the time of each is the best of its rounds.
//! Budget: the salted scan takes at most 1.2 times as long.
//!
//! Then the first 1,000 rows: the time, and the number of cells that are read (budget: the first
//! cells of 64 pieces). The other designs show the cost of more pieces and of slower hashes.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{DigestSalt, KeyDesign, Modulo, RowSelection, SaltedScan};
use fluo_table::{Authorizations, Column, Mutation, Scan, Span, Table, TableAdmin, Versions};
use fluo_tests::FaultyTables;
use futures::TryStreamExt;
use tokio::runtime::Runtime;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const ROWS: u64 = 1_000_000;
const LIMIT: u64 = 1_000;

fn main() -> Outcome {
    let rounds = std::env::args().find_map(|argument| argument.parse().ok());
    let rounds = rounds.unwrap_or(5);
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let modulo = |buckets| KeyDesign::new(Modulo { buckets, ..Modulo::default() });
    let digest = |digits| KeyDesign::new(DigestSalt { digits, ..DigestSalt::default() });
    let designs = [
        ("64 salts of a modulus", modulo(64)?),
        ("16 salts of MD5", digest(1)?),
        ("256 salts of MD5", digest(2)?),
    ];
    let plain = Loaded::new(&runtime, &directory.path().join("plain"), None)?;
    for (index, (name, design)) in designs.iter().enumerate() {
        let path = directory.path().join(format!("salted-{index}"));
        let salted = Loaded::new(&runtime, &path, Some(design))?;
        compare(&runtime, name, design, &plain, &salted, rounds)?;
    }
    Ok(())
}

/// A table with all rows.
struct Loaded {
    table: Arc<dyn Table>,
    record: FaultyTables,
    recorded: Arc<dyn Table>,
}

impl Loaded {
    fn new(runtime: &Runtime, directory: &Path, design: Option<&KeyDesign>) -> Outcome<Self> {
        runtime.block_on(async {
            let options = EmbeddedOptions::new().create_if_missing(true).cache_bytes(1 << 30);
            let tables = EmbeddedTables::open(directory, options)?;
            tables.create_table("pages", Versions::default()).await?;
            let table = tables.open_table("pages", Authorizations::none()).await?;
            let uri = Column::new("page", "uri");
            for first in (0..ROWS).step_by(10_000) {
                let mutation = |number| -> Outcome<Mutation> {
                    let row = row(number);
                    let key = match design {
                        Some(design) => design.encode_row(row.as_bytes())?,
                        None => row.into(),
                    };
                    Ok(Mutation::new(key).put(uri.clone(), value(number)))
                };
                let mutations: Outcome<Vec<_>> = (first..first + 10_000).map(mutation).collect();
                table.write(mutations?).await?;
            }
            let record = FaultyTables::new(Arc::new(tables));
            let recorded = record.open_table("pages", Authorizations::none()).await?;
            Ok(Self { table, record, recorded })
        })
    }
}

fn compare(
    runtime: &Runtime,
    name: &str,
    design: &KeyDesign,
    plain: &Loaded,
    salted: &Loaded,
    rounds: u32,
) -> Outcome {
    let (mut unsalted_time, mut salted_time) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        unsalted_time = unsalted_time.min(runtime.block_on(scan_plain(&plain.table))?);
        salted_time = salted_time.min(runtime.block_on(scan_salted(design, &salted.table))?);
    }
    let ratio = salted_time.as_micros() * 1_000 / unsalted_time.as_micros().max(1);
    report("a million rows, unsalted", unsalted_time.as_millis(), "ms")?;
    report(name, salted_time.as_millis(), "ms")?;
    report("  of the time of the unsalted scan", ratio, "/ 1000")?;

    let count = || (salted.record.cells(), salted.record.scans());
    let before = count();
    let start = Instant::now();
    let scan = SaltedScan::new(design, &RowSelection::All)?.limit(LIMIT);
    let batches = scan.run(salted.recorded.clone());
    let rows: usize = runtime
        .block_on(batches.try_collect::<Vec<_>>())?
        .iter()
        .map(fluo_keys::RowBatch::len)
        .sum();
    let time = start.elapsed();
    let after = count();
    if u64::try_from(rows)? != LIMIT {
        return Err("the scan did not return as many rows as its limit".into());
    }
    report("  its first 1,000 rows", time.as_micros(), "us")?;
    let cells = u128::try_from(after.0 - before.0)?;
    report("    cells that were read", cells, "cells")?;
    let scans = u128::try_from(after.1 - before.1)?;
    report("    scans that were made", scans, "scans")
}

async fn scan_plain(table: &Arc<dyn Table>) -> Outcome<Duration> {
    let start = Instant::now();
    let mut seen = Seen::default();
    let mut batches = table.scan(Scan::over(Span::all()));
    while let Some(batch) = batches.try_next().await? {
        for cell in &batch {
            seen.row(&cell.key.row, cell.value.len());
        }
    }
    seen.check()?;
    Ok(start.elapsed())
}

async fn scan_salted(design: &KeyDesign, table: &Arc<dyn Table>) -> Outcome<Duration> {
    let start = Instant::now();
    let mut seen = Seen::default();
    let mut batches = SaltedScan::new(design, &RowSelection::All)?.run(table.clone());
    while let Some(batch) = batches.try_next().await? {
        for row in batch.rows() {
            let value = row.cells.first().map_or(0, |cell| cell.value.len());
            seen.row(row.row, value);
        }
    }
    seen.check()?;
    Ok(start.elapsed())
}

/// A reader of rows that does little, and the same for both tables.
#[derive(Default)]
struct Seen {
    rows: u64,
    value_bytes: usize,
    last: Vec<u8>,
    is_unordered: bool,
}

impl Seen {
    fn row(&mut self, row: &[u8], value_bytes: usize) {
        self.is_unordered |= row <= self.last.as_slice();
        self.last.clear();
        self.last.extend_from_slice(row);
        self.rows += 1;
        self.value_bytes += value_bytes;
    }

    fn check(&self) -> Outcome {
        if self.rows == ROWS && !self.is_unordered && self.value_bytes > 0 {
            return Ok(());
        }
        Err(format!("{} rows, out of order: {}", self.rows, self.is_unordered).into())
    }
}

/// Returns the row of a number, in an order that is not the order of writing.
fn row(number: u64) -> String {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    format!("org.example.{hash:05x}/{number:010}")
}

fn value(number: u64) -> String {
    format!("https://www.example.org/a/path/of/some/length/page-{number:010}.html")
}

fn report(what: &str, figure: u128, unit: &str) -> Outcome {
    Ok(writeln!(std::io::stdout(), "{what:<50} {figure:>10} {unit}")?)
}
