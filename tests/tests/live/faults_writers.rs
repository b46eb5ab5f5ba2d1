//! Writers that record the outcome of each write, and a check of the table against these records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Table};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::faults_ground::{pair, say};

/// Rows of one write.
const ROWS: usize = 40;
pub(crate) const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);
/// Maximum time until writers succeed (again).
const PATIENCE: Duration = Duration::from_secs(300);

/// Signals between a test and its writers.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    is_over: AtomicBool,
    successes: AtomicUsize,
}

impl Signals {
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Waits until this number of further calls succeed.
    pub(crate) async fn successes(&self, more: usize) {
        let wanted = self.successes.load(Ordering::SeqCst) + more;
        let start = Instant::now();
        while self.successes.load(Ordering::SeqCst) < wanted {
            assert!(start.elapsed() < PATIENCE, "nothing is written any more");
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn go_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }

    pub(crate) fn succeeded(&self) {
        self.successes.fetch_add(1, Ordering::SeqCst);
    }
}

/// Outcomes of the writes, by row.
#[derive(Debug, Default)]
pub(crate) struct Told {
    acknowledged: BTreeSet<String>,
    uncertain: BTreeSet<String>,
    nothing_done: BTreeSet<String>,
    pub(crate) errors: Vec<Error>,
}

/// Returns rows that begin with a digit, spread evenly over ten ranges.
pub(crate) fn rows(topic: &str, write: usize) -> Vec<String> {
    (0..ROWS).map(|row| format!("{}-{topic}-{write:06}-{row:02}", row % 10)).collect()
}

fn value(row: &str) -> String {
    format!("of {row}")
}

/// Writes rows that no other writer writes, until the test ends it or, on request, until its first
/// failure.
pub(crate) fn load(
    table: &Arc<dyn Table>,
    signals: &Arc<Signals>,
    writer: usize,
    ends_at_failure: bool,
) -> JoinHandle<Told> {
    let (table, signals) = (Arc::clone(table), Arc::clone(signals));
    tokio::spawn(async move {
        let mut told = Told::default();
        let mut write = 0;
        while signals.go_on() && (told.errors.is_empty() || !ends_at_failure) {
            let rows = rows(&format!("w{writer}"), write);
            let mutations = rows.iter().map(|row| pair(row, &value(row))).collect();
            match table.write(mutations).await {
                Ok(()) => {
                    signals.succeeded();
                    told.acknowledged.extend(rows);
                }
                Err(error) => {
                    told.failed(rows, error);
                    sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
            write += 1;
        }
        told
    })
}

impl Told {
    fn failed(&mut self, rows: Vec<String>, error: Error) {
        match error.kind() {
            ErrorKind::Unavailable => self.nothing_done.extend(rows),
            ErrorKind::Uncertain => self.uncertain.extend(rows),
            other => panic!("{other:?}: {error}"),
        }
        self.errors.push(error);
    }

    pub(crate) async fn of(writers: Vec<JoinHandle<Told>>) -> Told {
        let mut all = Told::default();
        for writer in writers {
            all.add(writer.await.unwrap());
        }
        all
    }

    pub(crate) fn add(&mut self, told: Told) {
        self.acknowledged.extend(told.acknowledged);
        self.uncertain.extend(told.uncertain);
        self.nothing_done.extend(told.nothing_done);
        self.errors.extend(told.errors);
    }

    pub(crate) fn has(&self, kind: ErrorKind) -> bool {
        self.errors.iter().any(|error| error.kind() == kind)
    }

    /// Checks that every acknowledged row exists, that no row of a rejected write exists, and that
    /// a writer wrote each row.
    pub(crate) fn check(&self, found: &BTreeMap<String, String>) {
        for row in &self.acknowledged {
            assert_eq!(found.get(row), Some(&value(row)), "acknowledged");
        }
        for row in &self.nothing_done {
            assert_eq!(found.get(row), None, "the write was rejected");
        }
        for row in found.keys().filter(|row| row.contains("-w")) {
            assert!(self.acknowledged.contains(row) || self.uncertain.contains(row));
        }
        let late = self.uncertain.iter().filter(|row| found.contains_key(*row));
        say(&format!(
            "{} rows acknowledged; {} uncertain, of which {} are there; nothing done of {}",
            self.acknowledged.len(),
            self.uncertain.len(),
            late.count(),
            self.nothing_done.len()
        ));
    }

    #[track_caller]
    pub(crate) fn message(&self, kind: ErrorKind) -> String {
        message(&self.errors, kind)
    }
}

/// Returns the first message of a kind.
#[track_caller]
pub(crate) fn message(errors: &[Error], kind: ErrorKind) -> String {
    let error = errors.iter().find(|error| error.kind() == kind);
    error.unwrap_or_else(|| panic!("no error is {kind:?}: {errors:?}")).to_string()
}
