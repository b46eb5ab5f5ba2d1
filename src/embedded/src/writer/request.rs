//! The requests to the writer.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Authorizations, ConditionalMutation, Error, Mutation, Outcome, Result};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::thread::WriterThread;

/// A request, and the room in the queue that it takes until it has been answered.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) request: Request,
    pub(super) room: Room,
}

/// Room in the queue; dropping it frees the room.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) _mutations: OwnedSemaphorePermit,
    pub(super) _bytes: OwnedSemaphorePermit,
}

/// The content of a request.
pub(super) enum Request {
    /// A write that can share a commit with others.
    Call(Call),
    /// Any other request, which has its own transaction.
    Job(Box<dyn FnOnce(&mut WriterThread) + Send>),
}

/// One call of a table's `write`, `write_conditional` or `write_atomically`.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) table: TableRef,
    pub(super) work: Work,
    /// The time at which the call was made, by the clock.
    pub(super) now_ms: i64,
}

/// The table of a call. The id distinguishes it from a table that is created later under the same
/// name.
#[derive(Clone, Debug)]
pub(crate) struct TableRef {
    pub(crate) id: u64,
    pub(crate) name: Arc<str>,
}

#[derive(Debug)]
pub(super) enum Work {
    Plain {
        mutations: Vec<Mutation>,
        answer: oneshot::Sender<Result<()>>,
    },
    Conditional {
        mutations: Vec<ConditionalMutation>,
        authorizations: Arc<Authorizations>,
        answer: oneshot::Sender<Result<Vec<Outcome>>>,
    },
    Together {
        mutations: Vec<ConditionalMutation>,
        authorizations: Arc<Authorizations>,
        answer: oneshot::Sender<Result<Outcome>>,
    },
}

/// The result of an applied call: for each of its mutations whether it was accepted. Mutations that
/// are written together count as one.
pub(super) type Applied = Result<Vec<bool>>;

impl Call {
    pub(super) fn mutation_count(&self) -> usize {
        match &self.work {
            Work::Plain { mutations, .. } => mutations.len(),
            Work::Conditional { mutations, .. } | Work::Together { mutations, .. } => {
                mutations.len()
            }
        }
    }

    pub(super) fn size_bytes(&self) -> usize {
        match &self.work {
            Work::Plain { mutations, .. } => mutations.iter().map(Mutation::size_bytes).sum(),
            Work::Conditional { mutations, .. } | Work::Together { mutations, .. } => {
                mutations.iter().map(ConditionalMutation::size_bytes).sum()
            }
        }
    }

    /// Sends the caller the result; does nothing if the caller was cancelled.
    pub(super) fn answer(self, applied: Applied) {
        match self.work {
            Work::Plain { answer, .. } => {
                let _ = answer.send(applied.map(|_| ()));
            }
            Work::Conditional { answer, .. } => {
                let outcomes = |all: Vec<bool>| all.into_iter().map(outcome).collect();
                let _ = answer.send(applied.map(outcomes));
            }
            Work::Together { answer, .. } => {
                let of_all = |all: Vec<bool>| outcome(all.into_iter().all(|held| held));
                let _ = answer.send(applied.map(of_all));
            }
        }
    }

    /// Reports to the caller that the outcome is unknown.
    pub(super) fn answer_in_doubt(self, error: &Error) {
        let unknown = || Outcome::Unknown(error.clone());
        match self.work {
            Work::Plain { answer, .. } => {
                let _ = answer.send(Err(error.clone()));
            }
            Work::Conditional {
                mutations, answer, ..
            } => {
                let _ = answer.send(Ok(vec![unknown(); mutations.len()]));
            }
            Work::Together { answer, .. } => {
                let _ = answer.send(Ok(unknown()));
            }
        }
    }
}

fn outcome(is_accepted: bool) -> Outcome {
    match is_accepted {
        true => Outcome::Accepted,
        false => Outcome::Rejected,
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => f.debug_tuple("Call").field(call).finish(),
            Self::Job(_) => f.write_str("Job(..)"),
        }
    }
}
