//! A number of keys, as a part of the sample.

use std::fmt;

use crate::KeyProfile;
use crate::formatting::{percent, plural};
use crate::number;

/// A number of keys of the sample.
///
/// [`Display`](fmt::Display) writes `12 keys of the sample (3.4 %)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyShare {
    /// The number of keys.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// `true` if the sample contains every key.
    pub is_of_all: bool,
}

impl KeyShare {
    pub(super) fn new(keys: u64, profile: &KeyProfile) -> Self {
        Self {
            keys,
            share: number::share(keys, profile.sample.len),
            is_of_all: profile.sample.is_complete,
        }
    }
}

impl fmt::Display for KeyShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_sample = if self.is_of_all { "" } else { " of the sample" };
        write!(
            f,
            "{}{of_sample} ({})",
            plural(self.keys, "key"),
            percent(self.share)
        )
    }
}
