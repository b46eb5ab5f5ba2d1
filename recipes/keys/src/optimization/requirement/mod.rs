//! Table requirements: the split points and the group that one recipe requests.

mod builder;

use std::ops::RangeInclusive;

use fluo_table::{Bytes, Tablets, prefix_successor};

pub use self::builder::TableRequirementBuilder;
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::row_hasher::RowHasher;

/// The request of one recipe to its table: its split points and, if its rows have a common prefix,
/// its group.
#[derive(Clone, Debug)]
pub struct TableRequirement {
    /// The recipe and its configuration, as shown in messages.
    pub(super) owner: String,
    /// The common prefix of all rows of the recipe; empty if there is none, so that it must be the
    /// only recipe of its table.
    pub(super) prefix: Bytes,
    /// The split points, ascending.
    pub(super) splits: Vec<Bytes>,
    /// The part of the balancer's pattern that matches its tablets, without a capturing group.
    pub(super) group_regex: Option<String>,
    /// The design of its keys. A row under the prefix that is not a key of it is a foreign row.
    pub(super) design: Option<KeyDesign>,
    /// Earlier designs, in which some rows may still be written.
    pub(super) earlier: Vec<KeyDesign>,
    /// The expected share of the rows in each tablet, as a weight: one for each split point, and
    /// one more if rows follow the last one.
    pub(super) shares: Option<Vec<u64>>,
    /// `true` if the loads of its tablets are not compared, because its rows come and go.
    pub(super) is_transient: bool,
}

impl TableRequirement {
    /// Creates the requirement of a hasher whose rows are spread over a number of tablets.
    ///
    /// # Errors
    ///
    /// The hasher cannot split into this number of tablets.
    pub fn for_row_hasher(hasher: &RowHasher, tablets: u32) -> Result<Self, RecipeError> {
        let shares = hasher.tablet_weights(tablets)?;
        let splits = hasher.splits(tablets)?;
        let design = KeyDesign::from(hasher);
        Ok(Self::of_parts(&design, splits, Some(shares)))
    }

    /// Creates the requirement of a key design whose rows are spread over a number of tablets.
    ///
    /// # Errors
    ///
    /// The design cannot split into this number of tablets, or its rows have no alphabet that could
    /// be split evenly; for such designs use [given split points](Self::for_key_design_at).
    pub fn for_key_design(design: &KeyDesign, tablets: u32) -> Result<Self, RecipeError> {
        let splits = design.splits(tablets)?;
        let shares = design.tablet_weights(tablets)?;
        Ok(Self::of_parts(design, splits, shares))
    }

    /// Creates the requirement of a key design with given split points, possibly none. It has no
    /// expected shares of the tablets.
    ///
    /// # Errors
    ///
    /// Split points that are not ascending, or that cannot be between keys of the design.
    pub fn for_key_design_at(
        design: &KeyDesign,
        splits: impl IntoIterator<Item = Bytes>,
    ) -> Result<Self, RecipeError> {
        let requirement = Self::of_parts(design, splits.into_iter().collect(), None);
        requirement.check()?;
        Ok(requirement)
    }

    /// Adds earlier designs, in which some rows may be written until
    /// [`KeyMigration`](crate::KeyMigration) has moved them. Such rows are counted apart from rows
    /// of no design.
    #[must_use]
    pub fn after(mut self, earlier: impl IntoIterator<Item = KeyDesign>) -> Self {
        self.earlier.extend(earlier);
        self
    }

    /// Returns a builder, for recipes outside of this crate.
    pub fn builder(owner: impl Into<String>) -> TableRequirementBuilder {
        TableRequirementBuilder::new(owner.into())
    }

    fn of_parts(design: &KeyDesign, splits: Vec<Bytes>, shares: Option<Vec<u64>>) -> Self {
        Self {
            owner: match design.row_hasher() {
                Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
                None => format!("key design {}", design.name()),
            },
            prefix: design.prefix(),
            splits,
            group_regex: design.group_regex(),
            design: Some(design.clone()),
            earlier: Vec::new(),
            shares,
            is_transient: false,
        }
    }

    /// Returns the recipe and its configuration, as shown in messages.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the hasher and the number of tablets, if this is the requirement of a row hasher
    /// with even split points.
    #[cfg(feature = "application")]
    pub(crate) fn row_hasher(&self) -> Option<(&RowHasher, usize)> {
        let hasher = self.design.as_ref()?.row_hasher()?;
        Some((hasher, self.shares.as_ref()?.len()))
    }

    /// Returns the common prefix of all rows of the recipe; empty if there is none.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Returns the split points, ascending.
    pub fn splits(&self) -> &[Bytes] {
        &self.splits
    }

    /// Returns the part of the balancer's pattern that matches the tablets of the recipe. `None` if
    /// its rows have no common prefix.
    pub fn group_regex(&self) -> Option<&str> {
        self.group_regex.as_deref()
    }

