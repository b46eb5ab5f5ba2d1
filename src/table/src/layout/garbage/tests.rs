//! Columns, and the entries that a compaction keeps of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::history::{Files, History, histories};
use super::*;
use crate::data::Bytes;
use crate::layout::test_data::{
    self, Entry, at, data, entry, in_stored_order, lock, snapshot, status, to_write, tx_done,
};
use crate::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, Prewrite, WriteValue,
};

fn write(commit: u64, start: u64, is_primary: bool, is_delete: bool) -> Entry {
    let value = WriteValue { start: at(start), is_primary, is_delete };
    entry(EntryKind::Write, commit, value.encode())
}

fn rolled_back(start: u64, is_primary: bool, done: u64) -> Entry {
    let value = DelLockValue { is_rolled_back: true, is_primary, done: at(done) };
    entry(EntryKind::DelLock, start, value.encode())
}

fn kept(column: &[Entry], horizon: Option<u64>, is_full: bool) -> Vec<Entry> {
    let mut column = in_stored_order(column.to_vec());
    let mut garbage = CellGarbage::new(at(horizon.unwrap_or(0)), is_full);
    column.iter().for_each(|(stamp, value)| garbage.look_at(*stamp, value));
    let dropped: BTreeSet<i64> = garbage.finish().into_iter().collect();
    column.retain(|(stamp, _)| !dropped.contains(stamp));
    column
}

#[test]
fn keeps_the_version_that_a_reader_at_the_horizon_sees() {
    let column = [
        tx_done(20),
        tx_done(10),
        write(20, 15, true, false),
        write(10, 5, true, false),
        data(15),
        data(5),
    ];
    assert_eq!(kept(&column, Some(15), true), column);
    assert_eq!(kept(&column, Some(20), true), column, "a reader at 20 came in time to see 10");
    let newest = [tx_done(20), write(20, 15, true, false), data(15)];
    for is_full in [true, false] {
        assert_eq!(kept(&column, Some(21), is_full), newest);
    }
    assert_eq!(kept(&column, None, true), column);
}

#[test]
fn drops_a_primary_that_rolled_itself_back_with_its_done() {
    let column = [tx_done(10), rolled_back(10, true, 10), lock(10), data(10)];
    assert!(kept(&column, Some(20), true).is_empty());
    let trace = [tx_done(10), rolled_back(10, true, 10)];
    assert_eq!(kept(&column, Some(20), false), trace);
}

#[test]
fn keeps_a_primary_that_another_transaction_rolled_back() {
    let column = [rolled_back(10, true, 0), lock(10), data(10)];
    assert_eq!(kept(&column, Some(20), true), [rolled_back(10, true, 0)]);
    let with_done = [tx_done(10), rolled_back(10, true, 0), data(10)];
    let trace = [tx_done(10), rolled_back(10, true, 0)];
    assert_eq!(kept(&with_done, Some(20), true), trace, "it names another done");
}

#[test]
fn drops_a_deleted_cell_if_the_whole_column_is_processed() {
    let column = [tx_done(20), write(20, 15, true, true), write(10, 5, false, false), data(5)];
    assert!(kept(&column, Some(30), true).is_empty());
    let trace = [tx_done(20), write(20, 15, true, true)];
    assert_eq!(kept(&column, Some(30), false), trace);
    assert_eq!(kept(&column, Some(20), true), column);
}

#[test]
fn drops_a_rolled_back_secondary_if_the_whole_column_is_processed() {
    let column = [rolled_back(10, false, 0), lock(10), data(10)];
    assert!(kept(&column, None, true).is_empty());
    assert_eq!(kept(&column, None, false), [rolled_back(10, false, 0)]);
}

