//! The outcome of a conditional mutation.

use crate::error::Error;

/// The outcome of a conditional mutation.
#[derive(Clone, Debug)]
#[must_use]
pub enum ConditionalOutcome {
    /// The conditions held, and the updates are written.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// The conditions held, but a constraint of the table forbids the updates; nothing was written.
    ConstraintViolation,
    /// A condition has a visibility that the authorizations of the writer do not include; nothing
    /// was written.
    InvisibleVisibility,
    /// The mutation may be written or not: read before you decide. Contains the error of the call,
    /// or `None` if Accumulo itself reported the outcome as unknown.
    Unknown(Option<Error>),
}

impl ConditionalOutcome {
    /// Checks whether the mutation is written for certain.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Checks whether the outcome is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}
