//! The split points that spread the rows of a hasher evenly over the tablets of a table.
//!
//! A split point is the beginning of a key: `<prefix>:<4 digits>`, or `<prefix>:~` at the end of
//! the last tablet, as `~` is above every digit. A tablet includes its end row, but a split point
//! is shorter than every key that begins with it and sorts before them. So the keys of hash `h` are
//! in the tablet that follows split point `h`.

use bytes::Bytes;
use fluo_table::{Grouped, counted};

use super::hasher::RowHasher;
use super::scheme::HashScheme;
use crate::error::RecipeError;

/// A byte above every digit of every scheme.
const END: &[u8] = b"~";

impl RowHasher {
    /// Returns the end rows of this many tablets, ascending.
    ///
    /// There are exactly as many splits as tablets. The last is `<prefix>:~`; the next tablet
    /// begins there, with the first row that sorts after the rows of this hasher.
    ///
    /// # Formula
    ///
    /// With `S` for [`HashScheme::space`](super::HashScheme::space) and `n` for the number of
    /// tablets, `sha1-base32` has its points at `i * S / n`, rounded down: the *even* formula.
    ///
    /// `murmur3-base36` uses *Fluo's* formula, `i * d` with `d = ceil(S / n)`, wherever it is
    /// sound. The last tablet gets the rest, `S - (n - 1) * d` hashes, and the rounding adds up:
    /// the last tablet has 99.5 % of the hashes of each other tablet at 100 tablets, 80 % at 1,020,
    /// and 0.3 % at 1,295. At 1,297 no hashes remain: the last point would be `10000`, which has 5
    /// digits and sorts among the first points. So the even formula takes over where less than 3/4
    /// of `d` would remain:
    ///
    /// - never up to 660 tablets; 661 is the first count;
    /// - at 317 of the counts up to 1,296, such as 674, 680, 701, 898 to 903, 1,051 to 1,067, and
    ///   1,266 to 1,295. At 1,296 = 36² Fluo's formula divides without a rest;
    /// - at all but 328 of the counts above 1,296, those at which `d` happens to fit.
    ///
    /// A table that a Java application has split into one of those counts has other split points.
    /// That is not an error: keys do not depend on splits.
    ///
    /// # Errors
    ///
    /// [`Splits`](crate::RecipeErrorKind::Splits) if `tablets` is 0, or larger than the number of
    /// hashes of the scheme.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{HashScheme, RowHasher};
    ///
    /// let hasher = RowHasher::new("p")?;
    /// assert_eq!(hasher.splits(1)?, ["p:~"]);
    /// assert_eq!(hasher.splits(3)?, ["p:c000", "p:o000", "p:~"]);
    ///
    /// let hasher = RowHasher::with_scheme("p", HashScheme::Sha1Base32)?;
    /// assert_eq!(hasher.splits(3)?, ["p:alal", "p:lala", "p:~"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        let starts = starts(self.scheme(), tablets)?;
        let digits = |start: &u32| self.split_at(&self.scheme().digits(*start));
        Ok(starts.iter().skip(1).map(digits).chain([self.split_at(END)]).collect())
    }

    /// Returns the number of values of the hash function in each tablet that ends at one of the
    /// [`splits`](Self::splits).
    ///
    /// Divided by their sum, these are the expected shares of the rows. The sum is 2^31 for
    /// `murmur3-base36` and 2^20 for `sha1-base32`. The shares are exact even though 2^31 is not a
    /// multiple of 36^4: the lower 934,400 hashes have 1,279 values each, the others 1,278.
    ///
    /// # Errors
    ///
    /// The same as [`splits`](Self::splits).
    pub fn tablet_weights(&self, tablets: u32) -> Result<Vec<u64>, RecipeError> {
        let (scheme, starts) = (self.scheme(), starts(self.scheme(), tablets)?);
        // Each hash has `values / space` values. The space need not divide the values, so each of
        // the first `values % space` hashes has one more.
        let (values, space) = (scheme.hash_values(), u64::from(scheme.space()));
        let below =
            |hash: u32| u64::from(hash) * (values / space) + u64::from(hash).min(values % space);
        let ends = starts.iter().skip(1).copied().chain([scheme.space()]);
        Ok(ends.zip(&starts).map(|(end, start)| below(end) - below(*start)).collect())
    }

    fn split_at(&self, end: &[u8]) -> Bytes {
        [self.head(), end].concat().into()
    }
}

/// Returns the first hash of each tablet.
fn starts(scheme: HashScheme, tablets: u32) -> Result<Vec<u32>, RecipeError> {
    if tablets == 0 {
        return Err(RecipeError::no_tablets());
    }
    let space = scheme.space();
    if tablets > space {
        let (tablets, space) = (counted(tablets, "tablet"), Grouped::new(space));
        return Err(RecipeError::splits(format!(
            "{tablets} are more than the {space} hashes of scheme {scheme}: give at most {space}"
        )));
    }
    let is_fluo = is_fluo(scheme, tablets);
    let start = |tablet: u32| {
        if is_fluo {
            return tablet * space.div_ceil(tablets);
        }
        let start = u64::from(tablet) * u64::from(space) / u64::from(tablets);
        u32::try_from(start).expect("a tablet starts below the end of the space")
    };
    Ok((0..tablets).map(start).collect())
}

/// Checks whether Fluo's formula is used: the last of its tablets has at least 3/4 of the hashes of
/// each other tablet.
///
/// That is `space - (tablets - 1) * width >= 3/4 * width`, with every term on the side where it is
/// positive. There are at most as many tablets as hashes, so no term exceeds
/// `4 * (space + tablets) <= 8 * 36^4`, far below 2^32.
pub(super) fn is_fluo(scheme: HashScheme, tablets: u32) -> bool {
    let space = scheme.space();
    let width = space.div_ceil(tablets);
    scheme == HashScheme::Murmur3Base36 && 4 * space >= 3 * width + 4 * (tablets - 1) * width
}
