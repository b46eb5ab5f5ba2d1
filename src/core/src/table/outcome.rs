//! What became of a conditional mutation.

use crate::error::Error;

/// What became of a conditional mutation. Neither accepted nor rejected is a case, not an error.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The conditions held, and the mutation is durable.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// The table will not have the mutation whatever the conditions are: a constraint of the table forbids its
    /// updates. Nothing was written, and trying again is of no use. The error says why.
    Refused(Error),
    /// Nobody can tell whether it was, or will yet be, applied: an answer was lost, or the storage failed in
    /// the middle. The error says what happened.
    Unknown(Error),
}

impl Outcome {
    /// The outcome where it is known whether the conditions held.
    pub(crate) fn of(they_held: bool) -> Self {
        match they_held {
            true => Self::Accepted,
            false => Self::Rejected,
        }
    }

    /// Whether the mutation is known to be durable.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Whether the mutation is known not to have been applied.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Rejected | Self::Refused(_))
    }
}
