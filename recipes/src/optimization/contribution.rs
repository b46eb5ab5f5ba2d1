//! What one recipe asks of the table it writes to.

use fluo_core::Bytes;

use crate::row_hasher::{RowHasher, SplitsError};

/// What one recipe asks of the table it writes to: its split points and its group.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The recipe and its configuration, as messages name it.
    pub(super) owner: String,
    /// What every row of the recipe starts with.
    pub(super) prefix: Bytes,
    /// The split points, ascending.
    pub(super) splits: Vec<Bytes>,
    /// The part of the balancer's pattern that matches its tablets, without a capturing group.
    pub(super) group_regex: String,
    /// The hasher that wrote the rows, and for each split point the share of them that is expected in the
    /// tablet which ends there.
    pub(super) hashed: Option<(RowHasher, Vec<u64>)>,
}

impl Contribution {
    /// The contribution of a hasher whose rows are to be spread over a number of tablets.
    ///
    /// # Errors
    /// A number of tablets that the hasher cannot split into.
    pub fn of_row_hasher(hasher: &RowHasher, tablets: u32) -> Result<Self, SplitsError> {
        let shares = hasher.tablet_weights(tablets)?;
        Ok(Self {
            owner: format!("row hasher `{}`", hasher.prefix()),
            prefix: format!("{}:", hasher.prefix()).into(),
            splits: hasher.splits(tablets)?,
            group_regex: hasher.group_regex(),
            hashed: Some((hasher.clone(), shares)),
        })
    }

    /// The recipe and its configuration, as messages name it.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Whether the rows of the two can be the same rows.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.prefix.starts_with(&other.prefix) || other.prefix.starts_with(&self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_shares_are_the_hashers_own() {
        let hasher = RowHasher::new("p").unwrap();
        let contribution = Contribution::of_row_hasher(&hasher, 1_020).unwrap();
        let (_, shares) = contribution.hashed.unwrap();
        assert_eq!(shares.len(), contribution.splits.len());
        assert_eq!(shares.iter().sum::<u64>(), 1 << 31);
        let (last, first) = (shares[1_019], shares[0]);
        assert!(
            last * 4 >= first * 3 && last * 10 < first * 9,
            "Fluo's last tablet is smaller: {last} of {first}"
        );
    }
}
