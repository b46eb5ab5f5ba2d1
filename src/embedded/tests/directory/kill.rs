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
    Authorizations, Column, Condition, Error, Mutation, Outcome, Result, Scan, Span, Table,
    TableAdmin, Versions,
};

use super::{SOAK, setting};

const IN_CHILD: &str = "FLUO_KILL_CHILD";
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

/// Writes without end, and prints each number once its row, or its two rows, are acknowledged.
async fn write_for_ever(table: Arc<dyn Table>, next: Arc<AtomicU64>) -> Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let [first, second] = columns();
        let mutation = Mutation::new(row(number)).put(first.clone(), number.to_string());
        let free = Condition::absent(first);
        let is_written = match number % 2 {
            0 => {
                let both = mutation.put(second, number.to_string());
                let outcomes = table.write_conditional(vec![both.when(free)]).await?;
                outcomes.iter().all(Outcome::is_accepted)
            }
            // The second column in a row of its own.
            _ => {
                let other =
                    Mutation::new(other_row(number)).put(second.clone(), number.to_string());
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

async fn write_from(directory: &Path, first: u64) -> Result<()> {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options)?;
    if tables.tables().await?.is_empty() {
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
    futures::future::try_join(tasks, stamp_for_ever(&*web)).await.map(drop)
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

/// The acknowledgements that a child printed before it was killed.
#[derive(Default)]
struct Acknowledged {
    /// Numbers of rows.
    written: Vec<u64>,
    /// First and last timestamp of a block, and the number of a transactor.
    stamped: Vec<[u64; 3]>,
}

impl Acknowledged {
    fn read(&mut self, line: &str) {
        // The kill may cut the last line. It then has no number, or still one that was
        // acknowledged.
        if let Some(number) = line.strip_prefix("written ") {
            self.written.extend(number.parse::<u64>());
        }
        if let Some(numbers) = line.strip_prefix("stamped ") {
            let numbers = numbers.split(' ').map_while(|number| number.parse().ok());
            self.stamped.extend(<[u64; 3]>::try_from(numbers.collect::<Vec<_>>()));
        }
    }
}

/// Lets a child write for a while, kills it, and returns its acknowledgements.
fn killed_after(directory: &Path, first: u64, time: Duration) -> Acknowledged {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::child", "--nocapture"])
        .env(IN_CHILD, format!("{first} {}", directory.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (acknowledges, first_line) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut acknowledged = Acknowledged::default();
        for line in lines.map_while(std::result::Result::ok) {
            acknowledged.read(&line);
            if !(acknowledged.written.is_empty() && acknowledged.stamped.is_empty()) {
                let _ = acknowledges.send(());
            }
        }
        acknowledged
    });
    // The time begins with the first acknowledgement: a busy machine starts a process slowly.
    let _ = first_line.recv();
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Returns the numbers of the stored rows, each with its number of columns.
async fn found(directory: &Path) -> Result<BTreeMap<u64, u64>> {
    let report = EmbeddedTables::check(directory)?;
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new())?;
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let mut columns_of = BTreeMap::new();
    for cell in pages.read(Scan::over(Span::all())).await? {
        let number: u64 = std::str::from_utf8(&cell.value).unwrap().parse().unwrap();
        assert!(cell.key.row == row(number) || cell.key.row == other_row(number));
        *columns_of.entry(number).or_default() += 1;
    }
    let entries: u64 = tables.tablets("pages").await?.entries();
    assert_eq!(entries, columns_of.values().sum::<u64>());
    assert_eq!(entries, report.entries);
    Ok(columns_of)
}

#[test]
fn a_kill_loses_no_acknowledged_write() {
    let rounds = ROUNDS * setting(SOAK, 1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    let (mut acknowledged, mut next) = (Vec::new(), 0);
    let (mut last_stamp, mut last_id) = (1, 0);
    for round in 0..rounds {
        let nanos = u64::from(Instant::now().elapsed().subsec_nanos()) + round * 7_919;
        let time = Duration::from_millis(60 + nanos.wrapping_mul(2_654_435_761) % 400);
        let Acknowledged { written, stamped } = killed_after(&directory, next, time);
        acknowledged.extend(written);
        for [first, last, id] in stamped {
            assert!(first > last_stamp, "round {round}: {first} after {last_stamp}");
            assert!(id > last_id, "round {round}: transactor {id} after {last_id}");
            (last_stamp, last_id) = (last, id);
        }
        if acknowledged.is_empty() {
            // The process was killed before it created the table.
            continue;
        }
        let found = runtime.block_on(found(&directory)).unwrap();
        let lost: Vec<_> =
            acknowledged.iter().filter(|number| !found.contains_key(number)).collect();
        assert!(lost.is_empty(), "round {round}: lost {lost:?}");
        let parts: Vec<_> = found.iter().filter(|(_, columns)| **columns != 2).collect();
        assert!(parts.is_empty(), "round {round}: in part {parts:?}");
        next = found.keys().next_back().map_or(0, |last| last + 1);
    }
    let [one, two] = [0, 1].map(|rows| acknowledged.iter().any(|number| number % 2 == rows));
    assert!(
        rounds == 0 || one && two && last_id > 0,
        "no round lasted long enough to write anything"
    );
}
