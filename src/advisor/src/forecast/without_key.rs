//! Keys that a design rejects.

use fluo_keys::RecipeError;
use serde::Serialize;

use crate::SampledKey;
use crate::number::share;

/// The maximum share of rejected keys in the sample with which a design is still possible; the
/// others decide its verdict. One odd URL of 30,000 is a mistake; one of ten shows that the design
/// does not suit.
const MOST_WITHOUT_KEY: f64 = 0.01;

/// Keys of the sample that a design rejects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WithoutKey {
    /// The number of these keys.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// The message of the design about the first of them in order of arrival. It contains the key
    /// without the password of a URL.
    pub first: String,
}

/// A counter of rejected keys that keeps the first.
#[derive(Default)]
pub(super) struct Refusals<'a> {
    keys: u64,
    first: Option<(&'a SampledKey, RecipeError)>,
}

impl<'a> Refusals<'a> {
    pub(super) fn add(&mut self, sampled: &'a SampledKey, error: RecipeError) {
        self.keys += 1;
        let is_first = |(first, _): &(&SampledKey, _)| sampled.arrival < first.arrival;
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some((sampled, error));
        }
    }

    /// Returns the rejected keys, if there are any.
    ///
    /// # Errors
    ///
    /// Returns the first error and the number of rejected keys, if they are too many.
    pub(super) fn judged(self, sample: u64) -> Result<Option<WithoutKey>, (RecipeError, u64)> {
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

/// Checks whether nearly all keys of a sample suit a design, so that it is worth a try.
pub(super) fn is_nearly_all(keys: &[SampledKey], can: impl Fn(&[u8]) -> bool) -> bool {
    let most = crate::number::float_len(keys.len()) * MOST_WITHOUT_KEY;
    let without = keys.iter().filter(|sampled| !can(&sampled.key)).count();
    !keys.is_empty() && crate::number::float_len(without) <= most
}
