//! The error of an observer that waits for something outside of the table.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// The error of an [`Observer`](crate::Observer) whose work cannot be done at present, such as an
/// export to a service that is not reachable.
///
/// The worker runs the notification again after a pause, as often as needed: such a try does not
/// count towards [`max_attempts`](crate::WorkerOptions::max_attempts), so the notification never
/// becomes a dead letter by it. An observer returns it as its error, not as the source of another
/// one.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use fluo_engine::{ObserverError, RetryAfter};
///
/// fn send(_: &str) -> Result<(), ObserverError> {
///     Err(RetryAfter::new(Duration::from_secs(5), "the mail server does not answer").into())
/// }
/// assert_eq!(
///     send("hello").unwrap_err().to_string(),
///     "the mail server does not answer; retrying after 5s"
/// );
/// ```
#[derive(Debug)]
pub struct RetryAfter {
    pause: Duration,
    source: Box<dyn StdError + Send + Sync>,
}

impl RetryAfter {
    /// Creates the error with a pause and a cause. Another try may come later than after the pause,
    /// and sooner if another worker takes over the notification.
    pub fn new(pause: Duration, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { pause, source: source.into() }
    }

    /// Returns the pause.
    pub fn pause(&self) -> Duration {
        self.pause
    }
}

impl fmt::Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; retrying after {:?}", self.source, self.pause)
    }
}

impl StdError for RetryAfter {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}
