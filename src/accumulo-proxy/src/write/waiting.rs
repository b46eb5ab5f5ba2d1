//! A bound on what waits to be written, in bytes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for so many bytes, given in the order in which they are asked for.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    places: Arc<Semaphore>,
    most: u32,
}

/// The right to some bytes; dropped, it goes to the next.
#[derive(Debug)]
pub(super) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Waiting {
    pub(super) fn new(most_bytes: usize) -> Self {
        let most = u32::try_from(most_bytes).unwrap_or(u32::MAX);
        let places = usize::try_from(most).unwrap_or(usize::MAX);
        Self {
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            most,
        }
    }

    /// Waits for a place. What is longer than all places takes all of them.
    pub(super) async fn place(&self, bytes: usize) -> Place {
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.most);
        let permit = Arc::clone(&self.places).acquire_many_owned(permits).await;
        Place {
            // The semaphore is never closed.
            _permit: permit.ok(),
        }
    }
}
