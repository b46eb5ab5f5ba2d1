//! Keys that belong to none of the designs, as a part of a sentence.

use std::fmt;

use crate::formatting::percent;
use crate::{KeyProfile, OtherKeys};

/// Keys that belong to none of the designs.
///
/// [`Display`](fmt::Display) writes ``12.5 % of the sampled keys, such as `a` ``.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeysWithoutDesign {
    /// The keys.
    pub others: OtherKeys,
    /// `true` if their share is that of all keys that were read, and not of a sample of these.
    pub is_of_all: bool,
}

impl KeysWithoutDesign {
    pub(super) fn new(others: &OtherKeys, profile: &KeyProfile) -> Self {
        Self {
            others: others.clone(),
            is_of_all: profile.sample.is_complete,
        }
    }

    /// Returns the share with the name of the keys that it refers to, because not all rows of a
    /// table may have been read.
    pub(super) fn share(&self) -> String {
        let share = percent(self.others.share);
        if self.is_of_all {
            format!("{share} of the keys that were read")
        } else {
            format!("{share} of the sampled keys")
        }
    }
}

impl fmt::Display for KeysWithoutDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, such as `{}`", self.share(), self.others.first)
    }
}
