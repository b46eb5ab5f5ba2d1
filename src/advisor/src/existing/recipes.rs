//! The recognised designs, as the recipes that a spec can contain.

use std::cmp::Reverse;

use fluo_keys::{DesignSettings, HashScheme, KeyDesign, KeyMigration};
use fluo_table::{Bytes, Escaped, Versions};
use serde::Serialize;

use super::layout::{self, Layout};
use crate::AdvisedLayout;
use crate::number::share;

/// A recipe that keys, or the split points of their table, already have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExistingRecipe {
    /// The name of the recipe in a table of designs.
    pub label: String,
    /// Its design; the newest one, if its rows were written with several.
    pub settings: DesignSettings,
    /// Earlier designs that some of its rows still have.
    pub before: Vec<DesignSettings>,
    /// The number of its keys in the sample.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// The number of its keys that have an earlier design.
    pub in_earlier_designs: u64,
    /// Its tablets in the table; `None` if there is no table, or no split point of the recipe.
    pub layout: Option<AdvisedLayout>,
    /// The number of split points among its own that are not the design's, such as those where a
    /// tablet split because it grew.
    pub other_splits: usize,
    #[serde(skip)]
    points: Vec<Bytes>,
}

impl ExistingRecipe {
    fn new(settings: DesignSettings, before: Vec<DesignSettings>, splits: &[Bytes]) -> Self {
        let (settings, layout) = match layout::layout(&settings, splits) {
            Some((settings, layout)) => (settings, Some(layout)),
            None => (settings, None),
        };
        let (layout, other_splits, points) = match layout {
            None => (None, 0, Vec::new()),
            Some(Layout::Even { tablets, others }) => {
                (Some(AdvisedLayout::Tablets(tablets)), others, Vec::new())
            }
            Some(Layout::At(points)) => {
                let shown = points.iter().map(|point| Escaped(point).to_string());
                (Some(AdvisedLayout::SplitPoints(shown.collect())), 0, points)
            }
        };
        Self {
            label: label(&settings),
            settings,
            before,
            keys: 0,
            share: 0.0,
            in_earlier_designs: 0,
            layout,
            other_splits,
            points,
        }
    }

    /// Checks whether the table is split for the recipe.
    #[must_use]
    pub fn is_split(&self) -> bool {
        self.layout.is_some()
    }

    /// Checks whether the table is split for the recipe only. Points of a design without a prefix
    /// can belong to plain rows, unless they are the design's own.
    pub(super) fn has_own_tablets(&self) -> bool {
        match &self.layout {
            Some(AdvisedLayout::Tablets(_)) => true,
            Some(AdvisedLayout::SplitPoints(_)) => prefix_of(&self.settings).is_some(),
            None => false,
        }
    }

    /// Returns the split points of the table for the recipe; empty if they are the design's own.
    pub(crate) fn points(&self) -> &[Bytes] {
        &self.points
    }

    /// Returns its designs, the newest first, each with `true` if it is the newest.
    pub(super) fn designs(&self) -> impl Iterator<Item = (KeyDesign, bool)> {
        let newest = std::iter::once((&self.settings, true));
        let before = self.before.iter().rev().map(|settings| (settings, false));
        newest.chain(before).filter_map(|(settings, is_newest)| {
            Some((KeyDesign::new(settings.clone()).ok()?, is_newest))
        })
    }

    pub(super) fn count(&mut self, is_newest: bool, of: u64) {
        self.keys += 1;
        self.in_earlier_designs += u64::from(!is_newest);
        self.share = share(self.keys, of);
    }
}

