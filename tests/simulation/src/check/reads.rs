//! Every read returned the newest version that was committed at or before its start.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{RowColumn, Timestamp};

use super::model::Model;
use crate::history::{History, Seen, Story, Version};

pub(super) fn check(history: &History, model: &Model<'_>) -> Vec<String> {
    let of_story = |story: &Story| {
        let wrong = story.reads.iter().filter_map(|seen| wrong(story.start, seen, model));
        wrong
            .map(|wrong| format!("S1: {} at {}: {wrong}", story.actor, story.start))
            .collect::<Vec<_>>()
    };
    history.stories.iter().flat_map(of_story).collect()
}

fn wrong(at: Timestamp, seen: &Seen, model: &Model<'_>) -> Option<String> {
    match seen {
        Seen::Cell(cell, found) => differs(cell, found.as_ref(), model.at(cell, at)),
        Seen::Rows { from, to, cells, sees } => {
            let right = || model.rows_at(from, to, at, sees);
            match right().eq(cells) {
                true => None,
                false => first_difference(cells, &right().collect()),
            }
        }
    }
}

fn first_difference(
    found: &BTreeMap<RowColumn, Version>,
    right: &BTreeMap<&RowColumn, &Version>,
) -> Option<String> {
    let all: BTreeSet<&RowColumn> = found.keys().chain(right.keys().copied()).collect();
    all.into_iter().find_map(|cell| differs(cell, found.get(cell), right.get(cell).copied()))
}

fn differs(cell: &RowColumn, found: Option<&Version>, right: Option<&Version>) -> Option<String> {
    let shown = |version: Option<&Version>| match version {
        Some(version) => format!("{:?} of {}", version.value, version.start),
        None => "nothing".to_owned(),
    };
    (found != right)
        .then(|| format!("`{cell}` was read as {}, and was {}", shown(found), shown(right)))
}
