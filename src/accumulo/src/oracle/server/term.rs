//! The term of a leader: it answers requests for timestamps as long as its lease lasts.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fluo_table::{ErrorKind, Result, Timestamp};
use tokio::sync::Notify;
use zookeeper_client::Client;

use super::reservation::Reservation;
use crate::oracle::wire::Reply;
use crate::telemetry::{self, TIMESTAMPS};
use crate::zookeeper::{Lease, Moment};

/// The maximum number of timestamps of one request.
pub(crate) const MAX_COUNT: u32 = 1 << 24;

/// The state of a leader during one term.
#[derive(Debug)]
pub(super) struct Term {
    /// The id of the application, which each request must have.
    id: String,
    reservation: Reservation,
    pub(super) lease: Lease,
    /// The horizon. Its replies announce it before ZooKeeper has it, so before any garbage below it
    /// is collected.
    horizon: AtomicU64,
    has_ended: AtomicBool,
    ended: Notify,
}

impl Term {
    /// Begins a term with the first reservation.
    pub(super) async fn begin(
        session: &Client,
        id: String,
        confirmed: Moment,
        floor: Timestamp,
    ) -> Result<Self> {
        let reservation = Reservation::claim(session.clone(), floor).await?;
        Ok(Self {
            id,
            reservation,
            lease: Lease::new(session.session_timeout(), confirmed),
            horizon: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            ended: Notify::new(),
        })
    }

    /// Checks whether this oracle leads.
    pub(super) fn leads(&self) -> bool {
        !self.has_ended.load(Ordering::SeqCst) && self.lease.is_valid()
    }

    /// Ends the term. Requests that arrive from now on are refused.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        self.ended.notify_one();
    }

    /// Waits until [`end`](Self::end) is called.
    pub(super) async fn wait_for_end(&self) {
        while !self.has_ended.load(Ordering::SeqCst) {
            self.ended.notified().await;
        }
    }

    /// Answers a request for `count` timestamps, or for the next timestamp if `count` is 0. Returns
    /// `None` if the request must be refused.
    pub(super) async fn stamps(&self, id: &str, count: i32) -> Option<Reply> {
        let count = u32::try_from(count).ok()?;
        if id != self.id || count > MAX_COUNT || !self.leads() {
            return None;
        }
        let first = match NonZeroU32::new(count) {
            None => self.next(),
            Some(count) => self.take(count).await?,
        };
        let horizon = self.horizon().min(first);
        // The request is older than this check, so no other oracle led when it was sent.
        self.leads().then_some(())?;
        telemetry::count(TIMESTAMPS, u64::from(count));
        Some(Reply::Stamps {
            first: i64::try_from(first.get()).ok()?,
            horizon: i64::try_from(horizon.get()).ok()?,
        })
    }

    async fn take(&self, count: NonZeroU32) -> Option<Timestamp> {
        match self.reservation.take(count, &self.lease).await {
            Ok(first) => Some(first),
            Err(error) if error.kind() == ErrorKind::Storage => {
                tracing::error!(%error, "a request for timestamps is refused");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the oracle cannot reserve timestamps");
                self.end();
                None
            }
        }
    }

    /// Returns the next timestamp without using it up.
    pub(super) fn next(&self) -> Timestamp {
        self.reservation.next()
    }

    /// Returns the horizon.
    pub(super) fn horizon(&self) -> Timestamp {
        Timestamp::new(self.horizon.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }

    /// Moves the horizon to `horizon` unless it is beyond it. Returns whether it moved.
    pub(super) fn advance_horizon(&self, horizon: Timestamp) -> bool {
        self.horizon.fetch_max(horizon.get(), Ordering::SeqCst) < horizon.get()
    }
}
