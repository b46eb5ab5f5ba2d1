//! The outcome of a conditional mutation.

use crate::error::Error;

/// The outcome of a conditional mutation. `Rejected`, `ConstraintViolation` and `Unknown` are
/// expected cases, not errors of the call.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The conditions held, and the mutation is durable.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// A constraint of the table forbids the updates, whatever the conditions are. Nothing was
    /// written, and retrying does not help. The error describes the reason.
    ConstraintViolation(Error),
    /// It cannot be determined whether the mutation was or will be applied: an answer was lost, or
    /// the storage failed midway. The error describes the failure.
    Unknown(Error),
}

impl Outcome {
    /// Returns the outcome of a mutation whose conditions are known to have held, or not.
    pub(crate) fn of(they_held: bool) -> Self {
        if they_held { Self::Accepted } else { Self::Rejected }
    }

    /// Returns true if the mutation is known to be durable.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Returns true if the mutation is known not to have been applied.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Self::Rejected | Self::ConstraintViolation(_))
    }
}
