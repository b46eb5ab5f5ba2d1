//! A table that records the effect of each changing call.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{
    Bytes, Cell, CellBatches, ConditionalMutation, Error, ErrorKind, Escaped, Key, MultiRowWrite,
    Mutation, Outcome, Result, Scan, Span, Table, TableExt,
};
use tokio::sync::Mutex;

use crate::shown;

/// A table that records the conditions of each changing call, and the entries that are new after
/// it.
#[derive(Debug)]
pub(crate) struct SteppingTable {
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

impl SteppingTable {
    pub(crate) fn new(inner: Arc<dyn Table>) -> Self {
        Self {
            inner,
            notes: Mutex::default(),
            left: Mutex::default(),
        }
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

    async fn next(&self) -> Result<()> {
        let mut left = self.left.lock().await;
        match left.as_mut() {
            None => Ok(()),
            // A permanent error, so that the caller does not retry.
            Some(0) => Err(Error::new(ErrorKind::Storage, "cut off")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
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
impl Table for SteppingTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.inner.scan(scan)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.next().await?;
        let rows: Vec<_> = mutations
            .iter()
            .map(|mutation| mutation.row.clone())
            .collect();
        self.inner.write(mutations).await?;
        self.note("write", &rows, "").await;
        Ok(())
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        self.next().await?;
        let (rows, conditions) = asked(&mutations);
        let outcomes = self.inner.write_conditional(mutations).await?;
        let rejected = outcomes
            .iter()
            .zip(&rows)
            .filter(|(outcome, _)| outcome.is_rejected());
        let rejected = rejected.map(|(_, row)| format!("  {} is rejected\n", Escaped(row)));
        let conditions: String = [conditions].into_iter().chain(rejected).collect();
        self.note("conditional write", &rows, &conditions).await;
        Ok(outcomes)
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        self.inner.together().map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for SteppingTable {
    async fn write_atomically(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome> {
        self.next().await?;
        let (rows, conditions) = asked(&mutations);
        let inner = self.inner.together().unwrap();
        let outcome = inner.write_atomically(mutations).await?;
        self.note("write together", &rows, &conditions).await;
        Ok(outcome)
    }
}

/// Returns the rows of some mutations, and their formatted conditions.
fn asked(mutations: &[ConditionalMutation]) -> (Vec<Bytes>, String) {
    let rows = mutations.iter().map(|it| it.mutation.row.clone());
    let conditions = mutations.iter().map(shown::conditions);
    (rows.collect(), conditions.collect())
}
