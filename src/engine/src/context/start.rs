//! The start timestamp of a transaction, and the timestamp at which it reads.
//!
//! - **S3, blocks of starts.** A transaction that has not read, and whose start was not returned to
//!   a caller, may move its start to a later timestamp. The first reads of many transactions that
//!   travel in one call move their starts into one block of timestamps, which is drawn when the
//!   call leaves, and all of them read at the first timestamp of the block. No timestamp of the
//!   block is used for anything else. So no transaction commits at one, and the committed data is
//!   the same at each of them. A lock whose start is in the block commits above the block, if at
//!   all, so a reader of the block may overlook it.
//!
//! The earlier start stays active until the later one is (H1).

use std::sync::Arc;

use fluo_table::{Result, Timestamp};
use tracing::Span;

use crate::context::ActiveTimestamps;
use crate::context::active_timestamps::ActiveKey;
use crate::mutex::Mutex;

/// The start of one transaction or snapshot. Its timestamp is active until this value is dropped.
#[derive(Debug)]
pub(crate) struct Start {
    active: Arc<ActiveTimestamps>,
    /// The span of all reads and writes, in whatever task they run. It shows the start once it is
    /// fixed.
    pub(crate) span: Span,
    position: Mutex<Position>,
}

#[derive(Clone, Copy, Debug)]
struct Position {
    key: ActiveKey,
    /// The first timestamp of the block of the start, if the start has moved into one.
    block: Option<Timestamp>,
    is_fixed: bool,
}

impl Start {
    /// Takes a timestamp. It may move until it is fixed.
    pub(crate) async fn begin(active: &Arc<ActiveTimestamps>, span: Span) -> Result<Self> {
        let begin = || async {
            let position = Position { key: active.begin().await?, block: None, is_fixed: false };
            // From here on the lower bound ends with this value, also if no timestamp arrives.
            let (active, span) = (active.clone(), span.clone());
            let begun = Self { active, span, position: Mutex::new(position) };
            let start = begun.active.next_timestamp().await?;
            begun.position.lock().key = begun.active.replace(position.key, start);
            Ok(begun)
        };
        active.in_a_live_session(begin).await
    }

    /// Returns the start, which does not move any more.
    pub(crate) fn fix(&self) -> Timestamp {
        let mut position = self.position.lock();
        self.fix_at(&mut position);
        position.key.0
    }

    /// Returns the present start for a message. It may still move.
    pub(crate) fn shown(&self) -> Timestamp {
        self.position.lock().key.0
    }

    /// Returns the timestamp at which it reads, or `None` if the start may still move.
    pub(crate) fn reads_at(&self) -> Option<Timestamp> {
        let position = self.position.lock();
        position.is_fixed.then_some(position.reads_at())
    }

    /// Returns the timestamp at which only this start reads, or `None` if the start has moved into
    /// a block or may still do so.
    pub(crate) fn reads_alone_at(&self) -> Option<Timestamp> {
        let position = self.position.lock();
        (position.is_fixed && position.block.is_none()).then_some(position.key.0)
    }

    /// Moves the start to a timestamp of a block that begins at `block`, and fixes it. Does nothing
    /// if it is fixed. Returns the timestamp at which it reads.
    pub(crate) fn move_to(&self, start: Timestamp, block: Timestamp) -> Timestamp {
        let mut position = self.position.lock();
        if !position.is_fixed {
            position.key = self.active.replace(position.key, start);
            position.block = Some(block);
            self.fix_at(&mut position);
        }
        position.reads_at()
    }

    /// Returns `true` if the horizon has certainly not passed the start (H4). Sends no request.
    pub(crate) fn is_held(&self) -> bool {
        let key = self.position.lock().key;
        self.active.is_held(key)
    }

    fn fix_at(&self, position: &mut Position) {
        if !position.is_fixed {
            position.is_fixed = true;
            self.span.record("start", tracing::field::display(position.key.0));
        }
    }
}

impl Position {
    fn reads_at(&self) -> Timestamp {
        self.block.unwrap_or(self.key.0)
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        self.active.end(self.position.lock().key);
    }
}
