//! A process is killed at a random instant while it writes. No acknowledged write is lost. No
//! mutation, and no group of rows that was written together, is stored in part. The directory opens
//! and passes its check.
//!
//! `FLUO_SOAK` multiplies the number of rounds.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroU32;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications, Coordination};
use fluo_table::{
    Authorizations, Column, Condition, Error, Garbage, Mutation, Outcome, Result, Scan, Span,
    Table, TableAdmin, Versions,
};

use super::{SOAK, setting};

pub(super) const IN_CHILD: &str = "FLUO_KILL_CHILD";
const ROUNDS: u64 = 5;
const TASKS: u64 = 16;

fn columns() -> [Column; 2] {
    [Column::new("page", "first"), Column::new("page", "second")]
}

fn row(number: u64) -> String {
    format!("{:04x}:{number}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48)
}

/// Returns the row that is written together with [`row`], far away from it.
fn other_row(number: u64) -> String {
    format!("~{}", row(number))
}

fn not_together() -> Error {
    Error::invalid("rows are not written together")
}

/// Returns the value of a row: its number, and noise. Often the noise fills some sectors of a disk,
/// and no compression makes it shorter.
fn value(number: u64) -> Vec<u8> {
    let mut dice = fastrand::Rng::with_seed(number);
    let longest = dice.choice([1, 600, 13_000]).unwrap();
    let noise: Vec<u8> = (0..dice.usize(0..longest)).map(|_| dice.u8(..)).collect();
    [&number.to_be_bytes()[..], &noise].concat()
}

/// Writes without end, and prints each number once its row, or its two rows, are acknowledged.
async fn write_for_ever(table: Arc<dyn Table>, next: Arc<AtomicU64>) -> Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let [first, second] = columns();
        let mutation = Mutation::new(row(number)).put(first.clone(), value(number));
        let free = Condition::absent(first);
        let is_written = match number % 2 {
            0 => {
                let both = mutation.put(second, value(number));
                let outcomes = table.write_conditional(vec![both.when(free)]).await?;
                outcomes.iter().all(Outcome::is_accepted)
            }
            // The second column in a row of its own.
            _ => {
                let other = Mutation::new(other_row(number)).put(second.clone(), value(number));
                let both = vec![mutation.when(free), other.when(Condition::absent(second))];
                let together = table.together().ok_or_else(not_together)?;
                together.write_atomically(both, None).await?.is_accepted()
            }
        };
        if !is_written {
            return Err(Error::invalid(format!("row {number} already exists")));
        }
        let printed = writeln!(std::io::stdout().lock(), "written {number}");
        printed.map_err(|error| Error::invalid(error.to_string()))?;
    }
}

/// Requests timestamps and numbers of transactors without end, and prints them.
async fn stamp_for_ever(web: &dyn Coordination) -> Result<()> {
    loop {
        let block = web.timestamps(NonZeroU32::MIN.saturating_add(700)).await?;
        let id = web.begin_transactor().await?.id();
        let last = block.iter().last().unwrap_or(block.first);
        let (first, id) = (block.first, id.0);
        let printed = writeln!(std::io::stdout().lock(), "stamped {first} {last} {id}");
        printed.map_err(|error| Error::invalid(error.to_string()))?;
    }
}

/// Writes the entries of another table to files again and again, and merges them.
async fn compact_for_ever(tables: &EmbeddedTables) -> Result<()> {
    let counters = tables.open_table("counters", Authorizations::none()).await?;
    let [column, _] = columns();
    for count in 0.. {
        counters.write(vec![Mutation::new("count").put(&column, format!("{count}"))]).await?;
        tables.compact("counters", &Span::all(), Garbage::Keep).await?;
    }
    Ok(())
}

async fn write_from(directory: &Path, first: u64) -> Result<()> {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options)?;
    if tables.tables().await?.is_empty() {
        tables.create_table("counters", Versions::default()).await?;
        tables.create_table("pages", Versions::default()).await?;
        tables.add_splits("pages", &["4".into(), "8".into(), "c".into()].into()).await?;
    }
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let next = Arc::new(AtomicU64::new(first));
    let applications = tables.applications();
    if applications.list().await?.is_empty() {
        let application = Application::new("1", "pages");
        applications.initialize("web", application).await?;
    }
    let web = applications.open("web").await?;
    let tasks = (0..TASKS).map(|_| write_for_ever(pages.clone(), next.clone()));
    let tasks = futures::future::try_join_all(tasks);
    let rest = futures::future::try_join(stamp_for_ever(&*web), compact_for_ever(&tables));
    futures::future::try_join(tasks, rest).await.map(drop)
}

/// Runs only as the child process of the test below, which kills it.
#[test]
fn child() {
    let Ok(directory) = std::env::var(IN_CHILD) else {
        return;
    };
    let (first, directory) = directory.split_once(' ').unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime.block_on(write_from(Path::new(directory), first.parse().unwrap())).unwrap();
}

