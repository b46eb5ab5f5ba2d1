//! The port that users implement to process changes, and its implementation by functions.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::ObservedColumn;
use fluo_table::{Bytes, Column};

use crate::transaction::Transaction;

/// The error of an observer: any error.
pub type ObserverError = Box<dyn StdError + Send + Sync>;

/// Code that runs when an observed cell has changed.
///
/// It runs in its own transaction. The worker commits that transaction when `process` returns `Ok`,
/// and the commit deletes the notification. The observer receives nothing else: it reads everything
/// that it needs from its transaction. After a conflict it runs again with a new transaction. So it
/// should have no effects other than those of the transaction, or only effects that may be
/// repeated.
///
/// [`observer_fn`] creates an observer from a closure.
#[async_trait]
pub trait Observer: Send + Sync + 'static {
    /// Processes the notification of a cell.
    ///
    /// Several changes of a cell may lead to one run. The transaction reads the data that was
    /// committed before it began, which includes the change that the notification announces.
    /// Notifications are written before the commit, so an observer may also run for a transaction
    /// that never committed. Then the cell may have no value, or an older one that was processed
    /// before. It may also have been deleted since. In these cases an observer returns `Ok`. An
    /// observer whose effect must occur once, such as adding to a count or to a queue, deletes the
    /// cell or marks it as processed, in the same transaction. The observer cannot commit the
    /// transaction, which ends when this method returns.
    ///
    /// # Errors
    ///
    /// After an error nothing of the transaction is written, and the notification is retried later.
    /// After a number of tries it is moved to the dead letters with the error.
    ///
    /// A try does not count if the error is [`RetryAfter`], or if a read of the
    /// transaction failed with a passing error
    /// ([`Unavailable`](crate::ErrorKind::Unavailable),
    /// [`Uncertain`](crate::ErrorKind::Uncertain)), for example because the table was not
    /// reachable. Such a notification is retried without a limit. The worker records these failures
    /// in the transaction, so it does not matter how the observer wraps the error, or whether it
    /// panics. Every other error counts, including an [`Error`](crate::Error) of these kinds that
    /// the observer creates or receives from another source.
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError>;
}

struct ObserverFn<F>(F);

/// Creates an observer from an async function or closure. The future must own the values that it
/// uses. [`Observers`](crate::Observers) has an example.
pub fn observer_fn<F, R, E>(process: F) -> impl Observer
where
    F: Fn(Transaction, Bytes, Column) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<ObserverError> + 'static,
{
    ObserverFn(process)
}

#[async_trait]
impl<F, R, E> Observer for ObserverFn<F>
where
    F: Fn(Transaction, Bytes, Column) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send,
    E: Into<ObserverError>,
{
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        (self.0)(tx, row, column).await.map_err(Into::into)
    }
}

/// The column of an observer, and its code if this program runs it.
#[derive(Clone)]
pub(crate) struct DeclaredObserver {
    pub(crate) observed: ObservedColumn,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl fmt::Debug for DeclaredObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.observed, f)
    }
}

/// The error of an [`Observer`] whose work cannot be done at present, such as an
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
#[derive(Debug, thiserror::Error)]
#[error("{source}; retrying after {pause:?}")]
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
