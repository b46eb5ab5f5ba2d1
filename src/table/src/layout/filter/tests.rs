//! Columns, and the entries that each filter shows of them: the truth tables of Fluo's iterators.

use std::slice;

use proptest::prelude::*;

use super::*;
use crate::data::{Bytes, Timestamp};
use crate::layout::test_data::{
    Entry, at, data, entry, in_stored_order, in_the_way, lock, shown, snapshot, status, to_write,
    tx_done,
};
use crate::layout::{DelLockValue, DelReadLockValue, EntryKind, WriteValue};

fn write(commit: u64, start: u64) -> Entry {
    let value = WriteValue { start: at(start), is_primary: false, is_delete: false };
    entry(EntryKind::Write, commit, value.encode())
}

fn del_lock(start: u64) -> Entry {
    let value = DelLockValue { is_rolled_back: true, is_primary: false, done: Timestamp::ZERO };
    entry(EntryKind::DelLock, start, value.encode())
}

fn read_lock(start: u64) -> Entry {
    entry(EntryKind::ReadLock, start, Bytes::new())
}

fn read_lock_committed(start: u64, commit: u64) -> Entry {
    let value = DelReadLockValue::Committed(at(commit));
    entry(EntryKind::DelReadLock, start, value.encode())
}

fn read_lock_rolled_back(start: u64) -> Entry {
    let value = DelReadLockValue::RolledBack;
    entry(EntryKind::DelReadLock, start, value.encode())
}

fn ack(start: u64) -> Entry {
    entry(EntryKind::Ack, start, Bytes::new())
}

fn to_read(start: u64) -> Prewrite {
    Prewrite { is_read_lock: true, ..to_write(start) }
}

#[test]
fn a_snapshot_shows_the_value_committed_last_before_it() {
    let column = [write(20, 15), write(10, 5), data(15), data(5)];
    assert_eq!(snapshot(&column, 9), None);
    assert_eq!(snapshot(&column, 10), Some(data(5)));
    assert_eq!(snapshot(&column, 19), Some(data(5)));
    assert_eq!(snapshot(&column, 20), Some(data(15)));
}

#[test]
fn a_snapshot_shows_nothing_of_a_deleted_cell() {
    let column = [write(20, 15), write(10, 5), data(5)];
    assert_eq!(snapshot(&column, 20), None);
    assert_eq!(snapshot(&column, 19), Some(data(5)));
}

#[test]
fn a_snapshot_shows_a_lock_that_may_hide_a_newer_value() {
    let column = [write(10, 5), lock(15), data(15), data(5)];
    assert_eq!(snapshot(&column, 14), Some(data(5)), "it came later");
    assert_eq!(snapshot(&column, 15), Some(lock(15)), "its own");
    assert_eq!(snapshot(&column, 30), Some(lock(15)));
}

#[test]
fn a_snapshot_does_not_show_a_lock_that_has_ended() {
    let rolled_back = [write(10, 5), del_lock(15), lock(15), data(15), data(5)];
    assert_eq!(snapshot(&rolled_back, 30), Some(data(5)));
    let written = [write(20, 15), lock(15), data(15)];
    assert_eq!(snapshot(&written, 30), Some(data(15)));
    assert_eq!(snapshot(&written, 18), None, "committed later than this");
    let nothing = [tx_done(20), del_lock(15), ack(15)];
    assert_eq!(snapshot(&nothing, 30), None);
}

#[test]
fn a_snapshot_skips_entries_that_are_not_about_values() {
    let column = [
        tx_done(10),
        write(10, 5),
        read_lock(12),
        read_lock_committed(11, 13),
        ack(5),
        ack(3),
        data(7),
        data(5),
    ];
    assert_eq!(snapshot(&column, 30), Some(data(5)));
    assert_eq!(snapshot(&[read_lock(12), lock(3)], 30), Some(lock(3)));
}

#[test]
fn a_del_lock_of_a_transaction_without_the_lock_hides_an_older_lock() {
    // The reason why no process may write a `DEL_LOCK` just to be safe.
    assert_eq!(snapshot(&[del_lock(15), lock(10)], 30), None);
}

#[test]
fn a_write_at_or_after_the_start_prevents_a_lock() {
    let column = [write(12, 8), data(8)];
    assert_eq!(in_the_way(&column, to_write(11)), Some(write(12, 8)));
    assert_eq!(in_the_way(&column, to_write(12)), Some(write(12, 8)));
    assert_eq!(in_the_way(&column, to_write(13)), None);
    assert_eq!(in_the_way(&column, to_read(12)), Some(write(12, 8)));
}

#[test]
fn a_lock_rolled_back_at_or_after_the_start_prevents_a_lock() {
    let column = [del_lock(10), lock(10)];
    for prewrite in [to_write, to_read] {
        assert_eq!(in_the_way(&column, prewrite(10)), Some(del_lock(10)));
        assert_eq!(in_the_way(&column, prewrite(11)), None);
    }
    // One that is older than the last write has no effect.
    assert_eq!(in_the_way(&[write(9, 8), del_lock(7)], to_write(10)), None);
}

#[test]
fn any_open_lock_prevents_a_lock() {
    for start in [13, 14, 15] {
        assert_eq!(in_the_way(&[lock(14)], to_write(start)), Some(lock(14)));
        assert_eq!(in_the_way(&[lock(14)], to_read(start)), Some(lock(14)));
    }
    let written = [write(16, 14), lock(14)];
    assert_eq!(in_the_way(&written, to_write(17)), None);
}

#[test]
fn an_open_read_lock_prevents_the_locks_of_writers_only() {
    let column = [read_lock(14), read_lock(10)];
    for start in [9, 14, 30] {
        assert_eq!(in_the_way(&column, to_write(start)), Some(read_lock(14)));
        assert_eq!(in_the_way(&column, to_read(start)), None);
    }
    let written = [write(20, 15), read_lock(14)];
    assert_eq!(in_the_way(&written, to_write(21)), None, "it is over");
}

