//! The options of a worker.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Clock, TableAdmin};

use crate::client::Client;
use crate::options::{DURATIONS, options};

/// A worker that is not started yet, from [`Client::worker`]: options first, then
/// [`start`](Self::start).
#[derive(Clone, Debug)]
#[must_use = "a worker runs after `start`"]
pub struct WorkerOptions {
    pub(super) client: Client,
    pub(super) limits: WorkerLimits,
    pub(super) collected: Option<Arc<dyn TableAdmin>>,
    pub(super) clock: Arc<dyn Clock>,
}

options! {
    /// The scans, the memory use and the retries of a worker.
    pub(super) struct WorkerLimits set on WorkerOptions [.limits] {
        /// Sets the number of observers that run at once; 1 to 10,000. Fluo's
        /// `fluo.worker.num.threads`. Default: 32.
        tasks: usize = 32, in 1..=10_000;

        /// Sets the maximum number of notifications that wait in memory; the others wait in the
        /// table. 1 to 10,000,000. Default: 10,000.
        max_queued_notifications: usize = 10_000, in 1..=10_000_000;

        /// Sets the maximum number of bytes of the rows and columns of notifications that wait in
        /// memory; at least 1. A larger notification waits alone. Default: 16 MiB.
        max_queued_bytes: usize = 16 << 20, in 1..;

        /// Sets the pause after a scan that found notifications; at least a millisecond. It doubles
        /// after every scan that finds none. Commits of this client need no scan: the worker
        /// receives their notifications at once. Default: 50 milliseconds.
        min_scan_pause: Duration = Duration::from_millis(50), in DURATIONS;

        /// Sets the longest pause before the next scan; at most 365 days. Default: 5 seconds.
        max_scan_pause: Duration = Duration::from_secs(5), in DURATIONS;

        /// Sets the pause after a run of a weak observer, if its cell was notified again during the
        /// run. A queue gathers entries in this time, and each run has more of them to process.
        /// Zero to 365 days. Default: 100 milliseconds.
        weak_pause: Duration = Duration::from_millis(100), in ..=*DURATIONS.end();

        /// Sets the number of failed tries after which a notification becomes a dead letter.
        /// Default: 10.
        ///
        /// A worker counts tries only in memory. The count starts again after a restart, after
        /// another worker takes over the notification, and after a success of another notification
        /// of the cell. If more than
        /// [`max_queued_notifications`](Self::max_queued_notifications) fail at once, the rest are
        /// not counted. So a notification may be tried more often than this. A worker that always
        /// stops before the pauses between the tries have passed creates no dead letters.
        max_attempts: NonZeroU32 = const { NonZeroU32::new(10).unwrap() }, in ..;

        /// Sets the pause before the second try; it doubles before each further one. Default: 100
        /// milliseconds.
        first_retry_pause: Duration = Duration::from_millis(100), in DURATIONS;

        /// Sets the longest pause before a further try; at most 365 days. Default: 1 minute.
        max_retry_pause: Duration = Duration::from_secs(60), in DURATIONS;

        /// Sets the time from one collection of garbage to the next, for a worker that
        /// [collects](Self::collect_garbage) it; at least a millisecond, at most 365 days. Each
        /// collection compacts the whole table. Default: 6 hours.
        garbage_period: Duration = Duration::from_secs(6 * 3_600), in DURATIONS;
    }
    growing min_scan_pause to max_scan_pause;
    growing first_retry_pause to max_retry_pause;
}

impl WorkerOptions {
    /// Collects the garbage of the application's table as well, once in every
    /// [`garbage_period`](Self::garbage_period). The first collection begins a tenth of the period
    /// after the start.
    ///
    /// Otherwise garbage stays until the program calls [`Client::collect_garbage`]. The workers of
    /// all processes share the work: one collects, and together they collect about once in a
    /// period. If its process ends, another one takes over within a minute. A failure is logged,
    /// counted in [`fluo_garbage_collections_total`](crate::telemetry), and retried. Observers
    /// continue to run.
    pub fn collect_garbage(self, tables: Arc<dyn TableAdmin>) -> Self {
        Self { collected: Some(tables), ..self }
    }

    /// The client whose observers the worker runs.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Sets the clock for the times of dead letters. Default: that of the system.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_an_option_out_of_bounds_and_the_bounds() {
        let message = |change: fn(&mut WorkerLimits)| {
            let mut limits = WorkerLimits::default();
            change(&mut limits);
            limits.check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|limits| limits.tasks = 0),
            "option `tasks` is 0; it must be at least 1 and at most 10,000"
        );
        assert_eq!(
            message(|limits| limits.min_scan_pause = Duration::ZERO),
            "option `min_scan_pause` is 0ns; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|limits| limits.max_retry_pause = Duration::from_millis(5)),
            "option `max_retry_pause` is 5ms; it must be at least `first_retry_pause`, which is 100ms"
        );
        assert_eq!(
            message(|limits| limits.max_scan_pause = Duration::from_millis(49)),
            "option `max_scan_pause` is 49ms; it must be at least `min_scan_pause`, which is 50ms"
        );
        assert_eq!(
            message(|limits| limits.weak_pause = Duration::from_secs(31_536_001)),
            "option `weak_pause` is 31536001s; it must be at most 31536000s"
        );
    }
}
