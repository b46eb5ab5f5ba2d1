//! The requirements of all recipes of a table, as one value.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Escaped};

use super::TableRequirement;
use crate::error::RecipeError;
use crate::key_design::KeyDesign;
use crate::key_migration::KeyMigration;
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
            let overlaps = |ours: &&TableRequirement| {
                ours.prefixes().any(|one| theirs.prefixes().any(|other| overlap(&one, &other)))
            };
            if let Some(ours) = self.requirements.iter().find(overlaps) {
                let (first, second) = (&ours.owner, &theirs.owner);
                let remedy = remedy(ours, &theirs);
                let message = format!("{first} and {second} overlap; {remedy}");
                return Err(RecipeError::settings(message));
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

/// Returns the way to have both of two recipes that overlap. Rows have the prefix of an earlier
/// design, so it cannot be changed.
fn remedy(one: &TableRequirement, other: &TableRequirement) -> String {
    let recipes = [one, other];
    if let Some(alone) = recipes.iter().find(|recipe| recipe.prefix.is_empty()) {
        return format!("{} must be the only recipe of its table", alone.owner);
    }
    for recipe in recipes {
        let mut designs = recipe.designs.iter().flat_map(KeyMigration::designs);
        if let Some(earlier) = designs.find(|design| design.prefix().is_empty()) {
            let (owner, earlier) = (&recipe.owner, earlier.name());
            return format!(
                "{owner}, with {earlier} rows so far, must be the only recipe of its table"
            );
        }
    }
    if !overlap(&one.prefix, &other.prefix) {
        for (moving, beside) in [(one, other), (other, one)] {
            let is_of_both = |prefix: &Bytes| beside.prefixes().any(|one| overlap(prefix, &one));
            let mut prefixes = moving.prefixes().filter(|prefix| *prefix != moving.prefix);
            if let Some(earlier) = prefixes.find(is_of_both) {
                let (owner, earlier) = (&moving.owner, Escaped(&earlier));
                return format!(
                    "rows that begin with `{earlier}` would be of both; remove the other recipe, \
                     or the earlier design of {owner}"
                );
            }
        }
    }
    "give them prefixes of which neither starts with the other".to_owned()
}

/// Checks whether one row can begin with both prefixes.
fn overlap(one: &Bytes, other: &Bytes) -> bool {
    one.starts_with(other) || other.starts_with(one)
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

    /// Covers a bug: both recipes were asked for other prefixes, although stored rows had the
    /// earlier one; a recipe that is always alone was called alone so far; and all earlier rows
    /// were called unsalted.
    #[test]
    fn names_the_way_out_while_rows_move() {
        let hasher = |prefix: &str| KeyDesign::from(&RowHasher::new(prefix).unwrap());
        let of = |design: &KeyDesign| TableRequirement::for_key_design(design, 3).unwrap();
        let unsalted = KeyDesign::new(crate::Unsalted {}).unwrap();
        let modulo = KeyDesign::new(crate::Modulo::default()).unwrap();
        let of_p_after = |earlier: &KeyDesign| of(&hasher("p")).after([earlier.clone()]).unwrap();
        let q = of(&hasher("q"));
        for (one, other, remedy) in [
            (
                of_p_after(&unsalted),
                q.clone(),
                "row hasher `p`, with unsalted rows so far, must be the only recipe of its table",
            ),
            (
                of_p_after(&modulo),
                q.clone(),
                "row hasher `p`, with modulo rows so far, must be the only recipe of its table",
            ),
            (
                of_p_after(&unsalted),
                of(&modulo),
                "key design modulo must be the only recipe of its table",
            ),
            (
                of_p_after(&hasher("q")),
                q.clone(),
                "rows that begin with `q:` would be of both; remove the other recipe, or the earlier design of row \
                 hasher `p`",
            ),
            (
                q.after([hasher("p:x")]).unwrap(),
                of(&hasher("p")),
                "rows that begin with `p:x:` would be of both; remove the other recipe, or the earlier design of row \
                 hasher `q`",
            ),
            (
                of_p_after(&hasher("q")),
                of(&hasher("p:x")),
                "give them prefixes of which neither starts with the other",
            ),
        ] {
            for (one, other) in [(&one, &other), (&other, &one)] {
                let merged = TableOptimizations::from(one.clone()).merge(other.clone().into());
                let overlap = format!("{} and {} overlap", one.owner, other.owner);
                assert_eq!(merged.unwrap_err().to_string(), format!("{overlap}; {remedy}"));
            }
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
