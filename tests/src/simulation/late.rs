//! Writes that arrive after their clients have cancelled them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fluo_table::{Authorizations, ConditionalMutation, Mutation};
use tokio::time::sleep;

use super::world::World;

/// A write on its way.
#[derive(Clone, Debug)]
pub(super) enum Late {
    Plain(Mutation),
    /// One, or those that are written together, and what their client may see.
    Conditional(Vec<ConditionalMutation>, Authorizations),
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
    fn add(&self, write: Late) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        let number = state.next;
        state.waiting.insert(number, write);
        number
    }

    fn take(&self, number: u64) -> Option<Late> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .waiting
            .remove(&number)
    }

    fn take_first(&self) -> Option<Late> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_first().map(|(_, write)| write)
    }
}

impl World {
    /// Lets a write arrive later.
    pub(super) fn delay(&self, write: Late) {
        let number = self.late.add(write);
        let longest = self.dials.slow * 2;
        let (world, time) = (self.clone(), self.random.time_below(longest));
        tokio::spawn(async move {
            sleep(time).await;
            if let Some(write) = world.late.take(number) {
                world.arrive(write);
            }
        });
    }

    /// Lets everything arrive that is on its way.
    pub(super) fn arrive_all(&self) {
        while let Some(write) = self.late.take_first() {
            self.arrive(write);
        }
    }

    fn arrive(&self, write: Late) {
        self.trace.add("late:");
        let result = match write {
            Late::Plain(mutation) => {
                self.apply(mutation);
                return;
            }
            Late::Conditional(mutations, authorizations) => {
                self.apply_if(mutations, &authorizations)
            }
        };
        if let Err(error) = result {
            self.violation(format!("a late write failed: {error}"));
        }
    }
}
