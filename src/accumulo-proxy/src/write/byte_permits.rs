//! A limit on the bytes that wait to be written.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit in bytes, granted in the order of the requests. A request above the limit takes all of
/// it. Dropping a permit releases its bytes for the next request.
#[derive(Clone, Debug)]
pub(super) struct BytePermits {
    free: Arc<Semaphore>,
    most: usize,
}

impl BytePermits {
    pub(super) fn new(most_bytes: NonZeroUsize) -> Self {
        let most = most_bytes.get().min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(most)), most }
    }

    pub(super) fn try_take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_many_owned(self.permits(bytes)).ok()
    }

    pub(super) async fn take(&self, bytes: usize) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.free).acquire_many_owned(self.permits(bytes)).await;
        permit.expect("the semaphore is never closed")
    }

    fn permits(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.min(self.most)).unwrap_or(u32::MAX)
    }
}
