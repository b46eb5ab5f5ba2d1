//! The options of a worker.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::{Result, check_option};

use crate::bounds::{DURATIONS, growing};

/// The options of a [`Worker`](super::Worker): its scans, its memory use and its retries.
///
/// # Examples
///
/// ```
/// use fluo_engine::WorkerOptions;
///
/// let options = WorkerOptions::new().tasks(8);
/// assert!(options.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerOptions {
    pub(crate) tasks: usize,
    pub(crate) max_queued_notifications: usize,
    pub(crate) max_queued_bytes: usize,
    pub(crate) min_scan_pause: Duration,
    pub(crate) max_scan_pause: Duration,
    pub(crate) weak_pause: Duration,
    pub(crate) max_attempts: NonZeroU32,
    pub(crate) first_retry_pause: Duration,
    pub(crate) max_retry_pause: Duration,
    pub(crate) garbage_period: Duration,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl WorkerOptions {
    /// Returns the default options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tasks: 32,
            max_queued_notifications: 10_000,
            max_queued_bytes: 16 << 20,
            min_scan_pause: Duration::from_millis(50),
            max_scan_pause: Duration::from_secs(5),
            weak_pause: Duration::from_millis(100),
            max_attempts: const { NonZeroU32::new(10).unwrap() },
            first_retry_pause: Duration::from_millis(100),
            max_retry_pause: Duration::from_secs(60),
            garbage_period: Duration::from_secs(6 * 3_600),
        }
    }

    /// Sets the number of observers that run at once; 1 to 10,000. Fluo's
    /// `fluo.worker.num.threads`. Default: 32.
    #[must_use]
    pub fn tasks(mut self, tasks: usize) -> Self {
        self.tasks = tasks;
        self
    }

    /// Sets the maximum number of notifications that wait in memory; the others wait in the table.
    /// 1 to 10,000,000. Default: 10,000.
    #[must_use]
    pub fn max_queued_notifications(mut self, max_queued_notifications: usize) -> Self {
        self.max_queued_notifications = max_queued_notifications;
        self
    }

    /// Sets the maximum number of bytes of the rows and columns of notifications that wait in
    /// memory; at least 1. A larger notification waits alone. Default: 16 MiB.
    #[must_use]
    pub fn max_queued_bytes(mut self, max_queued_bytes: usize) -> Self {
        self.max_queued_bytes = max_queued_bytes;
        self
    }

    /// Sets the pause after a scan that found notifications; at least a millisecond. It doubles
    /// after every scan that finds none. Commits of this client need no scan: the worker receives
    /// their notifications at once. Default: 50 milliseconds.
    #[must_use]
    pub fn min_scan_pause(mut self, min_scan_pause: Duration) -> Self {
        self.min_scan_pause = min_scan_pause;
        self
    }

    /// Sets the longest pause before the next scan; at most 365 days. Default: 5 seconds.
    #[must_use]
    pub fn max_scan_pause(mut self, max_scan_pause: Duration) -> Self {
        self.max_scan_pause = max_scan_pause;
        self
    }

    /// Sets the pause after a run of a weak observer, if its cell was notified again during the
    /// run. A queue gathers entries in this time, and each run has more of them to process. Zero to
    /// 365 days. Default: 100 milliseconds.
    #[must_use]
    pub fn weak_pause(mut self, weak_pause: Duration) -> Self {
        self.weak_pause = weak_pause;
        self
    }

    /// Sets the number of failed tries after which a notification becomes a dead letter. Default:
    /// 10.
    ///
    /// A worker counts tries only in memory. The count starts again after a restart, after another
    /// worker takes over the notification, and after a success of another notification of the cell.
    /// If more than [`max_queued_notifications`](Self::max_queued_notifications) fail at once, the
    /// rest are not counted. So a notification may be tried more often than this. A worker that
    /// always stops before the pauses between the tries have passed creates no dead letters.
    #[must_use]
    pub fn max_attempts(mut self, max_attempts: NonZeroU32) -> Self {
        self.max_attempts = max_attempts;
        self
    }

    /// Sets the pause before the second try; it doubles before each further one. Default: 100
    /// milliseconds.
    #[must_use]
    pub fn first_retry_pause(mut self, first_retry_pause: Duration) -> Self {
        self.first_retry_pause = first_retry_pause;
        self
    }

    /// Sets the longest pause before a further try; at most 365 days. Default: 1 minute.
    #[must_use]
    pub fn max_retry_pause(mut self, max_retry_pause: Duration) -> Self {
        self.max_retry_pause = max_retry_pause;
        self
    }

    /// Sets the time from one collection of garbage to the next, for a worker that
    /// [collects](super::Worker::collecting_garbage) it; at least a millisecond, at most 365 days.
    /// Each collection compacts the whole table. Default: 6 hours.
    #[must_use]
    pub fn garbage_period(mut self, garbage_period: Duration) -> Self {
        self.garbage_period = garbage_period;
        self
    }

    /// Checks the bounds of all options. Starting a worker includes this check.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for the first option that is out of its bounds; the
    /// message states them.
    pub fn check(&self) -> Result<()> {
        check_option("tasks", self.tasks, 1..=10_000)?;
        check_option("max_queued_notifications", self.max_queued_notifications, 1..=10_000_000)?;
        check_option("max_queued_bytes", self.max_queued_bytes, 1..)?;
        growing(("min_scan_pause", self.min_scan_pause), ("max_scan_pause", self.max_scan_pause))?;
        check_option("weak_pause", self.weak_pause, ..=*DURATIONS.end())?;
        growing(
            ("first_retry_pause", self.first_retry_pause),
            ("max_retry_pause", self.max_retry_pause),
        )?;
        check_option("garbage_period", self.garbage_period, DURATIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_an_option_out_of_bounds_and_the_bounds() {
        let message = |change: fn(&mut WorkerOptions)| {
            let mut options = WorkerOptions::new();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert_eq!(
            message(|options| options.tasks = 0),
            "option `tasks` is 0; it must be at least 1 and at most 10000"
        );
        assert_eq!(
            message(|options| options.min_scan_pause = Duration::ZERO),
            "option `min_scan_pause` is 0ns; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.max_retry_pause = Duration::from_millis(5)),
            "option `max_retry_pause` is 5ms; it must be at least `first_retry_pause`, which is 100ms"
        );
        assert_eq!(
            message(|options| options.max_scan_pause = Duration::from_secs(31_536_001)),
            "option `max_scan_pause` is 31536001s; it must be at least 1ms and at most 31536000s"
        );
        assert_eq!(
            message(|options| options.weak_pause = Duration::from_secs(31_536_001)),
            "option `weak_pause` is 31536001s; it must be at most 31536000s"
        );
        assert_eq!(
            message(|options| options.garbage_period = Duration::ZERO),
            "option `garbage_period` is 0ns; it must be at least 1ms and at most 31536000s"
        );
        let message = message(|options| options.max_retry_pause = Duration::MAX);
        assert!(message.ends_with("at most 31536000s"));
    }
}
