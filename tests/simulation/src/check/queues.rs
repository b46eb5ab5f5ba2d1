//! The queues, compared with a model: sums of the committed updates, and the parcels in order.

use std::collections::BTreeMap;

use fluo_table::Timestamp;

use crate::commits::Commits;
use crate::queue_log::{QueueLog, Sums};

pub(super) fn check(log: &QueueLog, commits: &Commits) -> Vec<String> {
    let model = updates_by_commit(log, commits);
    let mut wrong = wrong_reads(log, &model);
    wrong.extend(wrong_changes(log, commits, &sums_at(&model, Timestamp::MAX)));
    wrong.extend(wrong_parcels(log, commits));
    wrong
}

type Updates<'l> = BTreeMap<Timestamp, &'l [(String, i64)]>;

/// Returns the committed updates, by the commit of their transaction.
fn updates_by_commit<'l>(log: &'l QueueLog, commits: &Commits) -> Updates<'l> {
    let committed = log
        .updates
        .iter()
        .filter_map(|(start, updates)| Some((*commits.committed.get(start)?, &**updates)));
    committed.collect()
}

/// Returns the sums that a reader at a timestamp must see.
fn sums_at(model: &Updates<'_>, at: Timestamp) -> Sums {
    let mut sums = Sums::new();
    for (key, number) in model.range(..=at).flat_map(|(_, updates)| *updates) {
        *sums.entry(key.clone()).or_default() += number;
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn wrong_reads(log: &QueueLog, model: &Updates<'_>) -> Vec<String> {
    let wrong = log.reads.iter().filter_map(|(at, seen)| {
        let right = sums_at(model, *at);
        (*seen != right)
            .then(|| format!("Q4: the sums at {at} were read as {seen:?}, and were {right:?}"))
    });
    wrong.collect()
}

/// Compares each reported old value with the new value before it, and the last ones with the sums.
fn wrong_changes(log: &QueueLog, commits: &Commits, sums: &Sums) -> Vec<String> {
    let committed = log
        .changes
        .iter()
        .filter_map(|(start, changes)| Some((*commits.committed.get(start)?, changes)));
    let committed: BTreeMap<Timestamp, _> = committed.collect();
    let (mut last, mut wrong) = (Sums::new(), Vec::new());
    for (commit, change) in committed
        .iter()
        .flat_map(|(commit, changes)| changes.iter().map(move |change| (commit, change)))
    {
        let before = match change.new {
            Some(new) => last.insert(change.key.clone(), new),
            None => last.remove(&change.key),
        };
        if change.old != before {
            wrong.push(format!(
                "Q5: {change:?} was reported at {commit}, and the value before was {before:?}"
            ));
        }
    }
    if last != *sums {
        wrong
            .push(format!("Q5: the reported changes end with {last:?}, and the sums are {sums:?}"));
    }
    wrong
}

/// Compares the parcels that the receiver applied with the committed ones, in their order. Those
/// that came too late after a rejection are missing.
fn wrong_parcels(log: &QueueLog, commits: &Commits) -> Vec<String> {
    let mut sent: BTreeMap<&str, Vec<(Timestamp, i64)>> = BTreeMap::new();
    let committed = log.sent.iter().filter(|(start, (key, _))| {
        commits.committed.contains_key(start) && !log.too_late.contains(&(key.clone(), **start))
    });
    for (start, (key, parcel)) in committed {
        sent.entry(key).or_default().push((*start, *parcel));
    }
    let received: BTreeMap<&str, _> =
        log.received.iter().map(|(key, received)| (&**key, received.clone())).collect();
    match sent == received {
        true => Vec::new(),
        false => {
            vec![format!("D4: the parcels {received:?} were received, and {sent:?} were sent")]
        }
    }
}
