//! The split points of the table in which a design is tried.

use fluo_keys::{KeyDesign, RecipeError, RecipeErrorKind};
use fluo_table::Bytes;

use super::candidates::Candidate;
use super::written::Written;
use crate::KeyProfile;
use crate::profile::Arrivals;
use fluo_keys::number::{float, float_len};

/// The inverse of the share of the newest keys, which show where the next keys will go.
const NEWEST_ONE_IN: u64 = 20;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Splits {
    pub(crate) points: Vec<Bytes>,
    pub(super) are_of_the_sample: bool,
    /// The number of salts of each tablet, if the design promises one.
    weights: Option<Vec<u64>>,
}

impl Splits {
    /// Returns the points of the candidate, or else the design's own, or else points from the
    /// sample for a design without a salt.
    pub(crate) fn new(
        profile: &KeyProfile,
        candidate: &Candidate,
        design: &KeyDesign,
        written: &[Written<'_>],
    ) -> Result<Self, RecipeError> {
        let tablets = candidate.tablets;
        if let Some(points) = &candidate.split_points {
            return Ok(Self { points: points.clone(), are_of_the_sample: false, weights: None });
        }
        let has_salt = written.iter().any(|written| written.head > 0);
        match design.splits(tablets) {
            Ok(points) => Ok(Self {
                points,
                are_of_the_sample: false,
                weights: design.tablet_weights(tablets)?,
            }),
            Err(error)
                if matches!(
                    error.kind(),
                    RecipeErrorKind::Splits | RecipeErrorKind::NoEvenSplits
                ) && tablets > 0
                    && !has_salt =>
            {
                Ok(Self::at_quantiles(written, profile, tablets))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns points that divide the written keys, without the newest, into equal parts: a table
    /// is split by its present rows, before more arrive. If there are fewer keys than tablets, each
    /// key has a tablet.
    fn at_quantiles(written: &[Written<'_>], profile: &KeyProfile, tablets: u32) -> Self {
        let end = match profile.order.arrivals {
            Arrivals::AsWritten => first_of_newest(profile.keys),
            Arrivals::Unordered => u64::MAX,
        };
        let older = written.iter().filter(|key| key.arrival < end);
        let mut keys: Vec<&Bytes> = older.map(|written| &written.key).collect();
        keys.sort_unstable();
        let tablets = usize::try_from(tablets).unwrap_or(usize::MAX).min(keys.len());
        let at = |tablet: usize| {
            let last = *keys.get((tablet * keys.len() / tablets).checked_sub(1)?)?;
            // Equal keys are one row, so the next tablet begins after all of them.
            let next = keys.get(keys.partition_point(|key| *key <= last));
            Some(next.map_or_else(|| last.clone(), |next| between(last, next)))
        };
        let mut points: Vec<Bytes> = (1..tablets).filter_map(at).collect();
        points.dedup();
        // No row sorts before the empty row.
        points.retain(|point| !point.is_empty());
        Self { points, are_of_the_sample: true, weights: None }
    }

    pub(super) fn tablets(&self) -> usize {
        self.weights.as_ref().map_or(self.points.len() + 1, Vec::len)
    }

    /// Returns the number of salts; `None` if the design promises nothing.
    pub(crate) fn salts(&self) -> Option<u64> {
        self.weights.as_ref().map(|weights| weights.iter().sum())
    }

    /// Returns the most salts of a tablet over the mean; `None` if the design promises nothing.
    pub(crate) fn promised(&self) -> Option<f64> {
        let weights = self.weights.as_ref()?;
        let most = float(weights.iter().copied().max()?);
        Some(most * float_len(weights.len()) / float(self.salts()?.max(1)))
    }

    /// Returns the number of the tablet of a key. A tablet contains its end row.
    pub(super) fn tablet_of(&self, key: &[u8]) -> usize {
        self.points.partition_point(|end| end.as_ref() < key)
    }
}

/// Returns a short end row of a tablet with the key `last` but not with the greater key `next`: the
/// start of `next` that is greater than `last`, if a part of `next` will do.
fn between(last: &Bytes, next: &Bytes) -> Bytes {
    let common = last.iter().zip(next).take_while(|(a, b)| a == b).count();
    match next.get(..=common) {
        Some(start) if start.len() < next.len() => next.slice(..=common),
        _ => last.clone(),
    }
}

/// Returns the arrival of the first of the newest keys.
pub(super) fn first_of_newest(keys: u64) -> u64 {
    keys - keys / NEWEST_ONE_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_the_shortest_start_between_two_keys() {
        for (last, next, point) in [
            ("0d39-a", "0d41-b", "0d4"),
            ("/usr/bin/a", "/usr/lib/b", "/usr/l"),
            ("ab", "abcd", "abc"),
            ("ab", "abc", "ab"),
            ("a", "b", "a"),
            ("", "x", ""),
            ("", "xy", "x"),
        ] {
            let between = between(&last.into(), &next.into());
            assert_eq!(between, point, "{last} {next}");
            assert!(between >= last && between < next);
        }
    }
}
