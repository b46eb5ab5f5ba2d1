//! No two concurrent transactions that committed wrote the same cell, and none wrote a cell that
//! another one had locked for reading.

use std::collections::BTreeMap;

use fluo_table::{RowColumn, Timestamp};

use crate::commits::Commits;
use crate::history::History;

/// From its start to its commit.
type Life = (Timestamp, Timestamp);

pub(super) fn check(history: &History, commits: &Commits) -> Vec<String> {
    let mut writers: BTreeMap<&RowColumn, Vec<Life>> = BTreeMap::new();
    let mut readers: BTreeMap<&RowColumn, Vec<Life>> = BTreeMap::new();
    for story in &history.stories {
        let Some(commit) = commits.committed.get(&story.start) else { continue };
        let life = (story.start, *commit);
        for cell in story.writes.keys() {
            writers.entry(cell).or_default().push(life);
        }
        for cell in &story.locked {
            readers.entry(cell).or_default().push(life);
        }
    }
    let mut wrong = Vec::new();
    for (cell, lives) in &writers {
        for (number, one) in lives.iter().enumerate() {
            for other in lives.iter().skip(number + 1).filter(|other| overlap(*one, **other)) {
                wrong
                    .push(format!("T9, P4: `{cell}` was written by {one:?} and {other:?} at once"));
            }
            let locked = readers.get(cell).into_iter().flatten();
            for reader in locked.filter(|reader| overlap(*one, **reader)) {
                wrong.push(format!(
                    "T9, P4: `{cell}` was locked for reading by {reader:?} and written by {one:?}"
                ));
            }
        }
    }
    wrong
}

fn overlap(one: Life, other: Life) -> bool {
    one.0 < other.1 && other.0 < one.1
}
