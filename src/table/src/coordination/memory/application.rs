//! The state of one application.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::coordination::zookeeper_format::FIRST_TIMESTAMP;
use crate::coordination::{
    Application, Epochs, FailedNotification, Sessions, TimestampBlock, TransactorId,
};
use crate::data::{RowColumn, Timestamp};
use crate::error::{Error, Result};

#[derive(Debug)]
pub(super) struct MemoryApplication {
    pub(super) stored: Application,
    pub(super) sessions: Sessions,
    pub(super) set_aside: BTreeMap<RowColumn, FailedNotification>,
    /// True for a removed application: a handle on it must not reach the next one of the same name.
    pub(super) is_removed: bool,
    pub(super) horizon: Timestamp,
    next: Timestamp,
    last_transactor: u64,
    epochs: Option<Epochs>,
}

impl MemoryApplication {
    pub(super) fn new(stored: Application) -> Result<Self> {
        Ok(Self {
            stored,
            sessions: Sessions::default(),
            set_aside: BTreeMap::new(),
            is_removed: false,
            horizon: Timestamp::ZERO,
            next: TimestampBlock::end_of(Timestamp::ZERO, FIRST_TIMESTAMP)?,
            last_transactor: 0,
            epochs: None,
        })
    }

    pub(super) fn timestamps(&mut self, count: NonZeroU32) -> Result<TimestampBlock> {
        let first = self.next;
        self.next = TimestampBlock::end_of(first, count.get())?;
        Ok(TimestampBlock { first, count, horizon: self.horizon })
    }

    pub(super) fn advance_horizon(&mut self) -> Timestamp {
        self.horizon = self.sessions.horizon_after(self.horizon, self.next);
        self.horizon
    }

    pub(super) fn begin_epoch(
        &mut self,
        name: &str,
        own: &str,
        found: Option<&str>,
    ) -> Result<String> {
        let begun = Epochs::begin(name, self.epochs.as_ref(), own, found)?;
        Ok(self.epochs.insert(begun).last.clone())
    }

    pub(super) fn begin_transactor(&mut self) -> TransactorId {
        self.last_transactor += 1;
        let id = TransactorId(self.last_transactor);
        self.sessions.begin_transactor(id);
        id
    }

    pub(super) fn set_aside(&mut self, failed: FailedNotification) -> Result<()> {
        let is_full = self.set_aside.len() >= FailedNotification::MAX_DEAD_LETTERS;
        if is_full && !self.set_aside.contains_key(&failed.cell) {
            return Err(Error::too_many_dead_letters());
        }
        self.set_aside.insert(failed.cell.clone(), failed.bounded());
        Ok(())
    }

    pub(super) fn remove_dead_letter(&mut self, cell: &RowColumn, up_to: Timestamp) -> bool {
        let found = self.set_aside.get(cell);
        let is_meant = found.is_some_and(|found| found.timestamp <= up_to);
        is_meant && self.set_aside.remove(cell).is_some()
    }
}
