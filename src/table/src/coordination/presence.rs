//! The processes of an application that are present: [`Presence`].

use std::collections::BTreeMap;

use crate::coordination::{Share, TransactorId};
use crate::data::Timestamp;

/// The processes of an application that are present, for an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presence {
    /// The addresses of the oracles: the leader, and then those that stand by. Empty if no oracle
    /// runs, or the application needs none.
    pub oracles: Vec<String>,
    /// The transactors that are alive, each with the oldest timestamp that it has published.
    pub transactors: BTreeMap<TransactorId, Option<Timestamp>>,
    /// The workers in the order of their parts, each with its share, or `None` while it is not
    /// known.
    pub workers: Vec<(String, Option<Share>)>,
}

impl Presence {
    /// Returns the oldest timestamp that a transactor has published. The horizon does not pass it.
    pub fn oldest_active(&self) -> Option<Timestamp> {
        self.transactors.values().flatten().min().copied()
    }
}