    /// Checks whether the rows of the recipe come and go, so the loads of its tablets are not
    /// compared. See [`transient`](TableRequirementBuilder::transient).
    pub fn is_transient(&self) -> bool {
        self.is_transient
    }

    /// Returns the expected shares that counts are compared with; empty if there are none.
    pub(super) fn compared_shares(&self) -> &[u64] {
        let shares = self.shares.as_deref().filter(|_| !self.is_transient);
        shares.unwrap_or_default()
    }

    /// Checks whether the rows of the recipe can be any rows of the table.
    pub(super) fn is_whole_table(&self) -> bool {
        self.prefix.is_empty()
    }

    /// Returns the number of tablets that the split points make for the rows of the recipe.
    pub(super) fn planned_tablets(&self) -> usize {
        let shares = self.shares.as_ref().map(Vec::len);
        shares.unwrap_or(self.splits.len() + 1)
    }

    /// Checks whether no row of the recipe follows its last split point.
    pub(super) fn ends_with_its_splits(&self) -> bool {
        let shares = self.shares.as_ref().map(Vec::len);
        shares == Some(self.splits.len())
    }

    /// Returns an end row whose tablet is the last one with rows of the recipe. `None` if its rows
    /// extend to the end of the table.
    pub(super) fn last_end_row(&self) -> Option<Bytes> {
        match self.splits.last() {
            Some(last) if self.ends_with_its_splits() => Some(last.clone()),
            _ => prefix_successor(&self.prefix),
        }
    }

    /// Returns the tablets that can hold rows of the recipe, as indices into the tablets of the
    /// table.
    pub(super) fn tablets_in(&self, tablets: &Tablets) -> RangeInclusive<usize> {
        let first = tablets.index_of(&self.prefix);
        let last = match self.last_end_row() {
            Some(end_row) => tablets.index_of(&end_row).max(first),
            None => tablets.as_slice().len().saturating_sub(1),
        };
        first..=last
    }

    /// Checks whether two recipes can have the same rows.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.prefix.starts_with(&other.prefix) || other.prefix.starts_with(&self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_design::{DigestSalt, Modulo};

    #[test]
    fn expects_the_shares_of_the_hasher() {
        let hasher = RowHasher::new("p").unwrap();
        let requirement = TableRequirement::for_row_hasher(&hasher, 1_020).unwrap();
        assert!(requirement.ends_with_its_splits());
        let shares = requirement.shares.unwrap();
        assert_eq!(shares.len(), requirement.splits.len());
        assert_eq!(shares.iter().sum::<u64>(), 1 << 31);
        let (last, first) = (shares[1_019], shares[0]);
        assert!(
            last * 4 >= first * 3 && last * 10 < first * 9,
            "Fluo's last tablet is smaller: {last} of {first}"
        );
    }

    #[test]
    fn a_hasher_and_its_key_design_have_the_same_contribution() {
        let hasher = RowHasher::new("p").unwrap();
        let [one, other] = [
            TableRequirement::for_row_hasher(&hasher, 20).unwrap(),
            TableRequirement::for_key_design(&KeyDesign::from(&hasher), 20).unwrap(),
        ];
        assert_eq!(
            (&one.owner, &one.prefix, &one.splits, &one.group_regex),
            (
                &other.owner,
                &other.prefix,
                &other.splits,
                &other.group_regex
            )
        );
        assert_eq!(one.shares, other.shares);
        assert_eq!(one.owner, "row hasher `p`");
        assert_eq!(one.last_end_row().unwrap(), "p:~");
    }

    #[test]
    fn rows_of_a_design_without_a_prefix_extend_to_the_end_of_the_table() {
        let design = KeyDesign::new(Modulo::default()).unwrap();
        let requirement = TableRequirement::for_key_design(&design, 4).unwrap();
        assert_eq!(requirement.owner(), "key design modulo");
        assert_eq!(requirement.splits(), ["02", "05", "07"]);
        assert_eq!(requirement.shares.as_deref(), Some([2, 3, 2, 3].as_slice()));
        assert!(requirement.is_whole_table() && requirement.group_regex().is_none());
        assert_eq!(requirement.last_end_row(), None);
    }

    #[test]
    fn checks_given_split_points() {
        let design = KeyDesign::new(DigestSalt::default()).unwrap();
        let at = |points: &[&'static str]| {
            let points = points.iter().map(|point| Bytes::from(*point));
            TableRequirement::for_key_design_at(&design, points)
        };
        assert_eq!(at(&["40", "8"]).unwrap().splits(), ["40", "8"]);
        assert!(at(&[]).unwrap().splits().is_empty());
        assert_eq!(
            at(&["8", "40"]).unwrap_err().to_string(),
            "key design digest-salt: its split points are not ascending: `40` comes after `8`"
        );
        let hasher = KeyDesign::from(&RowHasher::new("p").unwrap());
        let message = TableRequirement::for_key_design_at(&hasher, [Bytes::from("q:1")])
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "row hasher `p`: its split point `q:1` does not begin with `p:`, as all its rows do"
        );
    }
}
