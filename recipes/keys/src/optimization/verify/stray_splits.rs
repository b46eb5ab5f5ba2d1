//! Split points of no recipe that take a tablet out of its group.
//!
//! Accumulo splits a tablet that is too large, and shortens the split point to the shortest row
//! that separates the two parts. The tablet that ends at such a point can end in a row that the
//! pattern of the balancer does not match, although the tablet contains rows of a recipe. Such a
//! row is past the prefix of the recipe while its last split point is missing, or it contains a
//! line break, which `.` in the pattern does not match. The balancer then puts the tablet into
//! another group.

use fluo_table::balancer::GroupPattern;
use fluo_table::{Error, Escaped, Result, Tablets};

use super::super::TableOptimizations;
use super::difference::Difference;

/// Returns the difference of each recipe that has such split points.
pub(super) fn find(
    optimizations: &TableOptimizations,
    tablets: &Tablets,
) -> Result<Vec<Difference>> {
    let wanted = optimizations.splits();
    let mut differences = Vec::new();
    for requirement in optimizations.requirements() {
        let Some(regex) = requirement.group_regex() else {
            continue;
        };
        let recipe = requirement.owner().to_owned();
        let pattern = GroupPattern::parse(&format!("({regex}).*")).map_err(|error| {
            Error::invalid(format!("the group of {recipe} cannot be determined: {error}"))
        })?;
        let own = tablets.as_slice().get(requirement.tablets_in(tablets));
        let end_rows = own.unwrap_or_default().iter();
        let splits: Vec<_> = end_rows
            .filter_map(|tablet| tablet.end_row.as_ref())
            .filter(|end_row| !wanted.contains(*end_row))
            .filter(|end_row| pattern.group_of(Some(end_row)).is_none())
            .map(|end_row| Escaped(end_row).to_string())
            .collect();
        if !splits.is_empty() {
            differences.push(Difference::StraySplits { recipe, splits });
        }
    }
    Ok(differences)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fluo_table::{Bytes, Tablet};

    use super::*;
    use crate::RowHasher;

    fn ending(splits: BTreeSet<Bytes>) -> Tablets {
        let end_rows = splits.into_iter().map(Some).chain([None]);
        let tablet = |end_row| Tablet { end_row, server: None, entries: 0 };
        Tablets::new(end_rows.map(tablet).collect())
    }

    #[test]
    fn finds_tablets_with_rows_of_a_recipe_outside_its_group() {
        let of = |prefix: &str| {
            TableOptimizations::for_row_hasher(&RowHasher::new(prefix).unwrap(), 3).unwrap()
        };
        let optimizations = of("p").merge(of("q")).unwrap();
        let stray = |recipe: &str, split: &str| Difference::StraySplits {
            recipe: format!("row hasher `{recipe}`"),
            splits: vec![split.to_owned()],
        };
        for (added, missing, expected) in [
            (&["pb"][..], &["p:~"][..], vec![stray("p", "pb")]),
            (&["pb", "pc"], &["p:~"], vec![stray("p", "pb")]),
            (&["pb"], &["p:o000", "p:~"], vec![stray("p", "pb")]),
            // These tablets hold no row of a recipe.
            (&["a", "p", "p9", "pb", "z"], &[], vec![]),
            (&["p", "p9"], &["p:~"], vec![]),
            // The pattern matches all but line breaks.
            (&["p:", "p:5", "p:5zzz:row"], &[], vec![]),
            (
                &["p:5\n", "q:5\u{2028}"],
                &[],
                vec![stray("p", "p:5\\x0a"), stray("q", "q:5\\xe2\\x80\\xa8")],
            ),
        ] {
            let mut found = optimizations.splits();
            found.retain(|split| !missing.iter().any(|missing| split == missing.as_bytes()));
            found.extend(added.iter().map(|row| Bytes::from(*row)));
            assert_eq!(find(&optimizations, &ending(found)).unwrap(), expected, "{added:?}");
        }
    }
}
