//! A table that records the effect of each changing call.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{Bytes, Cell, Error, ErrorKind, Escaped, Key, Outcome, Result, Scan, Span, Table};
use fluo_tests::{Call, Fault, Hooks, Intercepted};
use tokio::sync::Mutex;

use crate::shown;

pub(crate) type SteppingTable = Intercepted<dyn Table, Stepping>;

/// Hooks that record the conditions of each changing call, and the entries that are new after it.
#[derive(Debug)]
pub(crate) struct Stepping {
    inner: Arc<dyn Table>,
    notes: Mutex<Notes>,
    /// Number of changing calls that still succeed, or `None` for no limit.
    left: Mutex<Option<usize>>,
}

#[derive(Debug, Default)]
struct Notes {
    text: String,
    known: BTreeSet<(Key, Bytes)>,
}

impl Stepping {
    pub(crate) fn new(inner: Arc<dyn Table>) -> Self {
        Self { inner, notes: Mutex::default(), left: Mutex::default() }
    }

    /// Lets a number of changing calls succeed. Each later one fails.
    pub(crate) async fn cut_off_after(&self, calls: usize) {
        *self.left.lock().await = Some(calls);
    }

    /// Lets all calls succeed again.
    pub(crate) async fn restore(&self) {
        *self.left.lock().await = None;
    }

    /// Adds a line of prose.
    pub(crate) async fn say(&self, line: &str) {
        let text = &mut self.notes.lock().await.text;
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
        text.push_str(":\n");
    }

    /// Returns the notes, and clears them.
    pub(crate) async fn take_notes(&self) -> String {
        std::mem::take(&mut self.notes.lock().await.text)
    }

    /// Records a call, and the entries that are new since the previous one.
    async fn note(&self, call: &str, rows: &[Bytes], conditions: &str) {
        let mut notes = self.notes.lock().await;
        let rows: Vec<_> = rows.iter().map(|row| Escaped(row).to_string()).collect();
        if !notes.text.is_empty() {
            notes.text.push('\n');
        }
        let call = format!("{call}: {}\n{conditions}", rows.join(", "));
        notes.text.push_str(&call);
        let stored: Vec<Cell> = self.inner.read(Scan::over(Span::all())).await.unwrap();
        for cell in stored {
            if notes.known.insert((cell.key.clone(), cell.value.clone())) {
                notes.text.push_str(&shown::entry(&cell));
            }
        }
    }
}

#[async_trait]
impl Hooks for Stepping {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        let mut left = self.left.lock().await;
        match left.as_mut().filter(|_| call.is_write()) {
            None => {}
            // A permanent error, so that the caller does not retry.
            Some(0) => return Err(Error::new(ErrorKind::Storage, "cut off")),
            Some(left) => *left -= 1,
        }
        Ok(None)
    }

    async fn after(&self, call: &Call, answer: &mut Result<Vec<Outcome>>) {
        let Ok(outcomes) = answer else { return };
        let (name, conditional) = match call {
            Call::WriteConditional(mutations) => ("conditional write", &mutations[..]),
            Call::WriteAtomically(mutations) => ("write together", &mutations[..]),
            _ => ("write", &[][..]),
        };
        let rows: Vec<_> = call.mutations().iter().map(|one| one.row.clone()).collect();
        let mut conditions: String = conditional.iter().map(shown::conditions).collect();
        if name == "conditional write" {
            for (outcome, row) in outcomes.iter().zip(&rows) {
                if outcome.is_rejected() {
                    conditions += &format!("  {} is rejected\n", Escaped(row));
                }
            }
        }
        self.note(name, &rows, &conditions).await;
    }
}
