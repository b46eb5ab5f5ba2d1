//! Waiting until there is nothing left to observe.
//!
//! To be idle: every notification of a transaction that had committed when the wait began was dealt with, and so was
//! everything that came of it. It is seen like this: a timestamp is taken, the table is looked at twice, and another
//! timestamp is taken. The application is idle if both looks found no notification, and the second timestamp is the one
//! right after the first.
//!
//! - **N1.** If nobody else was handed a timestamp between the two, no transaction began and none reached its commit
//!   timestamp between the two. What wrote to the table then were transactions that had theirs before. Whatever else
//!   takes timestamps, such as the one that is published and thrown away, makes the wait longer and never wrong.
//! - **N2.** A notification goes only with a transaction that began after it was there (O1), and only after those that
//!   this transaction leaves in turn are there (P5: they stand before its primary commits, or come with it in the same
//!   step, T16; the notification that started it goes with the primary, or later).
//! - **N3.** One look is not enough, because a look is not an instant. A transaction that had its commit timestamp already
//!   may write a notification to a row that the look has passed, and then take back its own from a row that the look has
//!   not reached. But its own was there until the other one stood. If its own was still there at the end of the first
//!   look, that look has found it. If not, the other one stood before the second look began, nobody could begin a
//!   transaction to take it back (N1), and the second look has found it. One that was on its way itself can have taken it
//!   back, for an earlier notification of the cell: if it began after the timestamp of the other one, and so has dealt
//!   with it. Then the same is said of what this one has left, and in the end of the last one that was on its way.
//! - **N4.** So if both looks found nothing, then at the end of the first nothing was there, and nothing of what had
//!   committed before was on its way.
//!
//! A notification that was put aside is dealt with. One whose observer fails is not, until it is. One of a weak observer
//! that two workers happen to run at once is dealt with by the first that has committed: nobody waits for the other one,
//! which may commit later.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use futures::stream::TryStreamExt;
use tokio::time::sleep;
use tracing::debug;

use crate::client::{Client, cut, is_passing};
use crate::data::{Span, Timestamp};
use crate::error::Result;
use crate::observer::scanner::{notification, notifications};

/// The first pause; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

impl Client {
    /// Waits until every notification that stood when this was called was dealt with by workers, and so was everything
    /// that came of it; those of all workers, in whatever process they are. Notifications that are set aside do not
    /// count.
    ///
    /// It needs a moment in which nobody takes a timestamp: while transactions are begun without a pause, it goes on. It
    /// may be given up at any time.
    ///
    /// # Errors
    /// [`Corrupt`](crate::ErrorKind::Corrupt): a notification that no worker can read. Whatever table and coordination
    /// fail with, where it does not pass.
    pub async fn wait_until_idle(&self) -> Result<()> {
        let mut pause = FIRST_PAUSE;
        loop {
            let drawn = match self.look_for_idleness().await {
                Ok(Looked::Idle) => return Ok(()),
                Ok(Looked::Busy(at)) => at.get(),
                Err(error) if is_passing(error.kind()) => {
                    debug!(%error, "whether anything is left to observe could not be seen");
                    0
                }
                Err(error) => return Err(error),
            };
            // Cut, so that two who wait do not disturb each other for ever.
            sleep(cut(pause, drawn)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn look_for_idleness(&self) -> Result<Looked> {
        let first = self.timestamp().await?;
        if self.has_notification().await? || self.has_notification().await? {
            return Ok(Looked::Busy(first));
        }
        let second = self.timestamp().await?;
        Ok(match first.next()? == second {
            true => Looked::Idle,
            false => Looked::Busy(second),
        })
    }

    async fn has_notification(&self) -> Result<bool> {
        let scan = notifications(Span::all(), None).batch_cells(NonZeroUsize::MIN);
        let mut found = self.shared.table.scan(scan);
        while let Some(cells) = found.try_next().await? {
            if let Some(cell) = cells.first() {
                notification(cell)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn timestamp(&self) -> Result<Timestamp> {
        let block = self.shared.coordination.timestamps(NonZeroU32::MIN).await?;
        Ok(block.first)
    }
}

/// What was seen.
enum Looked {
    Idle,
    /// Something is left, or may be; with a timestamp that was handed out to nobody else.
    Busy(Timestamp),
}
