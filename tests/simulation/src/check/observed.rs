//! Every committed notification was processed by a transaction that began after it, a strong one by
//! exactly one transaction.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{RowColumn, Timestamp};

use crate::commits::Commits;
use crate::ground::{document, wish};
use crate::history::{History, Told};

pub(super) fn check(history: &History, commits: &Commits) -> Vec<String> {
    let mut asked: BTreeMap<&RowColumn, BTreeSet<Timestamp>> = BTreeMap::new();
    let mut ran: BTreeMap<&RowColumn, BTreeSet<Timestamp>> = BTreeMap::new();
    for story in &history.stories {
        let told = match story.told {
            Told::Committed(told) => told,
            _ => None,
        };
        let Some(commit) = commits.committed.get(&story.start).copied().or(told) else { continue };
        let set = story
            .writes
            .iter()
            .filter(|(cell, value)| cell.column == document() && value.is_some());
        for cell in set.map(|(cell, _)| cell).chain(&story.notified) {
            asked.entry(cell).or_default().insert(commit);
        }
        if let Some(cell) = &story.ran_for {
            ran.entry(cell).or_default().insert(story.start);
        }
    }
    let mut wrong = Vec::new();
    for (cell, commits) in &asked {
        let last_run = ran.get(cell).and_then(BTreeSet::last);
        if last_run < commits.last() {
            wrong.push(format!(
                "O1: `{cell}` was notified at {:?}, and last observed at {last_run:?}",
                commits.last()
            ));
        }
    }
    for (cell, starts) in ran.iter().filter(|(cell, _)| cell.column != wish()) {
        let none = BTreeSet::new();
        let notified = commits.notifications.get(*cell).unwrap_or(&none);
        let mut before = Timestamp::ZERO;
        for start in starts.iter().copied() {
            if notified.range(before..start).next().is_none() {
                wrong.push(format!(
                    "P1: `{cell}` was observed at {start} for nothing; the last time was {before}"
                ));
            }
            before = start;
        }
    }
    wrong
}
