//! Histories of one cell that transactions can leave behind: each step is one that the protocol
//! allows.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::data::Bytes;
use crate::layout::test_data::{Entry, at, in_the_way, to_write};
use crate::layout::{
    DelLockValue, DelReadLockValue, EntryKind, EntryTimestamp, Prewrite, WriteValue,
};

/// The stored entries of a cell, and the queries that they must answer.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// The entries in stored order.
    pub(super) entries: Vec<Entry>,
    /// A lower bound of the starts of the running transactions.
    pub(super) oldest_active: u64,
    /// An upper bound of the timestamps that were handed out.
    pub(super) now: u64,
    /// The starts of the transactions that have their primary here and may have locks elsewhere.
    pub(super) undecided: Vec<u64>,
    /// The timestamps of the `TX_DONE` that may still be written for those.
    pub(super) done_later: Vec<u64>,
    transactions: Vec<Transaction>,
    steps: Steps,
}

/// The steps of a history in which its entries were written.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// The step of each entry, by stamp.
    written: BTreeMap<i64, usize>,
    /// The start of the oldest running transaction after each step.
    oldest_active: Vec<u64>,
}

/// The entries of a history in two files, and the newest horizon that was known when the first one
/// was written.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) old: Vec<Entry>,
    pub(super) new: Vec<Entry>,
    pub(super) horizon: u64,
}

impl History {
    /// Splits the entries into those that were flushed after a share of the steps, and those that
    /// were written later.
    pub(super) fn flushed_after(&self, percent: usize) -> Files {
        let count = self.steps.oldest_active.len() * percent / 100;
        let is_old = |(stamp, _): &Entry| self.steps.written[stamp] < count;
        let (old, new) = self.entries.iter().cloned().partition(is_old);
        let last = count.checked_sub(1);
        let horizon = last.map_or(0, |last| self.steps.oldest_active[last]);
        Files { old, new, horizon }
    }

