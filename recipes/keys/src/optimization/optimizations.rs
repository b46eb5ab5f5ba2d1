//! The requirements of all recipes of a table, as one value.

use std::collections::BTreeSet;

use fluo_table::Bytes;

use super::TableRequirement;
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::row_hasher::RowHasher;

/// The split points and groups that the recipes of one table request.
///
/// # Examples
///
/// ```
/// use fluo_table::{Instance, TableAdmin, Versions};
/// use fluo_keys::{ApplyEvent, GroupVerdict, RowHasher};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fluo = Instance::in_memory();
/// fluo.create_table("pages", Versions::default()).await?;
/// let optimizations = RowHasher::new("p")?.table_optimizations(4)?;
/// assert_eq!(optimizations.group_pattern().as_deref(), Some(r"(\Qp:\E).*"));
/// let before = optimizations.verify(&fluo, "pages").await?;
/// assert!(!before.ok);
///
/// let plan = optimizations.plan(&fluo, "pages").prune(true).await?;
/// assert_eq!(plan.splits_to_add.len(), 4);
/// let applying = plan.apply(&fluo).on_event(|event| {
///     if let ApplyEvent::Done(step) = event {
///         println!("{step}");
///     }
/// });
/// assert_eq!(applying.await?.done, plan.steps().len());
/// let groups = plan.wait_until_balanced(&fluo, tokio::time::sleep).await?;
/// assert!(groups.iter().all(GroupVerdict::is_spread));
///
/// let verdict = optimizations.verify(&fluo, "pages").await?.into_result()?;
/// assert!(before.differences_since(&verdict).eq(&before.differences), "all are fixed");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct TableOptimizations {
    requirements: Vec<TableRequirement>,
}

impl TableOptimizations {
    /// Creates the optimizations of a table with rows of one key design.
    ///
    /// # Errors
    ///
    /// The same as [`TableRequirement::for_key_design`].
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
            let begins =
                |one: &Bytes, other: &Bytes| one.starts_with(other) || other.starts_with(one);
            let overlaps = |ours: &&TableRequirement| {
                ours.prefixes().any(|one| theirs.prefixes().any(|other| begins(&one, &other)))
            };
            if let Some(ours) = self.requirements.iter().find(overlaps) {
                let is_everywhere =
                    |one: &&TableRequirement| one.prefixes().any(|prefix| prefix.is_empty());
                let remedy = match [ours, &theirs].into_iter().find(is_everywhere) {
                    Some(alone) if !alone.prefix.is_empty() => format!(
                        "{}, with unsalted rows so far, must be the only recipe of its table",
                        alone.owner
                    ),
                    Some(alone) => format!("{} must be the only recipe of its table", alone.owner),
                    None => "give them prefixes of which neither starts with the other".to_owned(),
                };
                let (first, second) = (&ours.owner, &theirs.owner);
                return Err(RecipeError::settings(format!(
                    "{first} and {second} overlap; {remedy}"
                )));
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
        self.requirements.iter().flat_map(|one| one.splits.iter().cloned()).collect()
    }

    /// Returns the pattern of the balancer: exactly one capturing group around the alternatives of
    /// all recipes. `None` if no recipe has a group: then all tablets are spread as one group,
    /// which every balancer does.
    pub fn group_pattern(&self) -> Option<String> {
        let fragments: Vec<_> =
            self.requirements.iter().filter_map(|one| one.group_regex.as_deref()).collect();
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
    pub fn table_optimizations(&self, tablets: u32) -> Result<TableOptimizations, RecipeError> {
        TableOptimizations::for_key_design(&KeyDesign::from(self), tablets)
    }
}

impl From<TableRequirement> for TableOptimizations {
    fn from(requirement: TableRequirement) -> Self {
        Self { requirements: vec![requirement] }
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::balancer::GroupPattern;

    use super::*;

    fn of(prefix: &str, tablets: u32) -> TableOptimizations {
        RowHasher::new(prefix).unwrap().table_optimizations(tablets).unwrap()
    }

    #[test]
    fn rejects_recipes_that_overlap_and_names_both() {
        let error = of("p", 3).merge(of("q", 2)).unwrap().merge(of("p:x", 2)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row hasher `p` and row hasher `p:x` overlap; give them prefixes of which neither starts with the other"
        );
        assert!(of("p", 3).merge(of("p", 3)).is_err());
        assert!(of("p:x", 3).merge(of("p", 3)).is_err());
        assert!(of("p", 3).merge(of("pq", 3)).is_ok());

        let design = KeyDesign::new(crate::Modulo::default()).unwrap();
        let modulo = || TableOptimizations::for_key_design(&design, 10).unwrap();
        for (one, other) in [(modulo(), of("p", 3)), (of("p", 3), modulo()), (modulo(), modulo())] {
            let message = one.merge(other).unwrap_err().to_string();
            let end = " overlap; key design modulo must be the only recipe of its table";
            assert!(message.ends_with(end), "{message}");
        }
    }

    #[test]
    fn a_recipe_with_unsalted_rows_so_far_is_alone() {
        let of_hasher = |prefix: &str| {
            let design = KeyDesign::from(&RowHasher::new(prefix).unwrap());
            TableRequirement::for_key_design(&design, 3).unwrap()
        };
        let unsalted = KeyDesign::new(crate::Unsalted {}).unwrap();
        let other = KeyDesign::from(&RowHasher::new("q").unwrap());
        for (earlier, remedy) in [
            (
                unsalted,
                "row hasher `p`, with unsalted rows so far, must be the only recipe of its table",
            ),
            (other, "give them prefixes of which neither starts with the other"),
        ] {
            let moving = of_hasher("p").after([earlier]).unwrap();
            let error = TableOptimizations::from(moving).merge(of("q", 3)).unwrap_err();
            let overlap = "row hasher `p` and row hasher `q` overlap";
            assert_eq!(error.to_string(), format!("{overlap}; {remedy}"));
        }
    }

    #[test]
    fn the_pattern_puts_each_split_point_into_the_group_of_its_recipe() {
        assert_eq!(TableOptimizations::default().group_pattern(), None);
        for prefix in ["p", r"a\Eb", "x.y(z", "é\n", "p:x"] {
            let both = of("other", 4).merge(of(prefix, 4)).unwrap();
            let pattern = GroupPattern::parse(&both.group_pattern().unwrap()).unwrap();
            for split in of(prefix, 4).splits() {
                let group = pattern.group_of(Some(&split)).unwrap();
                assert_eq!(group, format!("{prefix}:"));
            }
        }
    }
}
