//! The port of a process that runs observers: [`WorkerMembership`].

use std::fmt::Debug;

use async_trait::async_trait;

use crate::error::Result;
use crate::layout::Partition;

/// The membership of one worker among the workers of an application, from
/// [`join_workers`](super::Coordination::join_workers) until this is dropped or its session ends.
///
/// Its rule is C7 of [`Coordination`](super::Coordination).
#[async_trait]
pub trait WorkerMembership: Debug + Send + Sync {
    /// Returns the current share of this worker: one of as many as there are workers.
    ///
    /// It changes when a worker joins or leaves. Two workers that ask at different times may
    /// receive overlapping shares, which causes duplicate work but no error.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if its session has ended, or while the shares
    /// are being reassigned and it has none.
    async fn share(&self) -> Result<Partition>;
}
