//! Split points of no recipe that take a tablet out of its group.
//!
//! Accumulo splits a tablet that is too large, and shortens the split point to the shortest row
//! that separates the two parts. The tablet that ends at such a point can end in a row that the
//! pattern of the balancer does not match, although the tablet contains rows of a recipe. Such a
//! row is past the prefix of the recipe while its last split point is missing, or it contains a
//! line break, which `.` in the pattern does not match. The balancer then puts the tablet into
//! another group.

use std::collections::BTreeSet;

use fluo_table::balancer::GroupPattern;
use fluo_table::{Bytes, Error, Escaped, Result};
use serde::Serialize;

use super::super::{TableOptimizations, TableRequirement};

/// A split point whose tablet can hold rows of a recipe but is not in the group of the recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StraySplit {
    /// The split point, escaped: the end row of the tablet.
    pub split: String,
    /// The recipe whose rows are in the tablet.
    pub recipe: String,
}

/// Returns the extra split points that take a tablet out of its group, recipe by recipe.
pub(super) fn find(
    optimizations: &TableOptimizations,
    wanted: &BTreeSet<Bytes>,
    found: &BTreeSet<Bytes>,
) -> Result<Vec<StraySplit>> {
    let mut strays = Vec::new();
    for requirement in optimizations.requirements() {
        let Some(regex) = requirement.group_regex() else {
            continue;
        };
        let extra = end_rows(requirement, found);
        let mut extra = extra
            .filter(|end_row| !wanted.contains(*end_row))
            .peekable();
        if extra.peek().is_none() {
            continue;
        }
        let pattern = group_of(requirement, regex)?;
        strays.extend(
            extra
                .filter(|end_row| pattern.group_of(Some(end_row)).is_none())
                .map(|end_row| StraySplit {
                    split: Escaped(end_row).to_string(),
                    recipe: requirement.owner().to_owned(),
                }),
        );
    }
    Ok(strays)
}

/// Returns the pattern of one recipe alone.
fn group_of(requirement: &TableRequirement, regex: &str) -> Result<GroupPattern> {
    GroupPattern::parse(&format!("({regex}).*")).map_err(|error| {
        let owner = requirement.owner();
        Error::invalid(format!(
            "the group of {owner} cannot be determined: {error}"
        ))
    })
}

/// Returns the end rows of the tablets that can hold rows of a recipe: from the first end row at or
/// after its prefix to the first at or after its last row.
fn end_rows<'a>(
    requirement: &TableRequirement,
    found: &'a BTreeSet<Bytes>,
) -> impl Iterator<Item = &'a Bytes> {
    let last_row = requirement.last_end_row();
    let mut is_past = false;
    found
        .range(requirement.prefix.clone()..)
        .take_while(move |end_row| {
            let holds_rows = !is_past;
            is_past = last_row.as_ref().is_some_and(|last| *end_row >= last);
            holds_rows
        })
}

/// Returns each recipe that has such split points, with a sentence about them.
pub(super) fn differences(strays: &[StraySplit]) -> impl Iterator<Item = (&str, String)> {
    strays
        .chunk_by(|a, b| a.recipe == b.recipe)
        .filter_map(|strays| {
            let StraySplit { split, recipe } = strays.first()?;
            let sentence = match strays.len() {
                1 => format!(
                    "{recipe}: the tablet that ends at the extra split point `{split}` can hold its rows and falls out \
                     of its group"
                ),
                count => format!(
                    "{recipe}: {count} tablets that end at extra split points can hold its rows and fall out of its \
                     group, the first ends at `{split}`"
                ),
            };
            Some((recipe.as_str(), sentence))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowHasher;

    fn strays(found: &[&'static str], missing: &[&'static str]) -> Vec<String> {
        let of = |prefix: &str| {
            TableOptimizations::for_row_hasher(&RowHasher::new(prefix).unwrap(), 3).unwrap()
        };
        let optimizations = of("p").merge(of("q")).unwrap();
        let wanted = optimizations.splits();
        let mut present = wanted.clone();
        present.retain(|split| !missing.iter().any(|missing| split == missing.as_bytes()));
        present.extend(found.iter().map(|row| Bytes::from(*row)));
        let strays = find(&optimizations, &wanted, &present).unwrap();
        strays
            .into_iter()
            .map(|stray| stray.recipe + " " + &stray.split)
            .collect()
    }

    #[test]
    fn finds_a_tablet_past_the_prefix_that_still_has_rows() {
        assert_eq!(strays(&["pb"], &["p:~"]), ["row hasher `p` pb"]);
        assert_eq!(strays(&["pb", "pc"], &["p:~"]), ["row hasher `p` pb"]);
        assert_eq!(strays(&["pb"], &["p:o000", "p:~"]), ["row hasher `p` pb"]);
    }

    #[test]
    fn ignores_a_tablet_without_rows_of_a_recipe() {
        assert_eq!(
            strays(&["a", "p", "p9", "pb", "z"], &[]),
            Vec::<String>::new()
        );
        assert_eq!(strays(&["p", "p9"], &["p:~"]), Vec::<String>::new());
    }

    #[test]
    fn finds_a_tablet_within_the_prefix_only_if_the_pattern_does_not_match() {
        assert_eq!(
            strays(&["p:", "p:5", "p:5zzz:row"], &[]),
            Vec::<String>::new()
        );
        assert_eq!(
            strays(&["p:5\n", "q:5\u{2028}"], &[]),
            [
                "row hasher `p` p:5\\x0a",
                "row hasher `q` q:5\\xe2\\x80\\xa8"
            ]
        );
    }

    #[test]
    fn returns_a_sentence_for_each_recipe() {
        let stray = |recipe: &str, split: &str| StraySplit {
            split: split.to_owned(),
            recipe: recipe.to_owned(),
        };
        let sentences: Vec<_> = differences(&[stray("a", "1"), stray("a", "2"), stray("b", "3")])
            .map(|(_, sentence)| sentence)
            .collect();
        assert_eq!(
            sentences,
            [
                "a: 2 tablets that end at extra split points can hold its rows and fall out of its group, the first ends \
             at `1`",
                "b: the tablet that ends at the extra split point `3` can hold its rows and falls out of its group"
            ]
        );
    }
}
