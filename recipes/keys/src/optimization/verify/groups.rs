//! The placement of the tablets of each group.

use std::collections::BTreeMap;

use fluo_table::{Error, Escaped, Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::TableOptimizations;
use super::super::forecast::{different, groups_of};
use super::difference::Difference;
use crate::number::float_len;

/// A group of tablets, and the number of them on each server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupVerdict {
    /// The name of the group.
    pub group: String,
    /// The number of its tablets.
    pub tablets: usize,
    /// The number of them that no server hosts.
    pub unhosted: usize,
    /// The number of them on each server, including servers without any.
    pub per_server: BTreeMap<String, usize>,
    /// The smallest number on a server.
    pub least: usize,
    /// The mean number on a server.
    pub mean: f64,
    /// The largest number on a server.
    pub largest: usize,
}

/// Reads the placement of the tablets once: each group by the pattern, in the order of the table.
/// Use it to wait until [all are spread](GroupVerdict::is_spread).
///
/// The pattern is that of [`TableOptimizations`](super::super::TableOptimizations::group_pattern)
/// or of a [`Plan`](super::super::Plan::group_pattern). Without a pattern all tablets are one
/// group.
///
/// # Errors
///
/// [`NotFound`](fluo_table::ErrorKind::NotFound) if there is no such table;
/// [`Invalid`](fluo_table::ErrorKind::Invalid) for a pattern that cannot be parsed; and errors of
/// the port.
pub async fn groups(
    admin: &dyn TableAdmin,
    table: &str,
    pattern: Option<&str>,
) -> Result<Vec<GroupVerdict>> {
    let servers = admin.servers().await?;
    count(pattern, &admin.tablets(table).await?, &servers)
}

pub(super) fn count(
    pattern: Option<&str>,
    tablets: &Tablets,
    servers: &[String],
) -> Result<Vec<GroupVerdict>> {
    let tablets = tablets.as_slice();
    let end_rows = tablets.iter().map(|tablet| tablet.end_row.as_deref());
    let names = groups_of(pattern, end_rows)?;
    let verdict = |group: &str| {
        let mut per_server: BTreeMap<_, _> = servers.iter().map(|one| (one.clone(), 0)).collect();
        let mut unhosted = 0;
        for (_, tablet) in names.iter().zip(tablets).filter(|(own, _)| *own == group) {
            // The table may name a crashed server for a while, which hosts nothing.
            let server = tablet.server.as_ref();
            *server.and_then(|server| per_server.get_mut(server)).unwrap_or(&mut unhosted) += 1;
        }
        GroupVerdict::new(group, unhosted, per_server)
    };
    Ok(different(&names).into_iter().map(verdict).collect())
}

impl GroupVerdict {
    fn new(group: &str, unhosted: usize, per_server: BTreeMap<String, usize>) -> Self {
        let hosted: usize = per_server.values().sum();
        Self {
            group: group.to_owned(),
            tablets: hosted + unhosted,
            unhosted,
            least: per_server.values().min().copied().unwrap_or_default(),
            mean: float_len(hosted) / float_len(per_server.len().max(1)),
            largest: per_server.values().max().copied().unwrap_or_default(),
            per_server,
        }
    }

    /// Returns `true` if every tablet is hosted, and the numbers of tablets of any two servers
    /// differ by at most one.
    pub fn is_spread(&self) -> bool {
        self.unhosted == 0 && self.largest - self.least <= 1
    }

    /// Returns the smallest number of tablets that have to move, or to be hosted, until the group
    /// is spread.
    pub fn to_move(&self) -> usize {
        let servers = self.per_server.len().max(1);
        let (share, with_one_more) = (self.tablets / servers, self.tablets % servers);
        let mut counts: Vec<_> = self.per_server.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let too_many = |(index, count): (usize, usize)| {
            count.saturating_sub(share + usize::from(index < with_one_more))
        };
        self.unhosted + counts.into_iter().enumerate().map(too_many).sum::<usize>()
    }

    pub(super) fn differences(&self) -> impl Iterator<Item = Difference> {
        let (group, tablets) = (&self.group, self.tablets);
        let unhosted = (self.unhosted > 0).then(|| Difference::Unhosted {
            group: group.clone(),
            tablets,
            unhosted: self.unhosted,
        });
        let uneven = (self.largest - self.least > 1).then(|| Difference::NotSpread {
            group: group.clone(),
            tablets,
            least: self.least,
            largest: self.largest,
        });
        unhosted.into_iter().chain(uneven)
    }
}

/// Returns the difference of each recipe with split points of no recipe that take a tablet out of
/// its group.
///
/// Accumulo splits a tablet that is too large, and shortens the split point to the shortest row
/// that separates the two parts. Such a row is not matched by the pattern of the balancer if it is
/// past the prefix of the recipe while its last split point is missing, or if it contains a line
/// break, which `.` does not match. The balancer then puts the tablet into another group.
pub(super) fn stray_splits(
    optimizations: &TableOptimizations,
    tablets: &Tablets,
) -> Result<Vec<Difference>> {
    let wanted = optimizations.splits();
    let mut differences = Vec::new();
    for requirement in optimizations.requirements() {
        let recipe = requirement.owner.clone();
        let pattern = requirement.pattern().map_err(|error| {
            Error::invalid(format!("the group of {recipe} cannot be determined: {error}"))
        })?;
        let Some(pattern) = pattern else { continue };
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

    fn group(unhosted: usize, counts: &[usize]) -> GroupVerdict {
        let counts = counts.iter().enumerate();
        let per_server = counts.map(|(index, count)| (index.to_string(), *count)).collect();
        GroupVerdict::new("p:", unhosted, per_server)
    }

    #[test]
    fn counts_the_fewest_moves_that_spread_the_group() {
        for (unhosted, counts, to_move) in [
            (0, [5, 5].as_slice(), 0),
            (0, &[4, 6], 1),
            (0, &[0, 10], 5),
            (0, &[3, 4, 4], 0),
            (0, &[2, 5, 4], 1),
            (2, &[4, 4], 2),
            (1, &[9, 0], 5),
            (3, &[], 3),
            (0, &[], 0),
        ] {
            let group = group(unhosted, counts);
            assert_eq!(group.to_move(), to_move, "{unhosted} {counts:?}");
            assert_eq!(group.is_spread(), to_move == 0, "{unhosted} {counts:?}");
        }
    }

    fn ending(splits: BTreeSet<Bytes>) -> Tablets {
        let end_rows = splits.into_iter().map(Some).chain([None]);
        let tablet = |end_row| Tablet { end_row, server: None, entries: 0 };
        Tablets::new(end_rows.map(tablet).collect())
    }

    #[test]
    fn finds_tablets_with_rows_of_a_recipe_outside_its_group() {
        let of = |prefix: &str| RowHasher::new(prefix).unwrap().table_optimizations(3).unwrap();
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
            assert_eq!(
                stray_splits(&optimizations, &ending(found)).unwrap(),
                expected,
                "{added:?}"
            );
        }
    }
}
