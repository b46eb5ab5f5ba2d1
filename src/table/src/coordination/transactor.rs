//! The port of a process that runs transactions: [`Transactor`].

use std::fmt::Debug;

use async_trait::async_trait;

use crate::coordination::TransactorId;
use crate::data::Timestamp;
use crate::error::Result;

/// A process that runs transactions, alive from
/// [`begin_transactor`](super::Coordination::begin_transactor) until this is dropped or its session
/// ends. An ended session does not resume: the owner must begin another transactor, as
/// `fluo_engine::Client` does automatically.
///
/// Its rules are C5, C6 and C17 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait Transactor: Debug + Send + Sync {
    /// Returns its number, which its locks carry.
    fn id(&self) -> TransactorId;

    /// Publishes the oldest timestamp at which it still reads, in place of the previous one; `None`
    /// withdraws it.
    ///
    /// Publish before you use a timestamp that is to be protected: publish one that was handed out
    /// before, and then request the one to read at (C5).
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if its session has ended;
    /// [`Uncertain`](crate::ErrorKind::Uncertain).
    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()>;

    /// Returns `true` if this transactor is certainly alive, so that its published timestamp is in
    /// force (C17). Sends no request. `false` means that this is not known.
    fn is_holding(&self) -> bool;
}
