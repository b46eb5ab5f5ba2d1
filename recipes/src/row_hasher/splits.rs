//! Where a table is split so that the rows of a hasher fall evenly on its tablets.
//!
//! A split is the head of a key: `<prefix>:<4 digits>`, and for the end of the last tablet
//! `<prefix>:~`, as `~` is above every digit. A tablet holds its end row, but a split is shorter
//! than every key that begins with it, and so it sorts before them: the keys of hash `h` are in
//! the tablet that follows split `h`.

use std::iter;

use bytes::Bytes;

use super::error::SplitsError;
use super::hasher::RowHasher;
use super::partition::{Partition, SplitFormula};

/// Above every digit of every scheme.
const END: &[u8] = b"~";

impl RowHasher {
    /// The end rows of this many tablets, ascending.
    ///
    /// There are exactly as many splits as tablets. The last is `<prefix>:~`: behind it begins the
    /// tablet of whatever sorts after the rows of this hasher.
    ///
    /// # Formula
    ///
    /// With `S` for [`HashScheme::space`](super::HashScheme::space) and `n` for the tablets,
    /// `sha1-base32` has its points at `i * S / n`, rounded down: the *even* formula.
    ///
    /// `murmur3-base36` keeps *Fluo's* formula, `i * d` with `d = ceil(S / n)`, wherever it is
    /// sound. Its last tablet gets what remains, `S - (n - 1) * d` hashes, and the rounding adds
    /// up: to 99.5 % of the others at 100 tablets, 80 % at 1,020, 0.3 % at 1,295. At 1,297
    /// nothing remains: the last point would be `10000`, which has 5 digits and sorts among the
    /// first. So the even formula takes over where less than 3/4 of `d` would remain:
    ///
    /// - never up to 660 tablets; 661 is the first count;
    /// - at 317 of the counts up to 1,296, such as 674, 680, 701, 898 to 903, 1,051 to 1,067, and
    ///   1,266 to 1,295. At 1,296 = 36² Fluo's formula divides without a rest;
    /// - at all but 328 of the counts above, those at which `d` happens to fit.
    ///
    /// [`split_formula`](Self::split_formula) tells which one applies. A table that a Java
    /// application has split into one of those counts has other points, which is no error: keys
    /// do not depend on splits.
    ///
    /// # Errors
    ///
    /// [`SplitsError`] for no tablets at all, and for more than the scheme has hashes.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::{HashScheme, RowHasher};
    ///
    /// let hasher = RowHasher::new("p")?;
    /// assert_eq!(hasher.splits(1)?, ["p:~"]);
    /// assert_eq!(hasher.splits(3)?, ["p:c000", "p:o000", "p:~"]);
    ///
    /// let hasher = RowHasher::builder("p").scheme(HashScheme::Sha1Base32).build()?;
    /// assert_eq!(hasher.splits(3)?, ["p:alal", "p:lala", "p:~"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, SplitsError> {
        let partition = Partition::new(self.scheme(), tablets)?;
        Ok(partition
            .points()
            .map(|point| self.split_at(&self.scheme().digits(point)))
            .chain(iter::once(self.split_at(END)))
            .collect())
    }

    /// Which formula [`splits`](Self::splits) uses for this many tablets.
    ///
    /// # Errors
    ///
    /// [`SplitsError`], as [`splits`](Self::splits).
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::{RowHasher, SplitFormula};
    ///
    /// let hasher = RowHasher::new("p")?;
    /// assert_eq!(hasher.split_formula(660)?, SplitFormula::Fluo);
    /// assert_eq!(hasher.split_formula(661)?, SplitFormula::Even);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_formula(&self, tablets: u32) -> Result<SplitFormula, SplitsError> {
        Ok(Partition::new(self.scheme(), tablets)?.formula())
    }

    /// For each tablet that ends at one of the [`splits`](Self::splits), how many values of the
    /// hash function fall in it.
    ///
    /// Divided by their sum, these are the shares of the rows that the tablets should get. The sum
    /// is 2^31 for `murmur3-base36` and 2^20 for `sha1-base32`. The shares are exact, also in
    /// that 2^31 is not a multiple of 36^4: the lower 934,400 hashes have 1,279 values each, the
    /// others 1,278.
    ///
    /// # Errors
    ///
    /// [`SplitsError`], as [`splits`](Self::splits).
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::RowHasher;
    ///
    /// let weights = RowHasher::new("p")?.tablet_weights(2)?;
    /// assert_eq!(weights, [839_808 * 1_279, 839_808 * 1_278 + 94_592]);
    /// assert_eq!(weights.iter().sum::<u64>(), 1 << 31);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tablet_weights(&self, tablets: u32) -> Result<Vec<u64>, SplitsError> {
        let partition = Partition::new(self.scheme(), tablets)?;
        Ok(partition.weights().collect())
    }

    /// What every key of a hash begins with: the prefix, its colon and the digits of a number below
    /// [`HashScheme::space`](super::HashScheme::space).
    pub(crate) fn nth_head(&self, number: u32) -> Bytes {
        self.split_at(&self.scheme().digits(number))
    }

    fn split_at(&self, end: &[u8]) -> Bytes {
        [self.head(), end].concat().into()
    }
}
