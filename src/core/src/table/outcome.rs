//! What became of a conditional mutation.

use crate::error::Error;

/// What became of a conditional mutation. There are three outcomes, not two.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The conditions held, and the mutation is durable.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// Nobody can tell whether it was, or will yet be, applied: an answer was lost, or the storage failed in
    /// the middle. The error says what happened.
    Unknown(Error),
}

impl Outcome {
    /// Whether the mutation is known to be durable.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Whether the mutation is known not to have been applied.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Rejected)
    }
}
