//! The port of a process that runs observers.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::error::Result;
use crate::layout::Share;

/// A worker of an application, among the others from [`join_workers`](super::Coordination::join_workers) until this is
/// dropped or its session ends.
///
/// Its rule is C7 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait WorkerMembership: Debug + Send + Sync {
    /// The share of the notifications that is this worker's now: one of as many as there are workers.
    ///
    /// It changes when a worker comes or goes. Two workers that ask at different times may be told shares that
    /// overlap; that costs work and harms nothing.
    ///
    /// # Errors
    /// [`Unavailable`](crate::ErrorKind::Unavailable) where its session has ended, or the shares are being dealt out
    /// anew: it has none for now.
    async fn share(&self) -> Result<Share>;
}