/// The acknowledgements of children.
#[derive(Default)]
pub(super) struct Acknowledged {
    /// Numbers of rows.
    written: Vec<u64>,
    last_timestamp: u64,
    last_transactor: u64,
}

impl Acknowledged {
    /// Reads a line that a child printed. A kill may have cut the last one, which then has no
    /// number, or still one that was acknowledged.
    pub(super) fn read(&mut self, line: &str) {
        if let Some(number) = line.strip_prefix("written ") {
            self.written.extend(number.parse::<u64>());
        }
        if let Some(numbers) = line.strip_prefix("stamped ") {
            let numbers: Vec<u64> =
                numbers.split(' ').map_while(|number| number.parse().ok()).collect();
            if let [first, last, transactor] = numbers[..] {
                self.add_block(first, last, transactor);
            }
        }
    }

    fn add_block(&mut self, first: u64, last: u64, transactor: u64) {
        assert!(first > self.last_timestamp, "{first} after {}", self.last_timestamp);
        assert!(transactor > self.last_transactor, "{transactor} after {}", self.last_transactor);
        (self.last_timestamp, self.last_transactor) = (last, transactor);
    }

    /// Checks whether a table or an application was acknowledged: then both exist.
    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.last_timestamp == 0
    }
}

/// Lets a child write for a while, kills it, and returns the lines that it printed.
fn killed_after(directory: &Path, first: u64, time: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture"])
        .env(IN_CHILD, format!("{first} {}", directory.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (acknowledges, first_line) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let signal = |line: &String| {
            if line.starts_with("written") || line.starts_with("stamped") {
                let _ = acknowledges.send(());
            }
        };
        lines.map_while(std::result::Result::ok).inspect(signal).collect()
    });
    // The time begins with the first acknowledgement: a busy machine starts a process slowly.
    let _ = first_line.recv();
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Returns the numbers of the stored rows, each with its number of columns, and a new timestamp and
/// transactor.
async fn found(directory: &Path) -> Result<(BTreeMap<u64, u64>, [u64; 2])> {
    let report = EmbeddedTables::check(directory)?;
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new())?;
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let mut columns_of = BTreeMap::new();
    for cell in pages.read(Scan::over(Span::all())).await? {
        let number = u64::from_be_bytes(*cell.value.first_chunk().unwrap());
        assert_eq!(cell.value, value(number));
        assert!(cell.key.row == row(number) || cell.key.row == other_row(number));
        *columns_of.entry(number).or_default() += 1;
    }
    let entries: u64 = tables.tablets("pages").await?.entries();
    assert_eq!(entries, columns_of.values().sum::<u64>());
    assert_eq!(entries + tables.tablets("counters").await?.entries(), report.entries);
    let web = tables.applications().open("web").await?;
    let timestamp = web.timestamps(NonZeroU32::MIN).await?.first;
    Ok((columns_of, [timestamp.get(), web.begin_transactor().await?.id().0]))
}

/// Verifies that a directory has everything that was acknowledged, and nothing in part. Returns the
/// next number of a row.
pub(super) fn verify(directory: &Path, acknowledged: &Acknowledged, what: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime.block_on(found(directory));
    let (found, [timestamp, transactor]) = found.unwrap_or_else(|error| panic!("{what}: {error}"));
    let written = acknowledged.written.iter();
    let lost: Vec<_> = written.filter(|number| !found.contains_key(number)).collect();
    assert!(lost.is_empty(), "{what}: lost {lost:?}");
    let parts: Vec<_> = found.iter().filter(|(_, columns)| **columns != 2).collect();
    assert!(parts.is_empty(), "{what}: in part {parts:?}");
    assert!(timestamp > acknowledged.last_timestamp, "{what}: timestamp {timestamp}");
    assert!(transactor > acknowledged.last_transactor, "{what}: transactor {transactor}");
    found.keys().next_back().map_or(0, |last| last + 1)
}

#[test]
fn a_kill_loses_no_acknowledged_write() {
    for soak in 0..setting(SOAK, 1) {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        let (mut acknowledged, mut next) = (Acknowledged::default(), 0);
        for round in 0..ROUNDS {
            let nanos = u64::from(Instant::now().elapsed().subsec_nanos()) + round * 7_919;
            let time = Duration::from_millis(60 + nanos.wrapping_mul(2_654_435_761) % 400);
            let lines = killed_after(&directory, next, time);
            lines.iter().for_each(|line| acknowledged.read(line));
            // Otherwise the process was killed before it created the table.
            if !acknowledged.is_empty() {
                next = verify(&directory, &acknowledged, &format!("round {soak}.{round}"));
            }
        }
        let [one, two] = [0, 1].map(|rows| acknowledged.written.iter().any(|row| row % 2 == rows));
        assert!(
            one && two && acknowledged.last_transactor > 0,
            "no round lasted long enough to write anything"
        );
    }
}
