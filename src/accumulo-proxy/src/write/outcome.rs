//! What became of a conditional mutation.

use crate::error::Error;
use crate::wire::generated as wire;

/// What became of a conditional mutation.
#[derive(Clone, Debug)]
#[must_use]
pub enum ConditionalOutcome {
    /// The conditions held, and the updates are written.
    Accepted,
    /// A condition did not hold; nothing was written.
    Rejected,
    /// The conditions held, but a constraint of the table forbids the updates; nothing was written.
    Violated,
    /// A condition looks at a visibility that the authorizations of the writer do not show; nothing was written.
    InvisibleVisibility,
    /// Nobody can tell whether it was written: read before deciding. With the error of the call where Accumulo did
    /// not say so itself.
    Unknown(Option<Error>),
}

impl ConditionalOutcome {
    /// Whether it is written for certain.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Whether nobody can tell.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// None for a status that this client does not know.
    pub(crate) fn from_wire(status: wire::ConditionalStatus) -> Option<Self> {
        match status {
            wire::ConditionalStatus::ACCEPTED => Some(Self::Accepted),
            wire::ConditionalStatus::REJECTED => Some(Self::Rejected),
            wire::ConditionalStatus::VIOLATED => Some(Self::Violated),
            wire::ConditionalStatus::INVISIBLE_VISIBILITY => Some(Self::InvisibleVisibility),
            wire::ConditionalStatus::UNKNOWN => Some(Self::Unknown(None)),
            _ => None,
        }
    }
}
