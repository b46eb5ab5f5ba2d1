//! The thread that owns the write side of the store.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use fluo_table::{Result, table_time};
use tracing::debug;

use super::batch::{Batch, Facts, MaxTimes};
use super::request::{Applied, Call, Queued, Request, Room};
use crate::catch_panic::contain;
use crate::engine::Transaction;
use crate::error::Failure;
use crate::store::Store;

/// The number of mutations after which a commit takes no further call. A call is never split into
/// two commits, so a commit with a large call may have more.
const MAX_COMMIT_MUTATIONS: usize = 4_096;
/// The number of bytes of mutations and conditions after which a commit takes no further call.
const MAX_COMMIT_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct WriterThread {
    store: Arc<Store>,
    times: MaxTimes,
    facts: Facts,
}

impl WriterThread {
    pub(super) fn new(store: Arc<Store>, times: MaxTimes) -> Self {
        Self { store, times, facts: Facts::new() }
    }

    /// Processes requests until there is no sender left and the queue is empty.
    pub(super) fn run(mut self, queue: &Receiver<Queued>) {
        let mut next = None;
        while let Some(queued) = next.take().or_else(|| queue.recv().ok()) {
            match queued.request {
                Request::Job { job, changes_tables } => {
                    if changes_tables {
                        self.facts.clear();
                    }
                    job(&self.store);
                }
                Request::Call(call) => {
                    let mut calls = vec![(call, queued.room)];
                    next = Self::gather(queue, &mut calls);
                    self.commit(calls);
                }
            }
        }
    }

    /// Adds waiting calls up to the bounds. Returns a request that it took but could not add.
    fn gather(queue: &Receiver<Queued>, calls: &mut Vec<(Call, Room)>) -> Option<Queued> {
        let mut mutations: usize = calls.iter().map(|(call, _)| call.write.mutations.len()).sum();
        let mut bytes: usize = calls.iter().map(|(call, _)| call.write.size_bytes()).sum();
        while mutations < MAX_COMMIT_MUTATIONS && bytes < MAX_COMMIT_BYTES {
            let queued = queue.try_recv().ok()?;
            match queued.request {
                Request::Job { .. } => return Some(queued),
                Request::Call(call) => {
                    mutations += call.write.mutations.len();
                    bytes += call.write.size_bytes();
                    calls.push((call, queued.room));
                }
            }
        }
        None
    }

    /// Applies calls in one transaction, commits it, and answers each call. Their room is freed
    /// when they are answered.
    fn commit(&mut self, calls: Vec<(Call, Room)>) {
        let (mut calls, _rooms): (Vec<Call>, Vec<Room>) = calls.into_iter().unzip();
        let committed = self.try_commit(&calls);
        // Before the answers: the next transaction of a caller waits for them. If the outcome is
        // unknown, no more timestamps are handed out.
        calls.iter_mut().for_each(|call| drop(call.write.commit.take()));
        match committed {
            Ok(applied) => {
                for (call, applied) in calls.into_iter().zip(applied) {
                    call.answer(applied);
                }
            }
            Err(error) => {
                for call in calls {
                    call.answer(Err(error.clone()));
                }
            }
        }
    }

    fn try_commit(&mut self, calls: &[Call]) -> Result<Vec<Applied>> {
        let store = self.store.clone();
        let mut transaction = store.begin_write()?;
        let applied = contain(|| self.apply(&mut transaction, calls));
        let (applied, times, has_changes) =
            applied.map_err(|failure| store.write_error(failure))?;
        if has_changes {
            store.commit(transaction)?;
            self.times = times;
            let mutations: usize = calls.iter().map(|call| call.write.mutations.len()).sum();
            debug!(calls = calls.len(), mutations, "committed");
        }
        Ok(applied)
    }

    fn apply(
        &mut self,
        transaction: &mut Transaction<'_>,
        calls: &[Call],
    ) -> Result<(Vec<Applied>, MaxTimes, bool), Failure> {
        let now_ms = calls.iter().map(|call| call.now_ms).max();
        let now_ms = table_time(self.times.assigned_ms, now_ms.unwrap_or(i64::MIN));
        let mut batch = Batch::new(transaction, &mut self.facts, now_ms, self.times);
        let mut applied = Vec::with_capacity(calls.len());
        for call in calls {
            applied.push(batch.apply(&call.write)?);
        }
        let (times, has_changes) = batch.finish()?;
        Ok((applied, times, has_changes))
    }
}
