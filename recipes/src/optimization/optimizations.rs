//! The contributions of all recipes of a table, as one value.

use std::collections::BTreeSet;

use fluo_core::Bytes;
use thiserror::Error;

use super::Contribution;
use crate::row_hasher::{RowHasher, SplitsError};

/// The split points and groups that the recipes of one table ask for.
///
/// ```
/// use fluo_recipes::{RowHasher, TableOptimizations};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pages = TableOptimizations::of_row_hasher(&RowHasher::new("p")?, 3)?;
/// let links = TableOptimizations::of_row_hasher(&RowHasher::new("l")?, 2)?;
/// let both = pages.merge(links)?;
/// assert_eq!(both.group_pattern().as_deref(), Some(r"(\Qp:\E|\Ql:\E).*"));
/// assert_eq!(both.splits().len(), 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct TableOptimizations {
    contributions: Vec<Contribution>,
}

/// Two recipes whose rows could be the same rows.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{first} and {second} overlap: rows of one could be read as rows of the other; give them prefixes of \
     which neither starts with the other and a `:`"
)]
pub struct OverlapError {
    first: String,
    second: String,
}

impl TableOptimizations {
    /// The optimizations of a table that holds rows of one hasher.
    ///
    /// # Errors
    /// A number of tablets that the hasher cannot split into.
    pub fn of_row_hasher(hasher: &RowHasher, tablets: u32) -> Result<Self, SplitsError> {
        Ok(Self {
            contributions: vec![Contribution::of_row_hasher(hasher, tablets)?],
        })
    }

    /// Both sets of contributions in one value.
    ///
    /// # Errors
    /// Two recipes that overlap, by name.
    pub fn merge(mut self, other: Self) -> Result<Self, OverlapError> {
        for theirs in other.contributions {
            if let Some(ours) = self
                .contributions
                .iter()
                .find(|ours| ours.overlaps(&theirs))
            {
                return Err(OverlapError {
                    first: ours.owner.clone(),
                    second: theirs.owner,
                });
            }
            self.contributions.push(theirs);
        }
        Ok(self)
    }

    /// What each recipe contributes, in the order in which they were merged.
    pub fn contributions(&self) -> &[Contribution] {
        &self.contributions
    }

    /// The split points of all recipes.
    pub fn splits(&self) -> BTreeSet<Bytes> {
        self.contributions
            .iter()
            .flat_map(|contribution| contribution.splits.iter().cloned())
            .collect()
    }

    /// The balancer's pattern: exactly one capturing group around the alternatives of all recipes. None where
    /// there are no recipes.
    pub fn group_pattern(&self) -> Option<String> {
        let fragments: Vec<_> = self
            .contributions
            .iter()
            .map(|c| c.group_regex.as_str())
            .collect();
        (!fragments.is_empty()).then(|| format!("({}).*", fragments.join("|")))
    }
}

#[cfg(test)]
mod tests {
    use fluo_core::balancer::GroupPattern;

    use super::*;

    fn of(prefix: &str, tablets: u32) -> TableOptimizations {
        TableOptimizations::of_row_hasher(&RowHasher::new(prefix).unwrap(), tablets).unwrap()
    }

    #[test]
    fn recipes_that_overlap_are_refused_with_both_names() {
        let error = of("p", 3)
            .merge(of("q", 2))
            .unwrap()
            .merge(of("p:x", 2))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "row hasher `p` and row hasher `p:x` overlap: rows of one could be read as rows of the other; give \
             them prefixes of which neither starts with the other and a `:`"
        );
        assert!(of("p", 3).merge(of("p", 3)).is_err());
        assert!(of("p:x", 3).merge(of("p", 3)).is_err());
        assert!(of("p", 3).merge(of("pq", 3)).is_ok());
    }

    #[test]
    fn each_split_falls_in_the_group_of_its_recipe_and_the_pattern_has_one_group() {
        for prefix in ["p", r"a\Eb", "x.y(z", "é\n", "p:x"] {
            let both = of("other", 4).merge(of(prefix, 4)).unwrap();
            let pattern = GroupPattern::parse(&both.group_pattern().unwrap()).unwrap();
            for split in of(prefix, 4).splits() {
                assert_eq!(
                    pattern.group_of(Some(&split)).unwrap(),
                    format!("{prefix}:")
                );
            }
        }
    }

    #[test]
    fn no_recipes_have_no_pattern() {
        assert_eq!(TableOptimizations::default().group_pattern(), None);
    }
}
