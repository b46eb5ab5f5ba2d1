//! The designs that keys already have.

use std::fmt;

use fluo_keys::DesignSettings;

use crate::advice::key_share::KeyShare;
use crate::existing::name;

/// A finding about the design of some keys.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DesignFinding {
    /// Keys of a design that the advice keeps.
    Kept {
        /// The keys.
        keys: KeyShare,
        /// The design.
        design: DesignSettings,
    },
    /// Keys of none of the designs that the advice keeps.
    None {
        /// The keys.
        keys: KeyShare,
        /// The first of them, in the escaped form.
        first: String,
    },
    /// Keys of a design that the advice does not keep.
    Other {
        /// The keys.
        keys: KeyShare,
        /// The design.
        design: DesignSettings,
        /// `true` if the advice keeps other designs, which no spec can contain together with this
        /// one.
        is_beside_others: bool,
    },
}

impl DesignFinding {
    pub(super) fn is_warning(&self) -> bool {
        !matches!(self, Self::Kept { .. })
    }
}

impl fmt::Display for DesignFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { keys, design } => {
                let sign = if keys.keys > 0 {
                    "as their salts show"
                } else {
                    "for which the table is split"
                };
                write!(f, "{keys} are keys of {}, {sign}.", name(design))
            }
            Self::None { keys, first } => {
                let (belong, them) = match keys.keys {
                    1 => ("belongs", "it"),
                    _ => ("belong", "them"),
                };
                write!(
                    f,
                    "{keys} {belong} to none of these designs, the first is `{first}`: loaded \
                     without the design, or rows of another kind. Readers that use the design do \
                     not find {them}; write {them} through it."
                )
            }
            Self::Other {
                keys,
                design,
                is_beside_others,
            } => {
                let beside = if *is_beside_others {
                    "; no spec can contain it together with the others"
                } else {
                    ""
                };
                write!(f, "{keys} are keys of {} already{beside}.", name(design))
            }
        }
    }
}