#[test]
fn a_committed_read_lock_prevents_the_locks_of_writers_that_started_before_its_commit() {
    let end = read_lock_committed(10, 25);
    let column = [end.clone(), read_lock(10)];
    for start in [10, 20] {
        assert_eq!(in_the_way(&column, to_write(start)), Some(end.clone()));
    }
    for start in [25, 30] {
        assert_eq!(in_the_way(&column, to_write(start)), None);
    }
}

#[test]
fn a_rolled_back_read_lock_prevents_no_lock() {
    let column = [read_lock_rolled_back(10), read_lock(10)];
    assert_eq!(in_the_way(&column, to_write(5)), None);
    let another = [read_lock_rolled_back(10), read_lock(9)];
    assert_eq!(in_the_way(&another, to_write(5)), Some(read_lock(9)));
}

#[test]
fn an_acknowledgement_after_the_notification_prevents_a_lock() {
    let column = [ack(20), data(5)];
    let acknowledged_after =
        |timestamp| Prewrite { acknowledged_after: Some(at(timestamp)), ..to_write(30) };
    assert_eq!(in_the_way(&column, acknowledged_after(15)), Some(ack(20)));
    assert_eq!(in_the_way(&column, acknowledged_after(20)), None);
    assert_eq!(in_the_way(&column, to_write(30)), None);
    let locked_before = [write(12, 10), lock(10), ack(20)];
    assert_eq!(in_the_way(&locked_before, acknowledged_after(15)), Some(ack(20)));
}

#[test]
fn late_steps_of_a_transaction_that_was_rolled_back_fail() {
    let fenced = [del_lock(10)];
    assert!(in_the_way(&fenced, to_write(10)).is_some());
    assert_eq!(in_the_way(&[del_lock(10), lock(10)], to_write(10)), Some(del_lock(10)));
    // Its own lock, and its own commit.
    assert_eq!(in_the_way(&[lock(10)], to_write(10)), Some(lock(10)));
    assert_eq!(in_the_way(&[write(12, 10), lock(10)], to_write(10)), Some(write(12, 10)));
    // Its own read lock may be written again.
    assert_eq!(in_the_way(&[read_lock(10)], to_read(10)), None);
}

#[test]
fn the_status_is_the_write_or_the_end_of_the_lock_or_the_lock() {
    let committed = [tx_done(12), write(20, 15), write(12, 10), data(10)];
    assert_eq!(status(&committed, 10), Some(write(12, 10)));
    assert_eq!(status(&committed, 15), Some(write(20, 15)));
    assert_eq!(status(&committed, 11), None);
    let rolled_back = [write(20, 15), del_lock(10), lock(10)];
    assert_eq!(status(&rolled_back, 10), Some(del_lock(10)));
    assert_eq!(status(&rolled_back, 9), None);
    assert_eq!(status(&[lock(10)], 10), Some(lock(10)));
    assert_eq!(status(&[lock(10)], 9), Some(lock(10)), "another's");
    assert_eq!(status(&[write(20, 15), lock(10)], 10), None, "over");
    assert_eq!(status(&[read_lock(9), ack(8), data(7)], 9), None);
}

#[test]
fn a_read_lock_is_open_without_an_end_of_the_same_start() {
    let open = |column: &[Entry]| shown(column, Filter::OpenReadLocks);
    let column = [
        tx_done(40),
        write(41, 40),
        del_lock(39),
        read_lock(14),
        read_lock_rolled_back(12),
        read_lock(12),
        read_lock_committed(11, 20),
        read_lock(10),
        lock(50),
        ack(3),
        data(3),
    ];
    assert_eq!(open(&column), [read_lock(14), read_lock(10)]);
    assert_eq!(open(&[lock(50), data(3)]), []);
}

#[test]
fn a_notification_is_pending_if_the_newest_entry_sets_it() {
    let there = |stamps: &[i64]| {
        let mut filter = ColumnFilter::new(Filter::Notifications { share: None });
        let shown = stamps.iter().copied().filter(|stamp| filter.shows(*stamp, b""));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(there(&[2004, 2003, 2002]), [2004]);
    assert!(there(&[2003, 2002]).is_empty());
}

#[test]
fn an_entry_that_cannot_be_decoded_is_shown() {
    let unknown = (i64::MIN, Bytes::new());
    assert_eq!(snapshot(slice::from_ref(&unknown), 5), Some(unknown.clone()));
    assert_eq!(status(slice::from_ref(&unknown), 5), Some(unknown));
    let damaged = entry(EntryKind::Write, 3, Bytes::from_static(b"?"));
    let column = [damaged.clone(), data(1)];
    assert_eq!(snapshot(&column, 5), Some(damaged.clone()));
    assert_eq!(status(&column, 5), Some(damaged.clone()));
    assert_eq!(in_the_way(&column, to_write(5)), Some(damaged));
    let end = entry(EntryKind::DelReadLock, 3, Bytes::from_static(b"?"));
    assert_eq!(in_the_way(slice::from_ref(&end), to_write(5)), Some(end));
}

proptest! {
    #[test]
    fn any_entries_are_shown_or_hidden(entries in proptest::collection::vec((any::<i64>(), any::<Vec<u8>>()), 0..20)) {
        let entries = entries.into_iter().map(|(stamp, value)| (stamp, value.into()));
        let entries = in_stored_order(entries.collect());
        snapshot(&entries, 9);
        status(&entries, 9);
        in_the_way(&entries, to_write(9));
        in_the_way(&entries, to_read(9));
        shown(&entries, Filter::OpenReadLocks);
    }
}
