//! What a user writes to be told of changes.

use std::error::Error as StdError;

use async_trait::async_trait;

use crate::data::{Bytes, Column};
use crate::transaction::Transaction;

/// What an observer fails with: any error.
pub type ObserverError = Box<dyn StdError + Send + Sync>;

/// Code that runs when an observed cell has changed.
///
/// It runs in a transaction of its own, which the worker commits when it returns `Ok`, and in the commit of which the
/// notification is taken back. Nothing else is passed on: an observer reads what it needs to know from its
/// transaction. It may be run again with a new transaction, as often as there are conflicts, so that it should have no
/// effects beside those of the transaction, or such as may be repeated.
///
/// [`observer_fn`](super::observer_fn) makes one of a closure.
#[async_trait]
pub trait Observer: Send + Sync + 'static {
    /// Processes the notification of a cell.
    ///
    /// Several changes of a cell may lead to one run. The transaction reads what was committed before it began: the change
    /// that the notification tells of is among it, unless that never came to be. A notification stands before the commit
    /// that it is for, so that it may be in vain: whoever was to commit has died, and the cell may have no value, or an
    /// older one. It may also have been deleted since. An observer returns `Ok` then. The transaction cannot be committed
    /// here, and has ended when this has returned.
    ///
    /// # Errors
    /// After an error nothing of the transaction is written, and the notification is tried again later; after a number of
    /// tries it is set aside with the error.
    ///
    /// It does not count as a try where a read of the transaction has failed in a way that passes
    /// ([`Unavailable`](crate::ErrorKind::Unavailable), [`Uncertain`](crate::ErrorKind::Uncertain)): the table is away, say,
    /// and the notification is tried again for as long as it takes. The worker sees that in the transaction, so that it
    /// does not matter which error the observer makes of it, or whether it panics. Every other error counts, also an
    /// [`Error`](crate::Error) of these kinds that the observer has made, or has from elsewhere: a service of its own that
    /// is away uses up the tries.
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError>;
}
