//! The thread that owns the write side of the store.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use fluo_table::{Error, ErrorKind, Result};
use redb::WriteTransaction;
use tracing::debug;

use super::batch::{Batch, Facts};
use super::request::{Applied, Call, Queued, Request, Room};
use crate::catch_panic::contain;
use crate::error::Failure;
use crate::store::{CommitFailure, Store};

/// The decision of a job whether to commit its transaction, with the result of the job.
#[derive(Debug)]
pub(crate) enum Verdict<T> {
    /// Commits: the job changed something.
    Commit(T),
    /// Discards: the job changed nothing.
    Discard(T),
}

/// The bounds of one commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommitBounds {
    pub(super) mutations: usize,
    pub(super) bytes: usize,
}

/// The state of the thread.
#[derive(Debug)]
pub(crate) struct WriterThread {
    store: Arc<Store>,
    bounds: CommitBounds,
    last_time_ms: i64,
    facts: Facts,
}

impl WriterThread {
    pub(super) fn new(store: Arc<Store>, bounds: CommitBounds, last_time_ms: i64) -> Self {
        Self {
            store,
            bounds,
            last_time_ms,
            facts: Facts::new(),
        }
    }

    /// Processes requests until there is no sender left and the queue is empty.
    pub(super) fn run(mut self, queue: &Receiver<Queued>) {
        let mut next = None;
        while let Some(queued) = next.take().or_else(|| queue.recv().ok()) {
            match queued.request {
                Request::Job(job) => {
                    job(&mut self);
                    // A job may have changed cached facts.
                    self.facts.clear();
                }
                Request::Call(call) => {
                    let mut calls = vec![(call, queued.room)];
                    next = self.gather(queue, &mut calls);
                    self.commit(calls);
                }
            }
        }
    }

    /// Adds waiting calls up to the bounds. Returns a request that it took but could not add.
    fn gather(&self, queue: &Receiver<Queued>, calls: &mut Vec<(Call, Room)>) -> Option<Queued> {
        let mut mutations: usize = calls.iter().map(|(call, _)| call.mutation_count()).sum();
        let mut bytes: usize = calls.iter().map(|(call, _)| call.size_bytes()).sum();
        while mutations < self.bounds.mutations && bytes < self.bounds.bytes {
            let queued = queue.try_recv().ok()?;
            match queued.request {
                Request::Job(_) => return Some(queued),
                Request::Call(call) => {
                    mutations += call.mutation_count();
                    bytes += call.size_bytes();
                    calls.push((call, queued.room));
                }
            }
        }
        None
    }

    /// Applies calls in one transaction, commits it, and answers each call. Their room is freed
    /// when they are answered.
    fn commit(&mut self, calls: Vec<(Call, Room)>) {
        let (calls, _rooms): (Vec<Call>, Vec<Room>) = calls.into_iter().unzip();
        match self.try_commit(&calls) {
            Ok(applied) => {
                for (call, applied) in calls.into_iter().zip(applied) {
                    call.answer(applied);
                }
            }
            Err(CommitFailure::NothingWritten(failure)) => {
                let error = self.note(failure);
                for call in calls {
                    call.answer(Err(error.clone()));
                }
            }
            Err(CommitFailure::InDoubt(failure)) => {
                let error = in_doubt(&self.note(failure));
                for call in calls {
                    call.answer_in_doubt(&error);
                }
            }
        }
    }

    fn try_commit(&mut self, calls: &[Call]) -> Result<Vec<Applied>, CommitFailure> {
        let transaction = self.begin().map_err(CommitFailure::NothingWritten)?;
        let (applied, has_changes) = match contain(|| self.apply(&transaction, calls)) {
            Ok(applied) => applied,
            Err(failure) => {
                // Cached facts may come from the transaction that is being undone.
                self.facts.clear();
                return Err(CommitFailure::NothingWritten(undo(transaction, failure)));
            }
        };
        if has_changes {
            self.store.commit(transaction)?;
            let mutations: usize = calls.iter().map(Call::mutation_count).sum();
            debug!(calls = calls.len(), mutations, "committed");
        } else {
            let _ = contain(|| Ok(transaction.abort()?));
        }
        Ok(applied)
    }

    fn begin(&self) -> Result<WriteTransaction, Failure> {
        self.store.check_writable()?;
        contain(|| self.store.begin_write())
    }

