//! Writes on their way, whose clients have cancelled them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fluo_table::coordination::PendingCommit;
use fluo_table::{Authorizations, ConditionalMutation, Mutation};

/// A write on its way.
#[derive(Debug)]
pub(super) enum Late {
    Plain(Mutation),
    /// One, or those that are written together, what their client may see, and the pending commit
    /// of which they are the writes.
    Conditional(Vec<ConditionalMutation>, Authorizations, Option<PendingCommit>),
}

/// The writes that are on their way, in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct LateWrites {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: BTreeMap<u64, Late>,
}

impl LateWrites {
    pub(super) fn add(&self, write: Late) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        let number = state.next;
        state.waiting.insert(number, write);
        number
    }

    pub(super) fn take(&self, number: u64) -> Option<Late> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&number)
    }

    pub(super) fn take_first(&self) -> Option<Late> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_first().map(|(_, write)| write)
    }
}
