//! The options of a client.

use std::time::Duration;

use crate::options::{DURATIONS, options};

/// Maximum of an option whose bytes are permits of a semaphore; one call takes them as a `u32`.
const MAX_BYTES: usize = 1 << 31;

options! {
    /// The options of a [`Client`](crate::Client): its waits, its time limits and its memory use.
    /// Each duration is at least a millisecond and at most 365 days. Opening a client checks them.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use fluo_engine::{ClientOptions, Instance, InstanceExt};
    ///
    /// let options = ClientOptions::new().rollback_after(Duration::from_secs(30));
    /// let web = Instance::in_memory().application("web").options(options);
    /// # drop(web);
    /// ```
    #[must_use]
    pub struct ClientOptions set on ClientOptions [] {
        /// Sets the time to wait for a lock of a live transaction before it is rolled back. Fluo's
        /// `fluo.tx.rollback.time`. Default: 5 minutes.
        rollback_after: Duration = Duration::from_secs(300), in DURATIONS;

        /// Sets the first pause before a lock is read again; each further one is twice as long.
        /// Default: 5 milliseconds.
        first_pause: Duration = Duration::from_millis(5), in DURATIONS;

        /// Sets the longest pause before a lock is read again. Default: 1 second.
        max_pause: Duration = Duration::from_secs(1), in DURATIONS;

        /// Sets the time to repeat a call whose outcome is unknown, or that the table or the
        /// coordination temporarily refuses, before the transaction is cancelled. Default: 1
        /// minute.
        max_elapsed: Duration = Duration::from_secs(60), in DURATIONS;

        /// Sets the period in which the client publishes its oldest active timestamp and advances
        /// the horizon of garbage collection to the oldest of all clients. It is also the longest
        /// time until the client notices that its session has ended. Fluo's
        /// `fluo.impl.timestamp.update.period`. Default: 1 minute.
        horizon_period: Duration = Duration::from_secs(60), in DURATIONS;

        /// Sets the age from which on an open transaction or snapshot no longer holds back garbage
        /// collection, checked once in every [`horizon_period`](Self::horizon_period). So a leaked
        /// one holds back garbage for a limited time. It works as before until the horizon has
        /// passed it. From then on all of its reads, including those of a scan that has begun, and
        /// its commit fail with [`SnapshotTooOld`](crate::SnapshotTooOld), which a runner retries.
        /// It never reads wrong data. Default: 1 hour.
        max_transaction_age: Duration = Duration::from_secs(3_600), in DURATIONS;

        /// Sets the maximum number of bytes of rows, columns and values that one transaction may
        /// set. Default: 64 MiB.
        max_transaction_bytes: usize = 64 << 20, in 1..;

        /// Sets the maximum number of transactions that are committed in the background at once; 1
        /// to 1,000,000. Default: 4,096.
        max_commits_in_flight: usize = 4_096, in 1..=1_000_000;

        /// Sets the maximum number of bytes of transactions that are committed in the background at
        /// once. A larger transaction is committed alone. Fluo's `fluo.impl.tx.commit.memory`.
        /// Default: 20 MiB.
        max_commit_bytes_in_flight: usize = 20 << 20, in 1..=MAX_BYTES;
    }
    growing first_pause to max_pause;
}

impl ClientOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self::default()
    }
}

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
        let message = |change: fn(ClientOptions) -> ClientOptions| {
            change(ClientOptions::new()).check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|options| options.rollback_after(Duration::ZERO)),
            "option `rollback_after` is 0ns; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.max_elapsed(Duration::from_secs(31_536_001))),
            "option `max_elapsed` is 31536001s; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.max_pause(Duration::from_millis(2))),
            "option `max_pause` is 2ms; it must be at least `first_pause`, which is 5ms"
        );
        assert_eq!(
            message(|options| options.max_commits_in_flight(0)),
            "option `max_commits_in_flight` is 0; it must be at least 1 and at most 1,000,000"
        );
    }
}
