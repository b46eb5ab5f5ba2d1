//! The plan of a commit, made before its first step.

use std::collections::BTreeMap;

use fluo_table::coordination::{ObserverKind, TransactorId};
use fluo_table::layout::{EntryKind, LockValue, NotificationTimestamp, ReadLockValue};
use fluo_table::{
    Bytes, Column, Condition, ConditionalMutation, Filter, Mutation, Prewrite, RowColumn, Timestamp,
};

use crate::context::Shared;
use crate::transaction::buffer::{PendingWrite, WriteBuffer};
use crate::transaction::encode_entries::{self, put};
use crate::transaction::foreign_lock::LockKind;
use crate::transaction::state::Trigger;

/// The cells of a transaction that is to be committed, by row.
///
/// - **P1.** There is one primary, and it is not a read lock. Its outcome decides about all cells.
///   A strong trigger is always the primary, so that only one of two transactions for the same
///   notification can commit.
/// - **P2.** The other cells of the primary's row are locked and committed in the primary's
///   mutations. A row is atomic, so their states never differ.
#[derive(Debug)]
pub(crate) struct CommitPlan {
    pub(crate) start: Timestamp,
    pub(crate) primary: RowColumn,
    /// The owner of the locks. It stays the same if the client begins another transactor meanwhile:
    /// the commit of the primary compares its lock byte by byte.
    transactor: TransactorId,
    pub(crate) trigger: Option<Trigger>,
    /// All rows with their cells, including the primary's.
    pub(crate) rows: BTreeMap<Bytes, Vec<PlannedCell>>,
    /// Cells whose observers are notified, strong and weak, by row.
    pub(crate) notified: BTreeMap<Bytes, Vec<Column>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedCell {
    pub(crate) column: Column,
    pub(crate) kind: LockKind,
    pub(crate) value: Option<Bytes>,
}

impl CommitPlan {
    /// Creates the plan for the writes of a transaction; `None` if no cell needs a commit.
    pub(crate) fn for_writes(
        client: &Shared,
        start: Timestamp,
        buffer: WriteBuffer,
        trigger: Option<Trigger>,
    ) -> Option<Self> {
        let primary = primary(&buffer, trigger.as_ref())?;
        let notified = notified(client, &buffer);
        let mut rows: BTreeMap<Bytes, Vec<PlannedCell>> = BTreeMap::new();
        for (cell, write) in buffer.writes {
            let is_trigger =
                trigger.as_ref().is_some_and(|trigger| trigger.is_strong() && trigger.cell == cell);
            let (kind, value) = kind_of(write, is_trigger);
            let planned = PlannedCell { column: cell.column, kind, value };
            rows.entry(cell.row).or_default().push(planned);
        }
        let plan =
            Self { start, primary, transactor: client.transactor(), trigger, rows, notified };
        debug_assert!(
            plan.primary_kind() != LockKind::Read,
            "P1: the primary `{}` of transaction {start} is not written",
            plan.primary
        );
        Some(plan)
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (RowColumn, LockKind)> {
        self.rows.iter().flat_map(|(row, cells)| {
            cells.iter().map(|cell| (RowColumn::new(row.clone(), cell.column.clone()), cell.kind))
        })
    }

    pub(crate) fn other_rows(&self) -> impl Iterator<Item = &Bytes> {
        self.rows.keys().filter(|row| **row != self.primary.row)
    }

    pub(crate) fn is_one_row(&self) -> bool {
        self.rows.len() == 1
    }

    /// Returns the mutation that locks a row: all of its cells or none.
    pub(crate) fn lock_row(&self, row: &Bytes) -> ConditionalMutation {
        let (mut mutation, mut conditions) = (Mutation::new(row.clone()), Vec::new());
        for cell in self.rows.get(row).into_iter().flatten() {
            let (column, start) = (&cell.column, self.start);
            conditions.push(self.is_free(row, column, cell.kind));
            if let Some(value) = &cell.value {
                mutation = put(mutation, column, EntryKind::Data, start, value.clone());
            }
            mutation = put(mutation, column, cell.kind.entry(), start, self.lock_value(cell.kind));
        }
        ConditionalMutation { mutation, conditions }
    }

    /// Returns the mutations that commit all rows without locks, on the conditions of all locks
    /// (C18). They leave the cells that a commit with locks leaves.
    pub(crate) fn commit_in_one_step(&self, commit: Timestamp) -> Vec<ConditionalMutation> {
        let row = |(row, cells): (&Bytes, &Vec<PlannedCell>)| {
            let is_free = |cell: &PlannedCell| self.is_free(row, &cell.column, cell.kind);
            let mut mutation = match *row == self.primary.row {
                true if self.is_one_row() => self.end_primary(commit),
                true => {
                    encode_entries::done(self.end_primary(commit), &self.primary.column, commit)
                }
                false => self.commit_row(row, commit),
            };
            for PlannedCell { column, value, .. } in cells {
                if let Some(value) = value {
                    mutation = put(mutation, column, EntryKind::Data, self.start, value.clone());
                }
            }
            ConditionalMutation { mutation, conditions: cells.iter().map(is_free).collect() }
        };
        let others = self.other_notifications(commit).into_iter();
        let others = others.chain(self.delete_trigger_elsewhere());
        let unconditional = |mutation| ConditionalMutation { mutation, conditions: Vec::new() };
        self.rows.iter().map(row).chain(others.map(unconditional)).collect()
    }

    /// Returns the mutation that commits the primary and its row, if the primary's lock is still
    /// there.
    pub(crate) fn commit_primary(&self, commit: Timestamp) -> ConditionalMutation {
        let own_lock = Condition::value(self.primary.column.clone(), self.primary_lock());
        self.end_primary(commit).when(own_lock.through(forbids_writes(self.start)))
    }

    /// Returns the commit of the primary's row, with its notifications.
    fn end_primary(&self, commit: Timestamp) -> Mutation {
        let row = &self.primary.row;
        let mut mutation = self.commit_row(row, commit);
        let set = NotificationTimestamp { timestamp: commit, is_delete: false };
        for column in self.notified.get(row).into_iter().flatten() {
            mutation = encode_entries::notification(mutation, column, set);
        }
        if let Some(trigger) = self.trigger.as_ref().filter(|trigger| trigger.cell.row == *row) {
            let delete = NotificationTimestamp { timestamp: self.start, is_delete: true };
            mutation = encode_entries::notification(mutation, &trigger.cell.column, delete);
        }
        if self.is_one_row() {
            mutation = encode_entries::done(mutation, &self.primary.column, commit);
        }
        mutation
    }

    pub(crate) fn commit_row(&self, row: &Bytes, commit: Timestamp) -> Mutation {
        let cells = self.rows.get(row).into_iter().flatten();
        cells.fold(Mutation::new(row.clone()), |mutation, cell| {
            let is_primary = self.is_primary(row, &cell.column);
            let times = (self.start, commit);
            encode_entries::commit(mutation, &cell.column, times, cell.kind, is_primary)
        })
    }

    /// Returns the deletion of the notification that started the transaction, if that is not in the
    /// primary's row.
    pub(crate) fn delete_trigger_elsewhere(&self) -> Option<Mutation> {
        let trigger = self.trigger_elsewhere()?;
        Some(encode_entries::delete_notifications(&trigger.cell, self.start))
    }

    pub(crate) fn trigger_elsewhere(&self) -> Option<&Trigger> {
        let trigger = self.trigger.as_ref();
        trigger.filter(|trigger| trigger.cell.row != self.primary.row)
    }

    pub(crate) fn primary_lock(&self) -> Bytes {
        self.lock_value(self.primary_kind())
    }

    /// Returns the mutations that notify the observers of the rows other than the primary's. The
    /// notifications of the primary's row are part of its commit.
    pub(crate) fn other_notifications(&self, commit: Timestamp) -> Vec<Mutation> {
        let others = self.notified.iter().filter(|(row, _)| **row != self.primary.row);
        encode_entries::notifications(others, commit)
    }

    fn is_primary(&self, row: &Bytes, column: &Column) -> bool {
        self.primary.row == *row && self.primary.column == *column
    }

    pub(crate) fn primary_kind(&self) -> LockKind {
        let mut cells = self.rows.get(&self.primary.row).into_iter().flatten();
        let primary = cells.find(|cell| cell.column == self.primary.column);
        primary.expect("the primary is a cell of the plan").kind
    }

    /// Returns the condition that no entry forbids a lock of a cell.
    pub(crate) fn is_free(&self, row: &Bytes, column: &Column, kind: LockKind) -> Condition {
        let is_primary = self.is_primary(row, column);
        let trigger = self.trigger.as_ref().filter(|trigger| is_primary && trigger.is_strong());
        let prewrite = Prewrite {
            start: self.start,
            is_read_lock: kind == LockKind::Read,
            acknowledged_after: trigger.map(|trigger| trigger.notified_at),
        };
        Condition::absent(column.clone()).through(Filter::Prewrite(prewrite))
    }

    /// Returns the value of a lock. It has the same bytes each time, because it is compared byte by
    /// byte.
    pub(crate) fn lock_value(&self, kind: LockKind) -> Bytes {
        let (primary, transactor) = (self.primary.clone(), self.transactor);
        match kind {
            LockKind::Read => ReadLockValue { primary, transactor }.encode(),
            LockKind::Write { is_write, is_delete, is_trigger } => {
                LockValue { primary, transactor, is_write, is_delete, is_trigger }.encode()
            }
        }
    }
}

/// Returns the filter that shows the entries which forbid a transaction to write a cell.
pub(super) fn forbids_writes(start: Timestamp) -> Filter {
    Filter::Prewrite(Prewrite { start, is_read_lock: false, acknowledged_after: None })
}

/// Returns the primary (P1): the trigger, if it is strong. Otherwise the smallest written cell
/// without a visibility, which every client can see, or the smallest written cell if all have one.
fn primary(buffer: &WriteBuffer, trigger: Option<&Trigger>) -> Option<RowColumn> {
    if let Some(trigger) = trigger.filter(|trigger| trigger.is_strong()) {
        return Some(trigger.cell.clone());
    }
    let written = buffer.writes.iter().filter(|(_, write)| **write != PendingWrite::ReadLock);
    // The cells are sorted, and the first of several least ones is returned.
    let primary = written.min_by_key(|(cell, _)| !cell.column.visibility.is_empty());
    primary.map(|(cell, _)| cell.clone())
}

fn kind_of(write: PendingWrite, is_trigger: bool) -> (LockKind, Option<Bytes>) {
    let (is_write, is_delete, value) = match write {
        PendingWrite::ReadLock => return (LockKind::Read, None),
        PendingWrite::Write(value) => (true, value.is_none(), value),
        PendingWrite::Acknowledge => (false, false, None),
    };
    let kind = LockKind::Write { is_write, is_delete, is_trigger };
    (kind, value)
}

/// Returns the cells to notify: strong observers for every value that is set, weak ones as
/// requested.
fn notified(client: &Shared, buffer: &WriteBuffer) -> BTreeMap<Bytes, Vec<Column>> {
    let is_observed = |(cell, write): &(&RowColumn, &PendingWrite)| {
        matches!(write, PendingWrite::Write(Some(_)))
            && client.observed(&cell.column) == Some(ObserverKind::Strong)
    };
    let set = buffer.writes.iter().filter(is_observed).map(|(cell, _)| cell);
    encode_entries::by_row(set.chain(&buffer.notified).cloned())
}