/// Returns the recipes of these designs, and the designs that no spec can contain together with
/// them. `keys` counts the keys of a design.
pub(super) fn recipes(
    designs: Vec<DesignSettings>,
    splits: &[Bytes],
    keys: impl Fn(&DesignSettings) -> u64,
) -> (Vec<ExistingRecipe>, Vec<DesignSettings>) {
    let (hashers, salted): (Vec<_>, Vec<_>) = designs
        .into_iter()
        .partition(|settings| prefix_of(settings).is_some());
    // Keys of a design without a prefix can begin with anything, so a spec contains only that
    // design.
    let (families, mut apart) = if salted.is_empty() {
        (by_prefix(hashers), Vec::new())
    } else if hashers.is_empty() {
        (vec![salted], Vec::new())
    } else {
        let total = |all: &[DesignSettings]| all.iter().map(&keys).sum::<u64>();
        let is_split = |all: &[DesignSettings]| all.iter().any(|one| layout::is_even(one, splits));
        let rank = |all: &[DesignSettings]| (is_split(all), total(all));
        if rank(&salted) > rank(&hashers) {
            (vec![salted], hashers)
        } else {
            (by_prefix(hashers), salted)
        }
    };
    let recipes = families.into_iter().filter_map(|mut family| {
        // The newest design is the one for which the table is split, or else the one of the most
        // keys.
        family.sort_by_key(|settings| Reverse(layout::is_even(settings, splits)));
        let (settings, before, left) = in_one_table(family)?;
        apart.extend(left);
        Some(ExistingRecipe::new(settings, before, splits))
    });
    let recipes: Vec<_> = recipes.collect();
    (recipes, apart)
}

fn by_prefix(hashers: Vec<DesignSettings>) -> Vec<Vec<DesignSettings>> {
    let mut families: Vec<Vec<DesignSettings>> = Vec::new();
    for hasher in hashers {
        let is_of = |family: &&mut Vec<DesignSettings>| {
            family.first().and_then(prefix_of) == prefix_of(&hasher)
        };
        match families.iter_mut().find(is_of) {
            Some(family) => family.push(hasher),
            None => families.push(vec![hasher]),
        }
    }
    families
}

/// Returns the newest design, the earlier designs from the oldest, and the designs that cannot
/// precede it.
fn in_one_table(
    family: Vec<DesignSettings>,
) -> Option<(DesignSettings, Vec<DesignSettings>, Vec<DesignSettings>)> {
    let mut family = family.into_iter();
    let settings = family.next()?;
    let newest = KeyDesign::new(settings.clone()).ok()?;
    let (mut before, mut left) = (Vec::new(), Vec::new());
    for earlier in family {
        let all = [&earlier].into_iter().chain(&before);
        let designs: Vec<_> = all
            .filter_map(|settings: &DesignSettings| KeyDesign::new(settings.clone()).ok())
            .chain([newest.clone()])
            .collect();
        if KeyMigration::new(designs, Versions::default()).is_ok() {
            // The fewer keys a design has, the older it is.
            before.insert(0, earlier);
        } else {
            left.push(earlier);
        }
    }
    Some((settings, before, left))
}

fn prefix_of(settings: &DesignSettings) -> Option<&str> {
    match settings {
        DesignSettings::RowHasher(hashed) => Some(&hashed.prefix),
        _ => None,
    }
}

/// Sorts recipes in the order of their groups in the balancer's pattern.
pub(super) fn sort_by_groups(recipes: &mut [ExistingRecipe], pattern: &str) {
    let groups = alternatives(pattern);
    recipes.sort_by_key(|recipe| {
        let own = group_of(recipe);
        let place = own.and_then(|own| groups.iter().position(|group| *group == own));
        place.unwrap_or(usize::MAX)
    });
}

/// Returns the groups of the balancer's pattern that belong to none of these recipes; `None` if
/// there are no others.
pub(super) fn unknown_groups(recipes: &[ExistingRecipe], pattern: &str) -> Option<String> {
    let own: Vec<_> = recipes.iter().filter_map(group_of).collect();
    let left: Vec<_> = alternatives(pattern)
        .into_iter()
        .filter(|group| !group.is_empty() && !own.iter().any(|own| own == group))
        .collect();
    (!left.is_empty()).then(|| left.join("|"))
}

