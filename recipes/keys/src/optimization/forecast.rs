//! The distribution of the tablets of a plan, as the balancer will make it.

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
) -> Result<Vec<String>> {
    let pattern = pattern
        .map(GroupPattern::parse)
        .transpose()
        .map_err(|error| Error::invalid(format!("the groups cannot be determined: {error}")))?;
    let group = |end_row| pattern.as_ref().and_then(|pattern| pattern.group_of(end_row));
    Ok(end_rows.map(|end_row| group(end_row).unwrap_or_else(|| DEFAULT_GROUP.to_owned())).collect())
}

/// Returns the forecast of each group, in the order of the table.
pub(super) fn forecast<'a>(
    pattern: Option<&str>,
    splits: impl Iterator<Item = &'a Bytes>,
    servers: usize,
) -> Result<Vec<GroupForecast>> {
    let end_rows: Vec<Option<&[u8]>> =
        splits.map(|split| Some(split.as_ref())).chain(std::iter::once(None)).collect();
    let groups = groups_of(pattern, end_rows.iter().copied())?;
    let placed = place(&groups, servers);

    let tablets: Vec<_> = groups.iter().zip(&end_rows).zip(placed).collect();
    let mut forecasts: Vec<GroupForecast> = Vec::new();
    for run in tablets.chunk_by(|((group, _), _), ((next, _), _)| group == next) {
        let [((group, first), _), ..] = run else {
            continue;
        };
        let place = forecasts.iter().position(|one| one.group == **group);
        let place = place.unwrap_or_else(|| {
            forecasts.push(GroupForecast {
                group: (*group).clone(),
                tablets: 0,
                runs: Vec::new(),
                per_server: vec![0; servers],
            });
            forecasts.len() - 1
        });
        let Some(forecast) = forecasts.get_mut(place) else {
            continue;
        };
        let last = run.last().map_or(first, |((_, last), _)| last);
        forecast.tablets += run.len();
        forecast.runs.push(TabletRun::new(run.len(), **first, **last));
        for server in run.iter().filter_map(|(_, server)| *server) {
            if let Some(count) = forecast.per_server.get_mut(server) {
                *count += 1;
            }
        }
    }
    Ok(forecasts)
}

impl TabletRun {
    fn new(tablets: usize, first: Option<&[u8]>, last: Option<&[u8]>) -> Self {
        let shown = |row: &[u8]| Escaped(row).to_string();
        Self { tablets, first_end_row: first.map(shown), last_end_row: last.map(shown) }
    }
}
