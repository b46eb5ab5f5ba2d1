//! The placement of the tablets of each group.

use std::collections::BTreeMap;

use fluo_table::{Result, TableAdmin, Tablets};
use serde::Serialize;

use super::super::forecast::groups_of;
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
    let tablets = admin.tablets(table).await?;
    count(pattern, &tablets, &servers)
}

pub(super) fn count(
    pattern: Option<&str>,
    tablets: &Tablets,
    servers: &[String],
) -> Result<Vec<GroupVerdict>> {
    let tablets = tablets.as_slice();
    let end_rows = tablets.iter().map(|tablet| tablet.end_row.as_deref());
    let names = groups_of(pattern, end_rows)?;
    let mut groups: Vec<GroupVerdict> = Vec::new();
    for (name, tablet) in names.iter().zip(tablets) {
        let place = groups.iter().position(|group| group.group == *name);
        let place = place.unwrap_or_else(|| {
            groups.push(GroupVerdict::empty(name, servers));
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(place) else {
            continue;
        };
        group.tablets += 1;
        // The table may name a crashed server for a while, which hosts nothing.
        let server = tablet.server.as_ref();
        match server.and_then(|server| group.per_server.get_mut(server)) {
            Some(tablets) => *tablets += 1,
            None => group.unhosted += 1,
        }
    }
    Ok(groups.into_iter().map(GroupVerdict::with_figures).collect())
}

impl GroupVerdict {
    fn empty(name: &str, servers: &[String]) -> Self {
        Self {
            group: name.to_owned(),
            tablets: 0,
            unhosted: 0,
            per_server: servers.iter().map(|server| (server.clone(), 0)).collect(),
            least: 0,
            mean: 0.0,
            largest: 0,
        }
    }

    fn with_figures(mut self) -> Self {
        self.least = self.per_server.values().min().copied().unwrap_or_default();
        self.largest = self.per_server.values().max().copied().unwrap_or_default();
        let hosted = float_len(self.per_server.values().sum());
        self.mean = hosted / float_len(self.per_server.len().max(1));
        self
    }

    /// Returns `true` if every tablet is hosted, and the numbers of tablets of any two servers
    /// differ by at most one.
    pub fn is_spread(&self) -> bool {
        self.unhosted == 0 && self.largest - self.least <= 1
    }

    /// Returns the smallest number of tablets that have to move, or to be hosted, until the group
    /// is spread.
    pub fn to_move(&self) -> usize {
        let hosted: usize = self.per_server.values().sum();
        let servers = self.per_server.len().max(1);
        let all = hosted + self.unhosted;
        let (share, with_one_more) = (all / servers, all % servers);
        let mut counts: Vec<_> = self.per_server.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let too_many = counts
            .iter()
            .enumerate()
            .map(|(index, count)| count.saturating_sub(share + usize::from(index < with_one_more)));
        self.unhosted + too_many.sum::<usize>()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn group(unhosted: usize, counts: &[usize]) -> GroupVerdict {
        let mut group = GroupVerdict::empty("p:", &[]);
        group.unhosted = unhosted;
        group.tablets = unhosted + counts.iter().sum::<usize>();
        group.per_server =
            counts.iter().enumerate().map(|(index, count)| (index.to_string(), *count)).collect();
        group.with_figures()
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
}