    /// Checks whether a transaction that began at `start` must not lock the cell, based on the
    /// actions of the other transactions, not on the stored entries.
    pub(super) fn forbids(&self, start: u64, is_read_lock: bool) -> bool {
        self.transactions.iter().any(|tx| match (tx.kind, tx.end) {
            (_, Some(End::RolledBack | End::RolledBackByAnother)) => false,
            (Kind::Trigger, Some(End::Committed(_))) => false,
            (Kind::Write | Kind::Delete, Some(End::Committed(commit))) => commit >= start,
            (Kind::Read, Some(End::Committed(commit))) => !is_read_lock && commit > start,
            (Kind::Read, None) => !is_read_lock,
            (Kind::Write | Kind::Delete | Kind::Trigger, None) => true,
        })
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Write,
    Delete,
    Read,
    /// The cell whose notification started the transaction; it is not written.
    Trigger,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A transaction starts and locks the cell, if no entry prevents it.
    Lock {
        kind: Kind,
        is_primary: bool,
        /// The number of transactions that end between the start and the lock.
        after: u64,
    },
    Commit(usize),
    RollBack(usize),
    /// Another transaction assumes that it has crashed.
    RollBackByAnother(usize),
    /// The transaction has no lock left, and writes its `TX_DONE`.
    Done(usize),
}

#[derive(Clone, Copy, Debug)]
struct Transaction {
    start: u64,
    kind: Kind,
    is_primary: bool,
    end: Option<End>,
    is_done: bool,
}

impl Transaction {
    /// Returns the timestamp of its `TX_DONE`.
    fn done_at(&self) -> Option<u64> {
        match self.end {
            Some(End::Committed(commit)) => Some(commit),
            Some(End::RolledBack) => Some(self.start),
            // There is no entry that refers to it.
            Some(End::RolledBackByAnother) | None => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Committed(u64),
    RolledBack,
    RolledBackByAnother,
}

fn steps() -> impl Strategy<Value = Step> {
    let kind = || {
        prop_oneof![
            4 => Just(Kind::Write),
            1 => Just(Kind::Delete),
            2 => Just(Kind::Read),
            1 => Just(Kind::Trigger),
        ]
    };
    prop_oneof![
        5 => (kind(), any::<bool>(), prop_oneof![4 => Just(0), 1 => 1u64..5])
            .prop_map(|(kind, is_primary, after)| Step::Lock { kind, is_primary, after }),
        5 => (0usize..4).prop_map(Step::Commit),
        1 => (0usize..4).prop_map(Step::RollBack),
        1 => (0usize..4).prop_map(Step::RollBackByAnother),
        3 => (0usize..4).prop_map(Step::Done),
    ]
}

/// Returns a strategy for histories of fewer than 40 steps.
pub(super) fn histories() -> impl Strategy<Value = History> {
    proptest::collection::vec(steps(), 0..40).prop_map(|steps| {
        let mut cell = Cell::default();
        for step in steps {
            cell.take(step);
        }
        cell.finish()
    })
}

#[derive(Debug, Default)]
struct Cell {
    entries: Vec<Entry>,
    now: u64,
    transactions: Vec<Transaction>,
    steps: Steps,
}

impl Cell {
    fn take(&mut self, step: Step) {
        self.act(step);
        let oldest = self.oldest_active();
        self.steps.oldest_active.push(oldest);
    }

    fn oldest_active(&self) -> u64 {
        let under_way = self.transactions.iter().filter(|tx| tx.end.is_none());
        // The next timestamp, if no transaction is running.
        under_way.map(|tx| tx.start).min().unwrap_or(self.now + 1)
    }

    fn act(&mut self, step: Step) {
        match step {
            Step::Lock { kind, is_primary, after } => self.lock(kind, is_primary, after),
            Step::Commit(nth) => {
                let commit = self.tick();
                self.end(nth, End::Committed(commit));
            }
            Step::RollBack(nth) => self.end(nth, End::RolledBack),
            Step::RollBackByAnother(nth) => self.end(nth, End::RolledBackByAnother),
            Step::Done(nth) => self.done(nth),
        }
    }

    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn put(&mut self, kind: EntryKind, timestamp: u64, value: Bytes) {
        let stamp = EntryTimestamp::new(kind, at(timestamp)).encode();
        self.entries.retain(|(stored, _)| *stored != stamp);
        let step = self.steps.oldest_active.len();
        self.steps.written.insert(stamp, step);
        self.entries.push((stamp, value));
        self.entries.sort_by_key(|(stamp, _)| std::cmp::Reverse(*stamp));
    }

    fn lock(&mut self, kind: Kind, is_primary: bool, late: u64) {
        let start = self.tick();
        // Others start and end meanwhile, possibly including the oldest running one.
        for _ in 0..late {
            let commit = self.tick();
            self.end(0, End::Committed(commit));
        }
        let is_read = matches!(kind, Kind::Read);
        let prewrite = Prewrite { is_read_lock: is_read, ..to_write(start) };
        if in_the_way(&self.entries, prewrite).is_some() {
            return;
        }
        match kind {
            Kind::Read => self.put(EntryKind::ReadLock, start, Bytes::new()),
            Kind::Write => {
                self.put(EntryKind::Data, start, start.to_string().into());
                self.put(EntryKind::Lock, start, Bytes::new());
            }
            Kind::Delete | Kind::Trigger => self.put(EntryKind::Lock, start, Bytes::new()),
        }
        self.transactions.push(Transaction {
            start,
            kind,
            // A read lock is never the primary of a transaction.
            is_primary: is_primary && !is_read,
            end: None,
            is_done: false,
        });
    }

    /// Ends the nth of the running transactions.
    fn end(&mut self, nth: usize, end: End) {
        let under_way = self.transactions.iter_mut().filter(|tx| tx.end.is_none());
        let Some(transaction) = under_way.into_iter().nth(nth) else {
            return;
        };
        transaction.end = Some(end);
        let Transaction { start, kind, is_primary, .. } = *transaction;
        match (kind, end) {
            (Kind::Read, End::Committed(commit)) => {
                let value = DelReadLockValue::Committed(at(commit)).encode();
                self.put(EntryKind::DelReadLock, start, value);
            }
            (Kind::Read, _) => {
                self.put(EntryKind::DelReadLock, start, DelReadLockValue::RolledBack.encode());
            }
            (Kind::Write | Kind::Delete, End::Committed(commit)) => {
                let value = WriteValue {
                    start: at(start),
                    is_primary,
                    is_delete: matches!(kind, Kind::Delete),
                };
                self.put(EntryKind::Write, commit, value.encode());
            }
            (Kind::Trigger, End::Committed(commit)) => {
                self.del_lock(start, false, is_primary, commit);
                self.put(EntryKind::Ack, start, Bytes::new());
            }
            (_, End::RolledBack) => {
                let done = if is_primary { start } else { 0 };
                self.del_lock(start, true, is_primary, done);
            }
            (_, End::RolledBackByAnother) => {
                self.del_lock(start, true, is_primary, 0);
            }
        }
    }

    fn del_lock(&mut self, start: u64, is_rolled_back: bool, is_primary: bool, done: u64) {
        let value = DelLockValue { is_rolled_back, is_primary, done: at(done) };
        self.put(EntryKind::DelLock, start, value.encode());
    }

    fn done(&mut self, nth: usize) {
        let is_open = |tx: &&mut Transaction| tx.is_primary && !tx.is_done && tx.end.is_some();
        let Some(transaction) = self.transactions.iter_mut().filter(is_open).nth(nth) else {
            return;
        };
        let Some(timestamp) = transaction.done_at() else {
            return;
        };
        transaction.is_done = true;
        self.put(EntryKind::TxDone, timestamp, Bytes::new());
    }

    fn finish(mut self) -> History {
        let oldest_active = self.oldest_active();
        let now = self.tick();
        let undecided = self.transactions.iter().filter(|tx| tx.is_primary && !tx.is_done);
        let done_later = undecided.clone().filter_map(Transaction::done_at).collect();
        History {
            oldest_active,
            now: now + 2,
            undecided: undecided.map(|tx| tx.start).collect(),
            done_later,
            entries: self.entries,
            transactions: self.transactions,
            steps: self.steps,
        }
    }
}