/// Returns the groups of a balancer's pattern `(..|..).*`: the texts between `|`, except for a `|`
/// in a quotation `\Q..\E`, after a backslash, in parentheses or in a class.
fn alternatives(pattern: &str) -> Vec<&str> {
    let groups = pattern
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(").*"))
        .unwrap_or(pattern);
    let (mut found, mut start, mut depth, mut quoted_until) = (Vec::new(), 0, 0_usize, 0);
    let mut rest = groups.char_indices();
    while let Some((at, c)) = rest.next() {
        if at < quoted_until {
            continue;
        }
        match c {
            '\\' => {
                let is_quotation = rest.next().is_some_and(|(_, escaped)| escaped == 'Q');
                if is_quotation {
                    let quoted = groups.get(at + 2..).unwrap_or_default();
                    let length = quoted.find(r"\E").map_or(quoted.len(), |end| end + 2);
                    quoted_until = at + 2 + length;
                }
            }
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.extend(groups.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(groups.get(start..));
    found
}

fn group_of(recipe: &ExistingRecipe) -> Option<String> {
    KeyDesign::new(recipe.settings.clone()).ok()?.group_regex()
}

/// Returns the name of a design in a table of designs.
fn label(settings: &DesignSettings) -> String {
    let name = KeyDesign::new(settings.clone()).map(|design| design.name());
    let name = name.unwrap_or("a design");
    match prefix_of(settings) {
        Some(prefix) => format!("{name} `{}`", Escaped(prefix.as_bytes())),
        None => name.to_owned(),
    }
}

/// Returns the name of a design in a sentence.
pub(crate) fn name(settings: &DesignSettings) -> String {
    match settings {
        DesignSettings::RowHasher(hashed) if hashed.scheme == HashScheme::default() => {
            format!(
                "row-hasher with the prefix `{}`",
                Escaped(hashed.prefix.as_bytes())
            )
        }
        DesignSettings::RowHasher(hashed) => format!(
            "row-hasher with the prefix `{}` and the scheme {}",
            Escaped(hashed.prefix.as_bytes()),
            hashed.scheme
        ),
        _ => KeyDesign::new(settings.clone())
            .map_or_else(|_| "a design".to_owned(), |design| design.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::HashedRows;

    use super::*;

    fn hashed(prefix: &str) -> ExistingRecipe {
        let settings = HashedRows {
            prefix: prefix.to_owned(),
            scheme: HashScheme::default(),
        };
        ExistingRecipe::new(settings.into(), Vec::new(), &[])
    }

    #[test]
    fn splits_a_pattern_at_its_own_bars_only() {
        let all = r"(\Qa|(:\E|b[|x]:|c\|:|(?:d|e):|\Qx\E\\E\Qp:\E).*";
        let expected = [
            r"\Qa|(:\E",
            "b[|x]:",
            r"c\|:",
            "(?:d|e):",
            r"\Qx\E\\E\Qp:\E",
        ];
        assert_eq!(alternatives(all), expected);
        assert_eq!(alternatives("q:.*"), ["q:.*"]);
        assert_eq!(alternatives(r"(\Qopen|).*"), [r"\Qopen|"]);
    }

    /// Groups were searched as a part of the text. The group of `p` was cut out of the group of
    /// another recipe that ends in it, and the rest was reported and sorted as an unknown group.
    #[test]
    fn a_group_is_not_a_part_of_another_group() {
        for other in [r"a\Qp:\E", r"\Qx\E\\E\Qp:\E"] {
            let pattern = format!(r"({other}|\Qq:\E|\Qp:\E).*");
            let mut recipes = vec![hashed("p"), hashed("q")];
            assert_eq!(unknown_groups(&recipes, &pattern).as_deref(), Some(other));
            sort_by_groups(&mut recipes, &pattern);
            let labels: Vec<_> = recipes.iter().map(|recipe| &recipe.label).collect();
            assert_eq!(labels, ["row-hasher `q`", "row-hasher `p`"]);
        }
        let own = [hashed("p"), hashed("ap")];
        assert_eq!(unknown_groups(&own, r"(\Qap:\E|\Qp:\E).*"), None);
        assert_eq!(
            unknown_groups(&own[..1], r"(\Qap:\E|\Qp:\E).*").as_deref(),
            Some(r"\Qap:\E")
        );
    }
}
