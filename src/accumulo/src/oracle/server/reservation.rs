//! The reservation of timestamps in ZooKeeper.
//!
//! The node holds the first timestamp that is not reserved. Each reservation is one write with the
//! version of the last own write. If the version or the value is another one, another oracle has
//! led: this one ends its term at once and reserves nothing.
//!
//! If the connection breaks during a write, its outcome is unknown. Another oracle could have
//! written the same value with the same version, so a range whose write was not confirmed is never
//! handed out.

use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use fluo_table::coordination::ReservedTimestamps;
use fluo_table::coordination::zookeeper_format::{MAX_TIMESTAMP, timestamp};
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::Mutex as AsyncMutex;
use zookeeper_client::{Client, Error as ZooKeeperError};

use crate::backoff::Backoff;
use crate::locked::locked;
use crate::oracle::nodes;
use crate::oracle::session::{read_current, request_error, within_limit};
use crate::telemetry::{self, RESERVATIONS};
use crate::zookeeper::{Lease, is_connection_lost};

/// The size of the first reservation of a term, as in Fluo.
const FIRST: u32 = 1_000;

/// The content of the node after the last own write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    end: Timestamp,
    version: i32,
}

/// The meaning of the node after a write without a reply.
#[derive(Debug, PartialEq, Eq)]
enum Doubt {
    /// The write had no effect.
    NotWritten,
    /// The write, or an equal one of another oracle, had an effect.
    Skip(Written),
    /// Another oracle has led.
    Foreign,
}

/// The timestamps of one term.
#[derive(Debug)]
pub(super) struct Reservation {
    session: Client,
    stamps: Mutex<ReservedTimestamps>,
    written: AsyncMutex<Written>,
}

impl Reservation {
    /// Reserves the first timestamps of a term, from `floor` on if the node has a lower one: this
    /// process has handed out all timestamps below it, so the node was restored from a backup.
    pub(super) async fn claim(session: Client, floor: Timestamp) -> Result<Self> {
        let mut backoff = Backoff::default();
        loop {
            let found = read(&session).await?;
            let first = found.end.max(floor);
            if first > found.end {
                tracing::error!(
                    "`{MAX_TIMESTAMP}` was set back from {first} to {}; restart all clients of the application",
                    found.end
                );
            }
            let end = first.get().saturating_add(u64::from(FIRST));
            let end = Timestamp::new(end).unwrap_or(Timestamp::MAX);
            match write(&session, end, found.version).await {
                Ok(version) => {
                    telemetry::count(RESERVATIONS, 1);
                    let mut stamps = ReservedTimestamps::new(first);
                    stamps.reserved(end);
                    return Ok(Self {
                        session,
                        stamps: Mutex::new(stamps),
                        written: AsyncMutex::new(Written { end, version }),
                    });
                }
                // The former leader has reserved meanwhile.
                Err(ZooKeeperError::BadVersion) => backoff.wait().await,
                Err(error) => return Err(request_error("reserve timestamps", error)),
            }
        }
    }

    /// Returns the next timestamp without using it up.
    pub(super) fn next(&self) -> Timestamp {
        self.stamps().next()
    }

    /// Hands out `count` timestamps and returns the first one. Reserves more if necessary, as long
    /// as the lease lasts.
    ///
    /// # Errors
    ///
    /// [`Storage`](ErrorKind::Storage) if the timestamps are used up. Any other error ends the
    /// term.
    pub(super) async fn take(&self, count: NonZeroU32, lease: &Lease) -> Result<Timestamp> {
        loop {
            if let Some(first) = self.stamps().take(count)? {
                return Ok(first);
            }
            let mut written = self.written.lock().await;
            // Another request may have reserved enough.
            if let Some(first) = self.stamps().take(count)? {
                return Ok(first);
            }
            self.reserve(&mut written, count, lease).await?;
        }
    }

    async fn reserve(&self, written: &mut Written, count: NonZeroU32, lease: &Lease) -> Result<()> {
        let mut backoff = Backoff::default();
        loop {
            let end = self.stamps().plan(count, Instant::now())?;
            match write(&self.session, end, written.version).await {
                Ok(version) => {
                    telemetry::count(RESERVATIONS, 1);
                    *written = Written { end, version };
                    self.stamps().reserved(end);
                    return Ok(());
                }
                Err(ZooKeeperError::BadVersion) => return Err(another_leads()),
                Err(error) if is_connection_lost(&error) => {}
                Err(error) => return Err(request_error("reserve timestamps", error)),
            }
            let found = self.read_while(lease).await?;
            match doubt(*written, end, found) {
                Doubt::NotWritten => backoff.wait().await,
                Doubt::Skip(found) => {
                    *written = found;
                    self.stamps().skip_to(found.end);
                }
                Doubt::Foreign => return Err(another_leads()),
            }
        }
    }

    /// Reads the node, again and again until the lease has lapsed.
    async fn read_while(&self, lease: &Lease) -> Result<Written> {
        let mut backoff = Backoff::default();
        loop {
            match read(&self.session).await {
                Ok(found) => return Ok(found),
                Err(error) if error.kind() != ErrorKind::Unavailable || !lease.is_valid() => {
                    return Err(error);
                }
                Err(_) => backoff.wait().await,
            }
        }
    }

    fn stamps(&self) -> MutexGuard<'_, ReservedTimestamps> {
        locked(&self.stamps)
    }
}

fn doubt(written: Written, tried: Timestamp, found: Written) -> Doubt {
    let next = written.version.checked_add(1);
    if found == written {
        Doubt::NotWritten
    } else if Some(found.version) == next && found.end == tried {
        Doubt::Skip(found)
    } else {
        Doubt::Foreign
    }
}

async fn read(session: &Client) -> Result<Written> {
    let found = read_current(session, MAX_TIMESTAMP).await;
    let (data, stat) = found
        .and_then(|found| found.ok_or(ZooKeeperError::NoNode))
        .map_err(|error| request_error("read the reserved timestamps", error))?;
    let end = nodes::timestamp(&data).ok_or_else(|| {
        Error::corrupt(format!(
            "the data at `{MAX_TIMESTAMP}` is not a timestamp; restore it to a number above all timestamps in use"
        ))
    })?;
    Ok(Written { end, version: stat.version })
}

async fn write(session: &Client, end: Timestamp, version: i32) -> Result<i32, ZooKeeperError> {
    let data = timestamp(end);
    let stat = within_limit(session.set_data(MAX_TIMESTAMP, &data, Some(version))).await?;
    Ok(stat.version)
}

fn another_leads() -> Error {
    Error::unavailable(format!(
        "another oracle has written `{MAX_TIMESTAMP}`, so this one stops to lead"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(end: u64, version: i32) -> Written {
        let end = Timestamp::new(end).unwrap();
        Written { end, version }
    }

    #[test]
    fn never_uses_a_range_whose_write_was_not_confirmed() {
        let own = written(1_002, 1);
        let tried = Timestamp::new(2_002).unwrap();
        assert_eq!(doubt(own, tried, own), Doubt::NotWritten);
        let perhaps_own = written(2_002, 2);
        assert_eq!(doubt(own, tried, perhaps_own), Doubt::Skip(perhaps_own));
    }

    #[test]
    fn detects_every_foreign_write() {
        let own = written(1_002, 1);
        let tried = Timestamp::new(2_002).unwrap();
        for found in [(1_002, 2), (2_002, 3), (2_002, 1), (900_000, 2), (2, 0)] {
            let found = written(found.0, found.1);
            assert_eq!(doubt(own, tried, found), Doubt::Foreign);
        }
    }
}
