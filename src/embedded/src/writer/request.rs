//! The requests to the writer.

use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::PendingCommit;
use fluo_table::{Authorizations, ConditionalMutation, ErrorKind, Outcome, Result};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::store::Store;

/// A request, and the room in the queue that it takes until it has been answered.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) request: Request,
    pub(super) room: Room,
}

/// Room in the queue; dropping it frees the room. A pending commit has none.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) _mutations: Option<OwnedSemaphorePermit>,
    pub(super) _bytes: Option<OwnedSemaphorePermit>,
}

pub(super) enum Request {
    /// A write that can share a commit with others.
    Call(Call),
    /// Any other request, which has its own transaction.
    Job {
        job: Box<dyn FnOnce(&Store) + Send>,
        /// True if the job may change properties, tablets or the existence of a table.
        changes_tables: bool,
    },
}

/// One call that writes to a table.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) write: Write,
    /// The time at which the call was made, by the clock.
    pub(super) now_ms: i64,
    pub(super) answer: oneshot::Sender<Result<Vec<Outcome>>>,
}

#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) table: TableRef,
    /// The mutations; those of a plain write have no conditions.
    pub(crate) mutations: Vec<ConditionalMutation>,
    pub(crate) authorizations: Arc<Authorizations>,
    /// True if the mutations are applied only if the conditions of all of them hold. They have one
    /// outcome.
    pub(crate) is_atomic: bool,
    /// The pending commit of which the mutations are the writes.
    pub(crate) commit: Option<PendingCommit>,
}

/// The table of a call. The id distinguishes it from a table that is created later under the same
/// name.
#[derive(Clone, Debug)]
pub(crate) struct TableRef {
    pub(crate) id: u64,
    pub(crate) name: Arc<str>,
}

/// The result of an applied call: for each of its outcomes whether it was accepted.
pub(super) type Applied = Result<Vec<bool>>;

impl Write {
    pub(super) fn size_bytes(&self) -> usize {
        let sizes = self.mutations.iter().map(ConditionalMutation::size_bytes);
        sizes.sum()
    }

    pub(super) fn outcomes(&self) -> usize {
        if self.is_atomic { 1 } else { self.mutations.len() }
    }
}

impl Call {
    /// Sends the caller the result; does nothing if the caller was cancelled.
    pub(super) fn answer(self, applied: Applied) {
        let outcomes = match applied {
            Ok(accepted) => Ok(accepted.into_iter().map(outcome).collect()),
            Err(error) if error.kind() == ErrorKind::Uncertain => {
                Ok(vec![Outcome::Unknown(error); self.write.outcomes()])
            }
            Err(error) => Err(error),
        };
        let _ = self.answer.send(outcomes);
    }
}

fn outcome(is_accepted: bool) -> Outcome {
    if is_accepted { Outcome::Accepted } else { Outcome::Rejected }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => f.debug_tuple("Call").field(call).finish(),
            Self::Job { .. } => f.write_str("Job(..)"),
        }
    }
}
