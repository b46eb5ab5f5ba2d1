//! The port of a process that runs observers: [`WorkerMembership`].

use std::fmt::Debug;

use async_trait::async_trait;

use crate::coordination::Share;
use crate::error::Result;

/// The membership of one worker among the workers of an application, from
/// [`join_workers`](super::Coordination::join_workers) until this is dropped or its session ends.
///
/// Its rule is C7 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait WorkerMembership: Debug + Send + Sync {
    /// Returns the current share of this worker, or `None` while the shares are reassigned. Without
    /// a share the worker must process nothing.
    ///
    /// The share changes when a worker joins or leaves. Two workers that ask at different times may
    /// receive overlapping shares, which causes duplicate work but no error.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if its session has ended, so that it must
    /// [join](super::Coordination::join_workers) again. [`Invalid`](crate::ErrorKind::Invalid) if
    /// the workers do not agree on how to divide the work.
    async fn share(&self) -> Result<Option<Share>>;
}
