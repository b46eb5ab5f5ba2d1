//! The hash space cut into tablets: arithmetic on numbers, without key bytes.
//!
//! With `S` hashes and `n` tablets, tablet `i` holds the hashes from `start(i)` to below
//! `start(i + 1)`; `start(0)` is 0 and `start(n)` is `S`.

use super::scheme::HashScheme;
use crate::error::RecipeError;

/// The hash space of a scheme, cut into tablets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partition {
    scheme: HashScheme,
    tablets: u32,
    /// `true` if Fluo's formula is used, `false` if the even one is.
    pub(super) is_fluo: bool,
}

impl Partition {
    pub(super) fn new(scheme: HashScheme, tablets: u32) -> Result<Self, RecipeError> {
        if tablets == 0 {
            return Err(RecipeError::no_tablets());
        }
        let space = scheme.space();
        if tablets > space {
            return Err(RecipeError::splits(format!(
                "{tablets} tablets are more than the {space} hashes of scheme {scheme}: give at most {space}"
            )));
        }
        // As documented at [`RowHasher::splits`](super::RowHasher::splits).
        let is_fluo = scheme == HashScheme::Murmur3Base36 && fluo_is_sound(space, tablets);
        Ok(Self { scheme, tablets, is_fluo })
    }

    pub(super) fn points(self) -> impl Iterator<Item = u32> {
        (1..self.tablets).map(move |tablet| self.start(tablet))
    }

    /// Returns the number of values of the hash function in each tablet.
    pub(super) fn weights(self) -> impl Iterator<Item = u64> {
        (0..self.tablets).map(move |tablet| {
            self.values_below(self.start(tablet + 1)) - self.values_below(self.start(tablet))
        })
    }

    fn start(&self, tablet: u32) -> u32 {
        let space = self.scheme.space();
        if tablet >= self.tablets {
            return space;
        }
        if self.is_fluo {
            return tablet * space.div_ceil(self.tablets);
        }
        let start = u64::from(tablet) * u64::from(space) / u64::from(self.tablets);
        u32::try_from(start).expect("a tablet starts below the end of the space")
    }

    /// Returns the number of values of the hash function whose hash is below a point.
    ///
    /// Each hash has `values / space` values. The space need not divide the values, so each of the
    /// first `values % space` hashes has one more.
    fn values_below(&self, point: u32) -> u64 {
        let (values, space) = (self.scheme.hash_values(), u64::from(self.scheme.space()));
        let point = u64::from(point);
        point * (values / space) + point.min(values % space)
    }
}

/// Checks whether the last of Fluo's tablets has at least 3/4 of the hashes of each other tablet.
///
/// That is `space - (tablets - 1) * width >= 3/4 * width`, with every term on the side where it is
/// positive. There are at most as many tablets as hashes, so no term exceeds
/// `4 * (space + tablets) <= 8 * 36^4`, far below 2^32.
fn fluo_is_sound(space: u32, tablets: u32) -> bool {
    let width = space.div_ceil(tablets);
    4 * space >= 3 * width + 4 * (tablets - 1) * width
}
