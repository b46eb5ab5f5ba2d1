//! The requirements of all recipes of a table, as one value.

use std::collections::BTreeSet;

use fluo_table::Bytes;

use super::TableRequirement;
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::row_hasher::RowHasher;

/// The split points and groups that the recipes of one table request.
#[derive(Clone, Debug, Default)]
pub struct TableOptimizations {
    requirements: Vec<TableRequirement>,
}

impl TableOptimizations {
    /// Creates the optimizations of a table with rows of one hasher.
    ///
    /// # Errors
    ///
    /// The hasher cannot split into this number of tablets.
    pub fn for_row_hasher(hasher: &RowHasher, tablets: u32) -> Result<Self, RecipeError> {
        Ok(Self {
            requirements: vec![TableRequirement::for_row_hasher(hasher, tablets)?],
        })
    }

    /// Creates the optimizations of a table with rows of one key design.
    ///
    /// # Errors
    ///
    /// The same as [`TableRequirement::for_key_design`].
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{KeyDesign, Modulo, TableOptimizations};
    ///
    /// let design = KeyDesign::new(Modulo::default())?;
    /// let optimizations = TableOptimizations::for_key_design(&design, 10)?;
    /// assert_eq!(optimizations.splits().len(), 9);
    /// // Its rows have no common prefix, so they need no group.
    /// assert_eq!(optimizations.group_pattern(), None);
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn for_key_design(design: &KeyDesign, tablets: u32) -> Result<Self, RecipeError> {
        TableRequirement::for_key_design(design, tablets).map(Self::from)
    }

    /// Merges two sets of requirements.
    ///
    /// # Errors
    ///
    /// Two recipes overlap; the message names them.
    pub fn merge(mut self, other: Self) -> Result<Self, RecipeError> {
        for theirs in other.requirements {
            if let Some(ours) = self.requirements.iter().find(|ours| ours.overlaps(&theirs)) {
                return Err(overlap(ours, &theirs));
            }
            self.requirements.push(theirs);
        }
        Ok(self)
    }

    /// Returns the requirement of each recipe, in the order in which they were merged.
    pub fn requirements(&self) -> &[TableRequirement] {
        &self.requirements
    }

    /// Returns the split points of all recipes.
    pub fn splits(&self) -> BTreeSet<Bytes> {
        self.requirements
            .iter()
            .flat_map(|requirement| requirement.splits.iter().cloned())
            .collect()
    }

    /// Returns the pattern of the balancer: exactly one capturing group around the alternatives of
    /// all recipes. `None` if no recipe has a group: then all tablets are spread as one group,
    /// which every balancer does.
    pub fn group_pattern(&self) -> Option<String> {
        let fragments: Vec<_> = self
            .requirements
            .iter()
            .filter_map(TableRequirement::group_regex)
            .collect();
        (!fragments.is_empty()).then(|| format!("({}).*", fragments.join("|")))
    }
}

impl RowHasher {
    /// Returns the optimizations of a table with rows of this hasher, spread over a number of
    /// tablets.
    ///
    /// # Errors
    ///
    /// The hasher cannot split into this number of tablets.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::RowHasher;
    ///
    /// let optimizations = RowHasher::new("p")?.table_optimizations(20)?;
    /// assert_eq!(optimizations.group_pattern().as_deref(), Some(r"(\Qp:\E).*"));
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn table_optimizations(&self, tablets: u32) -> Result<TableOptimizations, RecipeError> {
        TableOptimizations::for_row_hasher(self, tablets)
    }
}

impl From<TableRequirement> for TableOptimizations {
    fn from(requirement: TableRequirement) -> Self {
        Self {
            requirements: vec![requirement],
        }
    }
}

/// Returns the error of two recipes that could have the same rows.
fn overlap(first: &TableRequirement, second: &TableRequirement) -> RecipeError {
    let mut both = [first, second].into_iter();
    let remedy = match both.find(|one| one.is_whole_table()) {
        Some(alone) => format!(
            "the rows of {} can begin with any bytes, so it must be the only recipe of its table",
            alone.owner
        ),
        None => "give them prefixes of which neither starts with the other and a `:`".to_owned(),
    };
    let (first, second) = (&first.owner, &second.owner);
    RecipeError::settings(format!(
        "{first} and {second} overlap: rows of one could be read as rows of the other; {remedy}"
    ))
}

#[cfg(test)]
mod tests {
    use fluo_table::balancer::GroupPattern;

    use super::*;

    fn of(prefix: &str, tablets: u32) -> TableOptimizations {
        TableOptimizations::for_row_hasher(&RowHasher::new(prefix).unwrap(), tablets).unwrap()
    }

    #[test]
    fn rejects_recipes_that_overlap_and_names_both() {
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
    fn rejects_another_recipe_beside_a_design_without_a_prefix() {
        let design = KeyDesign::new(crate::Modulo::default()).unwrap();
        let modulo = || TableOptimizations::for_key_design(&design, 10).unwrap();
        for error in [
            modulo().merge(of("p", 3)).unwrap_err(),
            of("p", 3).merge(modulo()).unwrap_err(),
        ] {
            let message = error.to_string();
            assert!(
                message.ends_with(
                    " overlap: rows of one could be read as rows of the other; the rows of key design modulo can \
                     begin with any bytes, so it must be the only recipe of its table"
                ),
                "{message}"
            );
        }
        assert!(modulo().merge(modulo()).is_err());
    }

    #[test]
    fn the_pattern_puts_each_split_point_into_the_group_of_its_recipe() {
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
    fn has_no_pattern_without_recipes() {
        assert_eq!(TableOptimizations::default().group_pattern(), None);
    }
}
