//! The port of a process that runs transactions.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::coordination::TransactorId;
use crate::data::Timestamp;
use crate::error::Result;

/// A process that runs transactions, alive from [`begin_transactor`](super::Coordination::begin_transactor) until this
/// is dropped or its session ends. A session that has ended does not come back: its owner begins another transactor, as
/// [`Client`](crate::Client) does by itself.
///
/// Its rules are C5 and C6 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait Transactor: Debug + Send + Sync {
    /// Its number, which its locks carry.
    fn id(&self) -> TransactorId;

    /// Publishes the oldest timestamp at which it still reads, in place of the one before; `None` withdraws it.
    ///
    /// It is published before a timestamp that it is to protect is used: publish one that was handed out, and get
    /// the one to read at after that (C5).
    ///
    /// # Errors
    /// [`Unavailable`](crate::ErrorKind::Unavailable) where its session has ended;
    /// [`Uncertain`](crate::ErrorKind::Uncertain).
    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()>;
}
