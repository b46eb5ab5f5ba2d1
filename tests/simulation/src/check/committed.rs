//! The reported outcome of each transaction, compared with its actual outcome.

use std::collections::BTreeMap;

use fluo_table::Timestamp;

use crate::commits::Commits;
use crate::history::{History, Story, Told};

pub(super) fn check(history: &History, commits: &Commits) -> Vec<String> {
    let mut wrong: Vec<String> =
        history.stories.iter().filter_map(|story| untrue(story, commits)).collect();
    wrong.extend(twice(history, commits));
    wrong.extend(without_actor(history, commits));
    wrong
}

fn untrue(story: &Story, commits: &Commits) -> Option<String> {
    let Story { actor, start, .. } = story;
    let committed = commits.committed.get(start);
    match (story.told, committed) {
        // A transaction that only notifies has no cell whose entries show its outcome.
        (Told::Committed(Some(_)), None) if story.writes.is_empty() => None,
        (Told::Committed(Some(told)), None) => {
            Some(format!("P6: {actor} at {start} reported a commit at {told}, but never committed"))
        }
        (Told::Committed(Some(told)), Some(commit)) if told != *commit => Some(format!(
            "P6: {actor} at {start} reported a commit at {told}, but committed at {commit}"
        )),
        (Told::Failed, Some(commit)) => {
            Some(format!("P6: {actor} at {start} reported a failure, but committed at {commit}"))
        }
        _ => None,
    }
}

/// Returns a violation for each timestamp that two transactions have.
fn twice(history: &History, commits: &Commits) -> Vec<String> {
    let mut owners: BTreeMap<Timestamp, usize> = BTreeMap::new();
    let starts = history.stories.iter().map(|story| story.start);
    for timestamp in starts.chain(commits.committed.values().copied()) {
        *owners.entry(timestamp).or_default() += 1;
    }
    let shared = owners.into_iter().filter(|(_, owners)| *owners > 1);
    shared.map(|(timestamp, _)| format!("C1: {timestamp} was handed out twice")).collect()
}

/// Returns a violation for each commit of a transaction that no actor began.
fn without_actor(history: &History, commits: &Commits) -> Vec<String> {
    let known: BTreeMap<Timestamp, ()> =
        history.stories.iter().map(|story| (story.start, ())).collect();
    let unknown = commits
        .committed
        .keys()
        .filter(|start| !known.contains_key(start) && !commits.of_queues.contains(start));
    unknown.map(|start| format!("P6: {start} committed, but no actor began it")).collect()
}