    fn apply(
        &mut self,
        transaction: &WriteTransaction,
        calls: &[Call],
    ) -> Result<(Vec<Applied>, bool), Failure> {
        let now_ms = calls.iter().map(|call| call.now_ms).max();
        let now_ms = self.last_time_ms.max(now_ms.unwrap_or(i64::MIN));
        let mut batch = Batch::new(transaction, now_ms)?;
        let mut applied = Vec::with_capacity(calls.len());
        for call in calls {
            applied.push(batch.apply(call, &mut self.facts)?);
        }
        // A time that no update received is not a time of the table: it would be lost when the
        // table is opened again.
        if batch.has_assigned_time() {
            self.last_time_ms = now_ms;
        }
        let has_changes = batch.finish()?;
        Ok((applied, has_changes))
    }

    /// Runs a job in its own transaction.
    pub(super) fn run_job<T>(
        &mut self,
        job: impl FnOnce(&WriteTransaction) -> Result<Verdict<T>, Failure>,
    ) -> Result<T> {
        let transaction = self.begin().map_err(|failure| self.note(failure))?;
        match contain(|| job(&transaction)) {
            Err(failure) => Err(self.note(undo(transaction, failure))),
            Ok(Verdict::Discard(result)) => {
                let _ = contain(|| Ok(transaction.abort()?));
                Ok(result)
            }
            Ok(Verdict::Commit(result)) => match self.store.commit(transaction) {
                Ok(()) => Ok(result),
                Err(CommitFailure::NothingWritten(failure)) => Err(self.note(failure)),
                Err(CommitFailure::InDoubt(failure)) => Err(in_doubt(&self.note(failure))),
            },
        }
    }

    /// Returns the error of a failure. Stops further writes if the storage failed.
    fn note(&self, failure: Failure) -> Error {
        let is_of_the_storage = failure.is_of_the_storage();
        let error = self.store.error_of(failure);
        if is_of_the_storage {
            self.store.stop_writing(&error);
        }
        error
    }
}

/// Undoes the effects of a transaction before its failure. If that fails, returns the failure of
/// the undoing, unless the first one was already one of the storage.
fn undo(transaction: WriteTransaction, failure: Failure) -> Failure {
    match contain(|| Ok(transaction.abort()?)) {
        Err(of_undoing) if !failure.is_of_the_storage() => of_undoing.leaving_doubt(),
        _ => failure,
    }
}

fn in_doubt(cause: &Error) -> Error {
    let message = format!(
        "the commit failed at its last step, so the write may or may not be in force: {cause}; open \
         the directory again and check"
    );
    Error::with_source(ErrorKind::Uncertain, message, cause.clone())
}

#[cfg(test)]
mod tests {
    use fluo_table::{Authorizations, Column, Condition, Mutation, Outcome};
    use tokio::sync::oneshot;

    use super::super::request::{TableRef, Work};
    use super::*;

    #[test]
    fn a_commit_in_doubt_is_an_unknown_outcome_and_an_uncertain_error() {
        let cause = Error::new(
            ErrorKind::Storage,
            "the storage of the directory `d` failed: gone",
        );
        let error = in_doubt(&cause);
        assert_eq!(error.kind(), ErrorKind::Uncertain);
        assert_eq!(
            error.to_string(),
            "the commit failed at its last step, so the write may or may not be in force: the storage of the \
             directory `d` failed: gone; open the directory again and check"
        );
        let column = Column::new("f", "q");
        let mutation = Mutation::new("r").put(column.clone(), "v");
        let table = TableRef {
            id: 1,
            name: "t".into(),
        };

        let (answer, mut answered) = oneshot::channel();
        let work = Work::Plain {
            mutations: vec![mutation.clone()],
            answer,
        };
        Call {
            table: table.clone(),
            work,
            now_ms: 0,
        }
        .answer_in_doubt(&error);
        assert_eq!(
            answered.try_recv().unwrap().unwrap_err().kind(),
            ErrorKind::Uncertain
        );

        let (answer, mut answered) = oneshot::channel();
        let mutations = vec![mutation.when(Condition::absent(column)); 2];
        let authorizations = Arc::new(Authorizations::none());
        Call {
            table: table.clone(),
            work: Work::Conditional {
                mutations: mutations.clone(),
                authorizations: authorizations.clone(),
                answer,
            },
            now_ms: 0,
        }
        .answer_in_doubt(&error);
        let outcomes = answered.try_recv().unwrap().unwrap();
        assert!(matches!(
            outcomes.as_slice(),
            [Outcome::Unknown(_), Outcome::Unknown(_)]
        ));

        let (answer, mut answered) = oneshot::channel();
        Call {
            table,
            work: Work::Together {
                mutations,
                authorizations,
                answer,
            },
            now_ms: 0,
        }
        .answer_in_doubt(&error);
        let outcome = answered.try_recv().unwrap().unwrap();
        assert!(matches!(outcome, Outcome::Unknown(_)));
    }
}
