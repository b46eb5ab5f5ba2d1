//! The embedded table beside the bare storage engine, in one run:
//! `cargo bench -p fluo-tests --bench embedded [seconds per write case]`.
//!
//! - Writes: durable, one row in a call, on the condition that the row is absent, from 64 tasks.
//!   Beside them, the engine with one durable commit for each row, and with 64 rows in a commit of
//!   one writer.
//! - A bulk load of a million rows under hashed keys: the rate, the bytes that are written to disks
//!   for each byte of input, and the time to open the directory again.
//! - A single caller: one small row, a second after two bursts of 64 calls of 4 MiB.
//! - Scans: every cell of the table, beside a range over the same bytes in the engine.
//! - Stalls: operations that stop all writers of a directory with a table of a million entries.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{BulkLoad, KeyDesign, RowHasher};
use fluo_table::{
    Authorizations, Column, Condition, Mutation, Scan, Span, Table, TableAdmin, Versions,
};
use futures::{TryStreamExt, stream};
use tokio::runtime::Runtime;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const TASKS: u64 = 64;
const SCANNED_ROWS: u64 = 1_000_000;
const SCAN_ROUNDS: usize = 3;

fn main() -> Outcome {
    let seconds = std::env::args().find_map(|argument| argument.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(4));
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;

    report(
        "raw engine, 1 row per durable commit",
        raw_writes(directory.path(), 1, time)?,
        "rows/s",
    )?;
    let raw_64 = raw_writes(directory.path(), TASKS, time)?;
    report("raw engine, 64 rows per durable commit", raw_64, "rows/s")?;
    let conditional = conditional_writes(&runtime, directory.path(), time)?;
    report("embedded table, 64 tasks, conditional, durable", conditional, "rows/s")?;
    share("  of the raw engine with 64 rows per commit", conditional, raw_64)?;

    let loaded = runtime.block_on(bulk_load(&directory.path().join("loaded")))?;
    report("embedded table, bulk load", loaded.rows_per_second, "rows/s")?;
    report("  written to disks, of the bytes of the input", loaded.written_percent, "%")?;
    report("  the time to open its directory again", loaded.opening.as_millis(), "ms")?;
    let (table, raw) = scans(&runtime, directory.path())?;
    report("raw engine, range over the same cells", raw, "cells/s")?;
    report("embedded table, scan", table, "cells/s")?;
    share("  of the raw engine", table, raw)?;

    let alone = runtime.block_on(write_after_bursts(&directory.path().join("bursts")))?;
    report("embedded table, one row after bursts", alone.as_micros(), "us")?;
    let (split, deletion) = runtime.block_on(stalls(&directory.path().join("stalls")))?;
    report("splitting a tablet in the middle", split.as_millis(), "ms")?;
    report("deleting the table", deletion.as_millis(), "ms")
}

struct Loaded {
    rows_per_second: u128,
    written_percent: u128,
    opening: Duration,
}

/// Loads rows in random order, and opens the directory again.
async fn bulk_load(directory: &Path) -> Outcome<Loaded> {
    let (tables, table) = new_table(directory).await?;
    let design = KeyDesign::from(&RowHasher::new("p")?);
    let uri = Column::new("page", "uri");
    let mutation = |number| Mutation::new(value(number)).put(uri.clone(), "");
    let (start, before) = (Instant::now(), bytes_written()?);
    let rows = (0..SCANNED_ROWS).map(|number| Ok::<_, std::io::Error>(mutation(number)));
    let loaded = BulkLoad::new(&design).load(&*table, stream::iter(rows)).await?;
    drop((tables, table));
    let (time, written) = (start.elapsed(), bytes_written()? - before);
    let start = Instant::now();
    let _tables = EmbeddedTables::open(directory, EmbeddedOptions::new())?;
    Ok(Loaded {
        rows_per_second: per_second(loaded.written, time),
        written_percent: u128::from(written) * 100 / u128::from(loaded.read_bytes),
        opening: start.elapsed(),
    })
}

/// Returns the number of bytes that this process has written to disks; 0 if the system does not
/// report it.
fn bytes_written() -> Outcome<u64> {
    let Ok(text) = std::fs::read_to_string("/proc/self/io") else { return Ok(0) };
    let bytes = text.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    Ok(bytes.unwrap_or("0").parse()?)
}

