//! Rows that a migration has copied and not yet removed.
//!
//! An interrupted migration leaves rows in both places. Such a row counts as one row.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::quality::FixedState;

/// Maximum number of remembered rows, a few bytes each: a bound on memory. Of more rows, a sample
/// is remembered.
const MOST_ROWS: usize = 1 << 18;

/// The design in which a row is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Epoch {
    Newest,
    Earlier,
}

/// Rows that are written in the newest design and in an earlier one.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// For each remembered row: `true` if it is in the newest design, and the number of earlier
    /// designs that it is in.
    rows: HashMap<u64, (bool, u64)>,
    /// The number of low bits that must be 0 in the hash of a remembered row.
    zero_bits: u32,
}

impl Copies {
    /// Adds an occurrence of a row.
    pub(super) fn add(&mut self, row: &[u8], epoch: Epoch) {
        let hash = FixedState::default().hash_one(row);
        if hash.trailing_zeros() < self.zero_bits {
            return;
        }
        let (is_newest, earlier) = self.rows.entry(hash).or_default();
        match epoch {
            Epoch::Newest => *is_newest = true,
            Epoch::Earlier => *earlier += 1,
        }
        if self.rows.len() > MOST_ROWS {
            self.zero_bits += 1;
            let zero_bits = self.zero_bits;
            self.rows
                .retain(|hash, _| hash.trailing_zeros() >= zero_bits);
        }
    }

    /// Returns the number of occurrences in earlier designs whose rows are in the newest design
    /// too. It is exact for up to 262,144 rows, and an estimate for more.
    pub(super) fn count(&self) -> u64 {
        let rows = self.rows.values().filter(|(is_newest, _)| *is_newest);
        rows.map(|(_, earlier)| earlier).sum::<u64>() << self.zero_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_many_rows_from_a_sample() {
        let mut copies = Copies::default();
        for row in 0..1_000_000_u32 {
            let epoch = if row % 2 == 0 {
                Epoch::Newest
            } else {
                Epoch::Earlier
            };
            copies.add(&row.to_be_bytes(), epoch);
            if row % 10 == 1 {
                copies.add(&row.to_be_bytes(), Epoch::Newest);
            }
        }
        assert!(copies.rows.len() <= MOST_ROWS);
        assert!(
            (95_000..105_000).contains(&copies.count()),
            "{}",
            copies.count()
        );
    }
}