#[test]
fn drops_read_locks_that_have_ended() {
    let read_lock = |start| entry(EntryKind::ReadLock, start, Bytes::new());
    let end = |start, value: DelReadLockValue| entry(EntryKind::DelReadLock, start, value.encode());
    let committed = end(12, DelReadLockValue::Committed(at(18)));
    let column = [
        end(14, DelReadLockValue::RolledBack),
        read_lock(14),
        read_lock(13),
        committed.clone(),
        read_lock(12),
        write(11, 9, false, false),
        end(8, DelReadLockValue::Committed(at(30))),
        read_lock(7),
        data(9),
    ];
    let open = |end: Option<Entry>| {
        let entries = [Some(write(11, 9, false, false)), Some(read_lock(13)), end, Some(data(9))];
        entries.into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(kept(&column, Some(18), true), open(Some(committed.clone())));
    assert_eq!(kept(&column, Some(19), true), open(None));
    let mut partly = open(Some(committed));
    partly.insert(1, end(14, DelReadLockValue::RolledBack));
    assert_eq!(kept(&column, Some(19), false), partly);
}

/// One transaction read the cell under a lock and committed at 25. Another, of 26, locked it and
/// rolled back. A third, of 20, is open.
#[test]
fn a_read_lock_that_was_committed_outlives_the_end_of_a_later_lock() {
    let committed = entry(EntryKind::DelReadLock, 10, DelReadLockValue::Committed(at(25)).encode());
    let read_lock = entry(EntryKind::ReadLock, 10, Bytes::new());
    let stored = |end| vec![end, committed.clone(), read_lock.clone(), lock(26)];
    let secondary = stored(rolled_back(26, false, 0));
    let forbidden = Some(EntryKind::DelReadLock);
    assert_eq!(
        in_the_way(&secondary, 20, false),
        Some(EntryKind::DelLock),
        "it is the first entry"
    );
    for horizon in [None, Some(20), Some(25)] {
        let left = kept(&secondary, horizon, true);
        assert_eq!(left, std::slice::from_ref(&committed), "horizon {horizon:?}");
        assert_eq!(in_the_way(&left, 20, false), forbidden);
    }
    assert!(kept(&secondary, Some(26), true).is_empty());

    let primary = kept(&stored(rolled_back(26, true, 26)), Some(20), true);
    assert_eq!(primary, [rolled_back(26, true, 26), committed.clone()], "its done may come later");
    let done: Vec<_> = [tx_done(26)].into_iter().chain(primary).collect();
    let left = kept(&done, Some(20), true);
    assert_eq!(left, std::slice::from_ref(&committed));
    assert_eq!(in_the_way(&left, 20, false), forbidden);

    let mut written = left;
    written.insert(0, write(30, 27, false, false));
    assert_eq!(kept(&written, Some(20), true), written[..1]);
}

#[test]
fn keeps_the_newest_acknowledgement_unless_a_write_follows_it() {
    let ack = |start| entry(EntryKind::Ack, start, Bytes::new());
    let column = [write(20, 15, false, false), ack(25), ack(22), data(15)];
    let newest = [write(20, 15, false, false), ack(25), data(15)];
    assert_eq!(kept(&column, None, true), newest);
    let column = [write(30, 28, false, false), ack(25), data(28)];
    let written = [write(30, 28, false, false), data(28)];
    assert_eq!(kept(&column, None, true), written);
}

#[test]
fn keeps_all_entries_of_a_corrupt_column() {
    let damaged = entry(EntryKind::Write, 5, Bytes::from_static(b"?"));
    let column = [write(20, 15, false, false), write(10, 5, false, false), damaged, data(1)];
    assert_eq!(kept(&column, Some(30), true), column);
}

#[test]
fn keeps_the_newest_notification_unless_it_is_a_deletion() {
    let kept = |stamps: &[i64], is_full| {
        let dropped = notification_garbage(stamps.to_vec(), is_full);
        stamps.iter().copied().filter(|stamp| !dropped.contains(stamp)).collect::<Vec<_>>()
    };
    let none: [i64; 0] = [];
    for is_full in [true, false] {
        assert_eq!(kept(&[22, 21, 20, 10], is_full), [22]);
        assert_eq!(kept(&[21, 20], is_full), none);
        assert_eq!(kept(&[21, 20, 11, 10], is_full), none);
        assert_eq!(kept(&[], is_full), none);
    }
    assert_eq!(kept(&[21, 20, 10], true), none);
    assert_eq!(kept(&[21, 20, 10], false), [21], "two were set in turn");
    assert_eq!(kept(&[21], false), [21], "what it takes away is elsewhere");
    assert_eq!(kept(&[21, 20, 11], false), [21]);
}

fn in_the_way(entries: &[Entry], start: u64, is_read_lock: bool) -> Option<EntryKind> {
    let entry = test_data::in_the_way(entries, Prewrite { is_read_lock, ..to_write(start) });
    entry.and_then(|(stamp, _)| EntryTimestamp::decode(stamp)).map(|stamp| stamp.kind)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_answer_of_a_reader_changes(history in histories(), share in 0u64..=100, is_full in any::<bool>()) {
        let History { entries, oldest_active, now, .. } = &history;
        let horizon = oldest_active * share / 100;
        let left = kept(entries, Some(horizon), is_full);
        // An entry that is kept now, because another one hides it, may be needed when that one is
        // dropped.
        let done = history.done_later.iter().map(|timestamp| tx_done(*timestamp));
        let left_later = kept(&left.iter().cloned().chain(done).collect::<Vec<_>>(), Some(horizon), is_full);
        for timestamp in horizon..=*now {
            for is_read_lock in [true, false] {
                let before = in_the_way(entries, timestamp, is_read_lock);
                let is_forbidden = history.forbids(timestamp, is_read_lock);
                prop_assert!(before.is_some() || !is_forbidden, "a lock at {}", timestamp);
            }
            forbids_the_same(&history, &left_later, timestamp)?;
        }
        says_the_same(&history, &left, horizon)?;
        prop_assert_eq!(kept(&left, Some(horizon), is_full), left);
    }

    #[test]
    fn any_entries_are_kept_or_dropped(entries in proptest::collection::vec((any::<i64>(), any::<Vec<u8>>()), 0..20)) {
        let entries: Vec<Entry> = entries.into_iter().map(|(stamp, value)| (stamp, value.into())).collect();
        kept(&entries, Some(1 << 40), true);
    }
}

/// Checks that the remaining entries prevent the same locks as all entries, and no ended lock
/// counts again.
fn forbids_the_same(
    history: &History,
    left: &[Entry],
    timestamp: u64,
) -> Result<(), TestCaseError> {
    for is_read_lock in [true, false] {
        let before = in_the_way(&history.entries, timestamp, is_read_lock);
        let after = in_the_way(left, timestamp, is_read_lock);
        // A transaction that wrote nothing prevented locks only so that its own late lock is
        // rejected. When its entry is dropped, the entry behind it counts.
        if before == Some(EntryKind::DelLock) && after != before {
            let is_forbidden = history.forbids(timestamp, is_read_lock);
            prop_assert_eq!(after.is_some(), is_forbidden, "a lock at {}", timestamp);
        } else {
            prop_assert_eq!(after, before, "a lock at {}", timestamp);
        }
    }
    Ok(())
}

/// Checks that a reader at the horizon or above gets the same answers from the remaining entries as
/// from all entries, and that no ended lock counts again.
fn says_the_same(history: &History, left: &[Entry], horizon: u64) -> Result<(), TestCaseError> {
    let History { entries, now, .. } = history;
    for timestamp in horizon..=*now {
        let (before, after) = (snapshot(entries, timestamp), snapshot(left, timestamp));
        prop_assert_eq!(after, before, "a snapshot at {}", timestamp);
        forbids_the_same(history, left, timestamp)?;
    }
    for start in &history.undecided {
        let (before, after) = (status(entries, *start), status(left, *start));
        prop_assert_eq!(after, before, "the status of {}", start);
    }
    Ok(())
}

/// Returns a strategy for a history, the percentage of it that was flushed when a compaction read
/// the files, and the percentage of the highest horizon that the compaction uses.
fn in_files() -> impl Strategy<Value = (History, usize, u64)> {
    (histories(), 0usize..=100, 0u64..=100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// A compaction with garbage collection is requested, and reads all files. Entries that are
    /// written after its flush are in memory: the iterators call the compaction full, and do not
    /// see them.
    #[test]
    fn a_full_compaction_beside_newer_entries_in_memory_changes_no_answer((history, percent, share) in in_files()) {
        let Files { old, new, horizon } = history.flushed_after(percent);
        let horizon = horizon * share / 100;
        let left = in_stored_order([kept(&old, Some(horizon), true), new].concat());
        says_the_same(&history, &left, horizon)?;
    }
}

/// A strong observer that only acknowledged its notification had locked the cell; the lock was
/// flushed to a file. The commit ended the lock and marked the transaction as done. The next flush,
/// with Fluo's iterator in it, wrote the acknowledgement alone: the lock in the other file counted
/// again, and every reader waited for five minutes. So the tables that are created here have no
/// iterator in their flushes.
#[test]
fn a_flush_by_the_rules_of_fluo_revives_the_lock_of_a_committed_transaction() {
    let end = DelLockValue { is_rolled_back: false, is_primary: true, done: at(7) };
    let acknowledged = entry(EntryKind::Ack, 6, Bytes::new());
    let in_memory = [tx_done(7), entry(EntryKind::DelLock, 6, end.encode()), acknowledged.clone()];
    let in_file = vec![lock(6)];
    let all = in_stored_order([in_file.clone(), in_memory.to_vec()].concat());
    assert_eq!(snapshot(&all, 20), None);

    let flushed = kept(&in_memory, Some(6), false);
    assert_eq!(flushed, [acknowledged]);
    let left = in_stored_order([in_file, flushed].concat());
    assert_eq!(snapshot(&left, 20), Some(lock(6)), "it is in the way of every reader");
}

/// The same occurs in generated histories: no compaction of some files may collect garbage by these
/// rules.
#[test]
fn a_compaction_of_some_files_by_the_rules_of_fluo_changes_answers() {
    let config = ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    };
    let found = TestRunner::new(config).run(
        &(in_files(), any::<bool>()),
        |((history, percent, share), is_newer)| {
            let Files { old, new, horizon } = history.flushed_after(percent);
            let horizon = horizon * share / 100;
            let files = if is_newer {
                [old, kept(&new, Some(horizon), false)]
            } else {
                [kept(&old, Some(horizon), false), new]
            };
            says_the_same(&history, &in_stored_order(files.concat()), horizon)
        },
    );
    assert!(found.is_err(), "compactions of some files change nothing that can be asked");
}