/// Measures a small write after bursts, when the table is idle again.
async fn write_after_bursts(directory: &Path) -> Outcome<Duration> {
    let (_, table) = new_table(directory).await?;
    let uri = Column::new("page", "uri");
    for burst in 0..2 {
        let call = |number: u64| {
            let value = vec![b'x'; 4 << 20];
            table.write(vec![Mutation::new(row(burst * TASKS + number)).put(uri.clone(), value)])
        };
        futures::future::try_join_all((0..TASKS).map(call)).await?;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let start = Instant::now();
    table.write(vec![Mutation::new("alone").put(uri, "v")]).await?;
    Ok(start.elapsed())
}

/// Measures the time to split a tablet of [`SCANNED_ROWS`] entries in the middle, and to delete the
/// table.
async fn stalls(directory: &Path) -> Outcome<(Duration, Duration)> {
    let (tables, _) = loaded_table(directory).await?;
    let start = Instant::now();
    tables.add_splits("pages", &["p:80000".into()].into()).await?;
    let split = start.elapsed();
    let start = Instant::now();
    tables.delete_table("pages").await?;
    Ok((split, start.elapsed()))
}

/// Returns the row of a number, in hash order, so that writes are spread.
fn row(number: u64) -> String {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    format!("p:{hash:05x}:org.example/{number:010}")
}

fn value(number: u64) -> String {
    format!("https://www.example.org/a/path/of/some/length/page-{number:010}.html")
}

fn raw_writes(directory: &Path, rows_per_commit: u64, time: Duration) -> Outcome<u128> {
    let (engine, raw) = new_engine(&directory.join(format!("raw-{rows_per_commit}")))?;
    let (start, mut written) = (Instant::now(), 0);
    while start.elapsed() < time {
        let mut batch = engine.batch().durability(Some(PersistMode::SyncData));
        for number in written..written + rows_per_commit {
            batch.insert(&raw, row(number), value(number));
        }
        batch.commit()?;
        written += rows_per_commit;
    }
    Ok(per_second(written, start.elapsed()))
}

fn conditional_writes(runtime: &Runtime, directory: &Path, time: Duration) -> Outcome<u128> {
    let (_, table) = runtime.block_on(new_table(&directory.join("conditional")))?;
    let (next, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| runtime.spawn(write_until(table.clone(), next.clone(), start + time)))
        .collect();
    let mut written = 0;
    for task in tasks {
        written += runtime.block_on(task)??;
    }
    Ok(per_second(written, start.elapsed()))
}

async fn write_until(table: Arc<dyn Table>, next: Arc<AtomicU64>, end: Instant) -> Outcome<u64> {
    let uri = Column::new("page", "uri");
    let mut written = 0;
    while Instant::now() < end {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let mutation = Mutation::new(row(number)).put(uri.clone(), value(number));
        let conditional = mutation.when(Condition::absent(uri.clone()));
        let outcomes = table.write_conditional(vec![conditional]).await?;
        if !outcomes.iter().all(fluo_table::Outcome::is_accepted) {
            return Err("an absent row was rejected".into());
        }
        written += 1;
    }
    Ok(written)
}

/// Returns the rates of the table's scan and of the engine's range.
fn scans(runtime: &Runtime, directory: &Path) -> Outcome<(u128, u128)> {
    let (_, table) = runtime.block_on(loaded_table(&directory.join("scanned")))?;
    let (_engine, raw) = loaded_engine(&directory.join("raw-scanned"))?;
    let (mut best_table, mut best_raw) = (0, 0);
    for _ in 0..SCAN_ROUNDS {
        best_table = best_table.max(runtime.block_on(scan_all(&*table))?);
        best_raw = best_raw.max(range_all(&raw)?);
    }
    Ok((best_table, best_raw))
}

async fn scan_all(table: &dyn Table) -> Outcome<u128> {
    let start = Instant::now();
    let (mut cells, mut bytes) = (0_u64, 0);
    let mut batches = table.scan(Scan::over(Span::all()));
    while let Some(batch) = batches.try_next().await? {
        cells += u64::try_from(batch.len())?;
        bytes += batch.iter().map(|cell| cell.value.len() + cell.key.row.len()).sum::<usize>();
    }
    std::hint::black_box(bytes);
    Ok(per_second(cells, start.elapsed()))
}

fn range_all(raw: &Keyspace) -> Outcome<u128> {
    let start = Instant::now();
    let (mut cells, mut bytes) = (0_u64, 0);
    for entry in raw.iter() {
        let (key, value) = entry.into_inner()?;
        bytes += key.len() + value.len();
        cells += 1;
    }
    std::hint::black_box(bytes);
    Ok(per_second(cells, start.elapsed()))
}

async fn new_table(directory: &Path) -> Outcome<(EmbeddedTables, Arc<dyn Table>)> {
    let options = EmbeddedOptions::new().create_if_missing(true).cache_bytes(1 << 30);
    let tables = EmbeddedTables::open(directory, options)?;
    tables.create_table("pages", Versions::default()).await?;
    let table = tables.open_table("pages", Authorizations::none()).await?;
    Ok((tables, table))
}

async fn loaded_table(directory: &Path) -> Outcome<(EmbeddedTables, Arc<dyn Table>)> {
    let (tables, table) = new_table(directory).await?;
    let uri = Column::new("page", "uri");
    let mut number = 0;
    while number < SCANNED_ROWS {
        let mutation = |number| Mutation::new(row(number)).put(uri.clone(), value(number));
        table.write((number..number + 10_000).map(mutation).collect()).await?;
        number += 10_000;
    }
    Ok((tables, table))
}

/// Creates the engine with entries of the same size: the table's key has 17 bytes more than row and
/// column.
fn loaded_engine(path: &Path) -> Outcome<(Database, Keyspace)> {
    let (engine, raw) = new_engine(path)?;
    for number in 0..SCANNED_ROWS {
        let key = format!("{}page:uri-as-long-as-a-key", row(number));
        raw.insert(key, value(number))?;
    }
    Ok((engine, raw))
}

fn new_engine(path: &Path) -> Outcome<(Database, Keyspace)> {
    let engine = Database::builder(path).cache_size(1 << 30).open()?;
    let raw = engine.keyspace("raw", KeyspaceCreateOptions::default)?;
    Ok((engine, raw))
}

fn per_second(count: u64, time: Duration) -> u128 {
    u128::from(count) * 1_000_000_000 / time.as_nanos().max(1)
}

fn report(what: &str, rate: u128, unit: &str) -> Outcome {
    Ok(writeln!(std::io::stdout(), "{what:<50} {rate:>10} {unit}")?)
}

fn share(what: &str, part: u128, whole: u128) -> Outcome {
    let percent = part * 100 / whole.max(1);
    Ok(writeln!(std::io::stdout(), "{what:<50} {percent:>10} %")?)
}
