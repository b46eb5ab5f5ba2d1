//! Keys that a design cannot take.

use serde::Serialize;

use crate::advisor::SampledKey;
use crate::key_design::DesignError;
use crate::number::share;

/// The share of the sample up to which keys that a design cannot take do not make it impossible: it is judged by the
/// others. One odd URL of 30,000 is a mistake of whoever wrote it; one of ten says that the design does not suit.
const MOST_WITHOUT_KEY: f64 = 0.01;

/// Keys of the sample that a design has no key for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithoutKey {
    /// The number of them.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// The message of the design about the first of them in order of arrival. It names the key without any password of a
    /// URL.
    pub first: String,
}

/// Counts refused keys, and keeps the first.
#[derive(Default)]
pub(super) struct Refusals<'a> {
    keys: u64,
    first: Option<(&'a SampledKey, DesignError)>,
}

impl<'a> Refusals<'a> {
    pub(super) fn add(&mut self, sampled: &'a SampledKey, error: DesignError) {
        self.keys += 1;
        let is_first = |(first, _): &(&SampledKey, _)| sampled.arrival < first.arrival;
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some((sampled, error));
        }
    }

    /// Returns the refused keys, if there are any.
    ///
    /// # Errors
    /// The first error and the number of refused keys, if they are too many to judge the design by the others.
    pub(super) fn judged(self, sample: u64) -> Result<Option<WithoutKey>, (DesignError, u64)> {
        let Some((_, error)) = self.first else {
            return Ok(None);
        };
        let share = share(self.keys, sample);
        if share > MOST_WITHOUT_KEY {
            return Err((error, self.keys));
        }
        Ok(Some(WithoutKey {
            keys: self.keys,
            share,
            first: error.to_string(),
        }))
    }
}

/// Checks whether so many keys of a sample can have a design that it is judged by them, and is worth trying.
pub(super) fn is_nearly_all(keys: &[SampledKey], can: impl Fn(&[u8]) -> bool) -> bool {
    let most = crate::number::float_len(keys.len()) * MOST_WITHOUT_KEY;
    let without = keys.iter().filter(|sampled| !can(&sampled.key)).count();
    !keys.is_empty() && crate::number::float_len(without) <= most
}
