//! The port that users implement to process changes.

use std::error::Error as StdError;

use async_trait::async_trait;
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
/// [`observer_fn`](fn@super::observer_fn) creates an observer from a closure.
#[async_trait]
pub trait Observer: Send + Sync + 'static {
    /// Processes the notification of a cell.
    ///
    /// Several changes of a cell may lead to one run. The transaction reads the data that was
    /// committed before it began, which includes the change that the notification announces.
    /// Notifications are written before the commit, so an observer may also run for a transaction
    /// that never committed. Then the cell may have no value, or an older one. It may also have
    /// been deleted since. In these cases an observer returns `Ok`. The observer cannot commit the
    /// transaction, which ends when this method returns.
    ///
    /// # Errors
    ///
    /// After an error nothing of the transaction is written, and the notification is retried later.
    /// After a number of tries it is moved to the dead letters with the error.
    ///
    /// A try does not count if the error is [`RetryAfter`](crate::RetryAfter), or if a read of the
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
