//! The options of a client.

use std::time::Duration;

use fluo_table::{Result, check_option};

use crate::bounds::{DURATIONS, growing};

/// The options of a [`Client`](crate::Client): its waits, its time limits and its memory use. Each
/// duration is at least a millisecond and at most 365 days.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use fluo_engine::ClientOptions;
///
/// let options =
///     ClientOptions::new().rollback_after(Duration::from_secs(30));
/// assert!(options.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    pub(crate) rollback_after: Duration,
    pub(crate) first_pause: Duration,
    pub(crate) max_pause: Duration,
    pub(crate) max_elapsed: Duration,
    pub(crate) horizon_period: Duration,
    pub(crate) max_transaction_age: Duration,
    pub(crate) max_transaction_bytes: usize,
    pub(crate) max_commits_in_flight: usize,
    pub(crate) max_commit_bytes_in_flight: usize,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ClientOptions {
    /// Returns the default options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rollback_after: Duration::from_secs(300),
            first_pause: Duration::from_millis(5),
            max_pause: Duration::from_secs(1),
            max_elapsed: Duration::from_secs(60),
            horizon_period: Duration::from_secs(60),
            max_transaction_age: Duration::from_secs(3_600),
            max_transaction_bytes: 64 << 20,
            max_commits_in_flight: 4_096,
            max_commit_bytes_in_flight: 20 << 20,
        }
    }

    /// Sets the time to wait for a lock of a live transaction before it is rolled back. Fluo's
    /// `fluo.tx.rollback.time`. Default: 5 minutes.
    #[must_use]
    pub fn rollback_after(mut self, rollback_after: Duration) -> Self {
        self.rollback_after = rollback_after;
        self
    }

    /// Sets the first pause before a lock is read again; each further one is twice as long.
    /// Default: 5 milliseconds.
    #[must_use]
    pub fn first_pause(mut self, first_pause: Duration) -> Self {
        self.first_pause = first_pause;
        self
    }

    /// Sets the longest pause before a lock is read again. Default: 1 second.
    #[must_use]
    pub fn max_pause(mut self, max_pause: Duration) -> Self {
        self.max_pause = max_pause;
        self
    }

    /// Sets the time to repeat a call whose outcome is unknown, or that the table or the
    /// coordination temporarily refuses, before the transaction is cancelled. Default: 1 minute.
    #[must_use]
    pub fn max_elapsed(mut self, max_elapsed: Duration) -> Self {
        self.max_elapsed = max_elapsed;
        self
    }

    /// Sets the period in which the client publishes its oldest active timestamp and advances the
    /// horizon of garbage collection to the oldest of all clients. It is also the longest time
    /// until the client notices that its session has ended. Fluo's
    /// `fluo.impl.timestamp.update.period`. Default: 1 minute.
    #[must_use]
    pub fn horizon_period(mut self, horizon_period: Duration) -> Self {
        self.horizon_period = horizon_period;
        self
    }

    /// Sets the age from which on an open transaction or snapshot no longer holds back garbage
    /// collection, checked once in every [`horizon_period`](Self::horizon_period). So a leaked one
    /// holds back garbage for a limited time. It works as before until the horizon has passed it.
    /// From then on all of its reads, including those of a scan that has begun, and its commit fail
    /// with [`SnapshotTooOld`](crate::SnapshotTooOld), which a runner retries. It never reads wrong
    /// data. Default: 1 hour.
    #[must_use]
    pub fn max_transaction_age(mut self, max_transaction_age: Duration) -> Self {
        self.max_transaction_age = max_transaction_age;
        self
    }

    /// Sets the maximum number of bytes of rows, columns and values that one transaction may set.
    /// Default: 64 MiB.
    #[must_use]
    pub fn max_transaction_bytes(mut self, max_transaction_bytes: usize) -> Self {
        self.max_transaction_bytes = max_transaction_bytes;
        self
    }

    /// Sets the maximum number of transactions that are committed in the background at once; 1 to
    /// 1,000,000. Default: 4,096.
    #[must_use]
    pub fn max_commits_in_flight(mut self, max_commits_in_flight: usize) -> Self {
        self.max_commits_in_flight = max_commits_in_flight;
        self
    }

    /// Sets the maximum number of bytes of transactions that are committed in the background at
    /// once. A larger transaction is committed alone. Fluo's `fluo.impl.tx.commit.memory`. Default:
    /// 20 MiB.
    #[must_use]
    pub fn max_commit_bytes_in_flight(mut self, max_commit_bytes_in_flight: usize) -> Self {
        self.max_commit_bytes_in_flight = max_commit_bytes_in_flight;
        self
    }

    /// Checks the bounds of all options. Opening a client includes this check.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for the first option that is out of its bounds; the
    /// message states them.
    pub fn check(&self) -> Result<()> {
        check_option("rollback_after", self.rollback_after, DURATIONS)?;
        growing(("first_pause", self.first_pause), ("max_pause", self.max_pause))?;
        check_option("max_elapsed", self.max_elapsed, DURATIONS)?;
        check_option("horizon_period", self.horizon_period, DURATIONS)?;
        check_option("max_transaction_age", self.max_transaction_age, DURATIONS)?;
        check_option("max_transaction_bytes", self.max_transaction_bytes, 1..)?;
        check_option("max_commits_in_flight", self.max_commits_in_flight, 1..=1_000_000)?;
        check_option("max_commit_bytes_in_flight", self.max_commit_bytes_in_flight, 1..=MAX_BYTES)
    }
}

/// Maximum of an option whose bytes are permits of a semaphore; one call takes them as a `u32`.
const MAX_BYTES: usize = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::RetryPolicy;

    #[test]
    fn a_usual_run_outlives_a_lock_that_must_be_rolled_back() {
        let (usual, client) = (RetryPolicy::new(), ClientOptions::new());
        assert!(usual.max_elapsed >= client.rollback_after * 2);
    }

    #[test]
    fn names_an_option_out_of_bounds_and_the_bounds() {
        let message = |change: fn(&mut ClientOptions)| {
            let mut options = ClientOptions::new();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|options| options.rollback_after = Duration::ZERO),
            "option `rollback_after` is 0ns; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.max_elapsed = Duration::from_secs(31_536_001)),
            "option `max_elapsed` is 31536001s; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.max_pause = Duration::from_millis(2)),
            "option `max_pause` is 2ms; it must be at least `first_pause`, which is 5ms"
        );
        assert_eq!(
            message(|options| options.max_commits_in_flight = 0),
            "option `max_commits_in_flight` is 0; it must be at least 1 and at most 1000000"
        );
    }
}
