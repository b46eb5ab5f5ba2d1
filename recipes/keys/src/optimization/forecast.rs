//! The distribution of the tablets of a plan, as the balancer will make it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fluo_table::balancer::{GroupPattern, place};
use fluo_table::{Bytes, Error, Escaped, Result};
use serde::{Deserialize, Serialize};

use super::balancer::DEFAULT_GROUP;

/// A group of tablets, and the number of them that each server would hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupForecast {
    /// The name of the group: the captured text of the pattern, or the default group.
    pub group: String,
    /// The number of its tablets.
    pub tablets: usize,
    /// The runs of neighbors among its tablets, in order.
    pub runs: Vec<TabletRun>,
    /// The number of its tablets on each server.
    pub per_server: Vec<usize>,
}

/// Neighboring tablets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabletRun {
    /// The number of tablets.
    pub tablets: usize,
    /// The end row of the first, escaped; `None` for the last tablet of the table.
    pub first_end_row: Option<String>,
    /// The end row of the last, escaped; `None` for the last tablet of the table.
    pub last_end_row: Option<String>,
}

/// Returns the group of each tablet by the pattern. Without a pattern all are in the default group.
pub(super) fn groups_of<'a>(
    pattern: Option<&str>,
    end_rows: impl Iterator<Item = Option<&'a [u8]>>,
) -> Result<Vec<Cow<'a, str>>> {
    let pattern = pattern
        .map(GroupPattern::parse)
        .transpose()
        .map_err(|error| Error::invalid(format!("the groups cannot be determined: {error}")))?;
    let default = Cow::Borrowed(DEFAULT_GROUP);
    Ok(match pattern {
        Some(pattern) => {
            pattern.groups_of(end_rows).map(|group| group.unwrap_or(default.clone())).collect()
        }
        None => end_rows.map(|_| default.clone()).collect(),
    })
}

/// Returns the different groups, in the order of the table.
pub(super) fn different<'a>(groups: &'a [Cow<'_, str>]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    groups.iter().map(|group| &**group).filter(|group| seen.insert(*group)).collect()
}

pub(super) fn forecast<'a>(
    pattern: Option<&str>,
    splits: impl Iterator<Item = &'a Bytes>,
    servers: usize,
) -> Result<Vec<GroupForecast>> {
    let end_rows: Vec<_> = splits.map(|split| Some(split.as_ref())).chain([None]).collect();
    let groups = groups_of(pattern, end_rows.iter().copied())?;
    let placed = place(&groups, servers);
    let ends: Vec<_> = groups.iter().zip(end_rows).collect();
    let shown = |end: Option<&[u8]>| end.map(|row| Escaped(row).to_string());
    let forecast = |group: &str| {
        let runs = ends.chunk_by(|(a, _), (b, _)| a == b).filter_map(|run| {
            let ((own, first), (_, last)) = (run.first()?, run.last()?);
            (*own == group).then(|| TabletRun {
                tablets: run.len(),
                first_end_row: shown(*first),
                last_end_row: shown(*last),
            })
        });
        let mut per_server = vec![0; servers];
        let own = groups.iter().zip(&placed).filter(|(own, _)| *own == group);
        for server in own.filter_map(|(_, server)| *server) {
            per_server.get_mut(server).into_iter().for_each(|count| *count += 1);
        }
        GroupForecast {
            group: group.to_owned(),
            tablets: groups.iter().filter(|own| *own == group).count(),
            runs: runs.collect(),
            per_server,
        }
    };
    Ok(different(&groups).into_iter().map(forecast).collect())
}
