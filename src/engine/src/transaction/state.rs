//! The state of an open snapshot or transaction, and the notification that started it.

use std::sync::Arc;

use fluo_table::coordination::ObserverKind;
use fluo_table::{Error, Result, RowColumn, Timestamp};
use tracing::Span;

use crate::context::{Shared, Start};
use crate::mutex::Mutex;
use crate::transaction::buffer::{PendingWrite, WriteBuffer};
use crate::transaction::{CommitError, ConflictCause, SnapshotTooOld};

/// The notification that started the transaction of an observer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) cell: RowColumn,
    pub(crate) notified_at: Timestamp,
    pub(crate) kind: ObserverKind,
    /// `true` if a failure moves the notification to the dead letters.
    pub(crate) is_last_try: bool,
}

impl Trigger {
    /// Returns `true` for a strong observer, whose notification is acknowledged.
    pub(crate) fn is_strong(&self) -> bool {
        self.kind == ObserverKind::Strong
    }
}

/// The state that the handles of one snapshot or transaction share. Its timestamp holds back
/// garbage collection until the state is dropped or has become too old.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) client: Arc<Shared>,
    pub(crate) start: Arc<Start>,
    pub(crate) seen: Mutex<Seen>,
    pub(super) trigger: Option<Trigger>,
    /// `None` for a snapshot, and once the transaction was committed or dropped.
    buffer: Mutex<Option<WriteBuffer>>,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(super) cells: u64,
    pub(super) stale: Option<SnapshotTooOld>,
    /// `true` if a read failed with a passing error, for example because the table was not
    /// reachable, even if the body ignores or replaces the error.
    pub(crate) has_passing_failure: bool,
}

impl State {
    /// Begins to read, and to write if there is a buffer. The start may move until it is fixed.
    pub(super) async fn begin(
        client: &Arc<Shared>,
        span: Span,
        trigger: Option<Trigger>,
        buffer: Option<WriteBuffer>,
    ) -> Result<Arc<Self>> {
        let start = Start::begin(&client.active, span).await?;
        if !client.table.is_remote() {
            start.fix();
        }
        Ok(Arc::new(Self {
            client: client.clone(),
            start: Arc::new(start),
            seen: Mutex::default(),
            trigger,
            buffer: Mutex::new(buffer),
        }))
    }

    /// Fixes the start and returns it.
    pub(crate) fn start(&self) -> Timestamp {
        self.start.fix()
    }

    /// Returns the staleness that a read has met, or `None` if no read has met one.
    pub(crate) fn stale(&self) -> Option<SnapshotTooOld> {
        self.seen.lock().stale
    }

    /// Changes the buffered writes.
    pub(super) fn with_buffer(
        &self,
        change: impl FnOnce(&mut WriteBuffer) -> Result<()>,
    ) -> Result<()> {
        match self.buffer.lock().as_mut() {
            Some(buffer) => change(buffer),
            None => Err(self.has_ended()),
        }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.buffer.lock().as_ref().map_or(0, |buffer| buffer.bytes)
    }

    /// Returns the first cell that it sets or deletes and at which another run has a turn. Cells
    /// that it only locks for its reads do not count: several transactions may lock them at once.
    pub(crate) fn taken_cell(&self) -> Option<RowColumn> {
        let buffer = self.buffer.lock();
        let writes = &buffer.as_ref()?.writes;
        self.client.turns.taken(|cell| matches!(writes.get(cell), Some(PendingWrite::Write(_))))
    }

    /// Ends the transaction: its handles can no longer write. Returns its writes, or `None` if it
    /// has ended before.
    pub(super) fn end(&self) -> Option<WriteBuffer> {
        self.buffer.lock().take()
    }

    pub(super) fn has_ended(&self) -> Error {
        Error::invalid(format!("transaction {} has ended; begin a new one", self.start.shown()))
    }
}

impl Shared {
    /// Checks the session after an error that an ended session would explain, so that the next
    /// transaction has a live one.
    pub(crate) async fn renew_session_after(&self, error: &CommitError) {
        let is_suspect = match error {
            CommitError::SnapshotTooOld(_) => true,
            CommitError::Conflict(met) => met.other == Some(ConflictCause::RolledBackByPeer),
            CommitError::Acknowledged | CommitError::Failed(_) => false,
        };
        if is_suspect {
            // If this fails, the next transaction that begins returns the error.
            drop(self.active.renew_session(self.transactor()).await);
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        metrics::counter!("fluo_cells_read_total").increment(self.seen.lock().cells);
    }
}
