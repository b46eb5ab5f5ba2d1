//! The term of a leader: it hands out reserved timestamps as long as its lease lasts.
//!
//! A node of ZooKeeper holds the first timestamp that is not reserved. Each reservation is one
//! write with the version of the last own write. If the version or the value is another one,
//! another oracle has led: this one ends its term at once and reserves nothing.
//!
//! If the connection breaks during a write, its outcome is unknown. Another oracle could have
//! written the same value with the same version, so a range whose write was not confirmed is never
//! handed out.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use fluo_table::coordination::ReservedTimestamps;
use fluo_table::coordination::zookeeper_format::{MAX_TIMESTAMP, read_timestamp, timestamp};
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::oracle::application::ServedApplication;
use crate::oracle::wire::Reply;
use crate::telemetry::{self, RESERVATIONS, TIMESTAMPS};
use crate::zookeeper::{Change, Lease, Outcome, Session};

pub(crate) const MAX_COUNT: u32 = 1 << 24;

#[derive(Debug)]
pub(super) struct Term {
    pub(super) application: ServedApplication,
    pub(super) session: Arc<Session>,
    /// The lease of the election node. Requests that arrive after its end are refused.
    pub(super) lease: Arc<Lease>,
    reservation: Mutex<Reservation>,
    /// The horizon. Its replies announce it before ZooKeeper has it, so before any garbage below it
    /// is collected.
    horizon: AtomicU64,
    /// The reason why no more timestamps can be reserved.
    failure: OnceLock<Error>,
}

#[derive(Debug)]
struct Reservation {
    stamps: ReservedTimestamps,
    stored: Stored,
}

/// The content of the node after the last own write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stored {
    end: Timestamp,
    version: i32,
}

impl Term {
    /// Begins a term of the candidate whose node has this lease, with the first reservation. This
    /// process has handed out all timestamps below `floor`; if the node has a lower one, it was
    /// restored from a backup.
    pub(super) async fn begin(
        application: ServedApplication,
        session: Arc<Session>,
        lease: Arc<Lease>,
        floor: Timestamp,
    ) -> Result<Self> {
        lease.confirmed().await;
        let path = application.paths.at(MAX_TIMESTAMP);
        let reservation = loop {
            let found = read(&session, &path).await?;
            let first = found.end.max(floor);
            if first > found.end {
                tracing::error!(
                    "`{MAX_TIMESTAMP}` was set back from {first} to {}; restart all clients of the application",
                    found.end
                );
            }
            let mut reservation =
                Reservation { stamps: ReservedTimestamps::new(first), stored: found };
            // Another oracle may have reserved meanwhile.
            if reservation.reserve(&session, &path, NonZeroU32::MIN).await? {
                break reservation;
            }
        };
        Ok(Self {
            application,
            session,
            lease,
            reservation: Mutex::new(reservation),
            horizon: AtomicU64::new(0),
            failure: OnceLock::new(),
        })
    }

    pub(super) fn leads(&self) -> bool {
        self.lease.is_valid()
    }

    /// Waits until the term has ended, and returns the reason.
    pub(super) async fn wait_for_end(&self) -> Error {
        let has_ended = self.lease.lapsed().await;
        self.failure.get().cloned().unwrap_or_else(|| {
            Error::unavailable(if self.session.has_ended() {
                "the session with ZooKeeper has ended"
            } else if has_ended {
                "the election node of this oracle was deleted"
            } else {
                "ZooKeeper has not answered for too long, so this oracle stops to lead"
            })
        })
    }

    /// Answers a request for `count` timestamps, or for the next timestamp if `count` is 0. Returns
    /// `None` if the request must be refused.
    pub(super) async fn stamps(&self, id: &str, count: i32) -> Option<Reply> {
        let count = u32::try_from(count).ok().filter(|count| *count <= MAX_COUNT)?;
        if id != &*self.application.id || !self.leads() {
            return None;
        }
        let first = match NonZeroU32::new(count) {
            None => self.next().await,
            Some(count) => self.take(count).await?,
        };
        let horizon = self.horizon().min(first);
        // The request is older than this check, so no other oracle led when it was sent.
        self.leads().then_some(())?;
        telemetry::count(TIMESTAMPS, u64::from(count));
        Some(Reply::Stamps {
            first: first.get().cast_signed(),
            horizon: horizon.get().cast_signed(),
        })
    }

    /// Hands out `count` timestamps and returns the first one. Reserves more if necessary.
    async fn take(&self, count: NonZeroU32) -> Option<Timestamp> {
        let path = self.application.paths.at(MAX_TIMESTAMP);
        let mut reservation = self.reservation.lock().await;
        loop {
            let reserved = match reservation.stamps.take(count) {
                Ok(Some(first)) => return Some(first),
                Ok(None) => reservation.reserve(&self.session, &path, count).await,
                Err(error) => Err(error),
            };
            let error = match reserved {
                Ok(true) => continue,
                Ok(false) => Error::unavailable(format!(
                    "another oracle has written `{MAX_TIMESTAMP}`, so this one stops to lead"
                )),
                Err(error) if error.kind() == ErrorKind::Storage => {
                    tracing::error!(%error, "a request for timestamps is refused");
                    return None;
                }
                Err(error) => error,
            };
            let _ = self.failure.set(error);
            self.lease.end();
            return None;
        }
    }

    /// Returns the next timestamp without using it up.
    pub(super) async fn next(&self) -> Timestamp {
        self.reservation.lock().await.stamps.next()
    }

    pub(super) fn horizon(&self) -> Timestamp {
        Timestamp::new(self.horizon.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }

    /// Moves the horizon to `horizon` unless it is beyond it.
    pub(super) fn advance_horizon(&self, horizon: Timestamp) {
        self.horizon.fetch_max(horizon.get(), Ordering::SeqCst);
    }
}

impl Reservation {
    /// Reserves timestamps so that `count` can be handed out. Returns `false` if another oracle has
    /// written the node.
    async fn reserve(&mut self, session: &Session, path: &str, count: NonZeroU32) -> Result<bool> {
        loop {
            let end = self.stamps.plan(count, Instant::now().into_std())?;
            let version = self.stored.version;
            let next = Stored { end, version: version.wrapping_add(1) };
            let data = timestamp(end);
            let write = Change::Set { path: path.to_owned(), data, version: Some(version) };
            match session.change(&[write]).await? {
                Outcome::Done(_) => {
                    telemetry::count(RESERVATIONS, 1);
                    self.stored = next;
                    self.stamps.reserved(end);
                    return Ok(true);
                }
                Outcome::Refused(..) => return Ok(false),
                Outcome::Unknown => {}
            }
            let found = read(session, path).await?;
            if found == next {
                // The own write, or an equal one of another oracle.
                self.stored = found;
                self.stamps.skip_to(found.end);
            } else if found != self.stored {
                return Ok(false);
            }
        }
    }
}

async fn read(session: &Session, path: &str) -> Result<Stored> {
    let node = session.current_node(path).await?;
    let end = read_timestamp(path, node.as_ref().map(|node| &node.data[..])).map_err(|error| {
        Error::corrupt(format!("{error}; restore it to a number above all timestamps in use"))
    })?;
    let version = node.map_or(0, |node| node.stat.version);
    Ok(Stored { end, version })
}
