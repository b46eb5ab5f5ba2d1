//! A limit on the bytes that wait to be written.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit in bytes, granted in the order of the requests.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    places: Arc<Semaphore>,
    most: u32,
}

/// The right to some bytes. Dropping it releases them for the next request.
#[derive(Debug)]
pub(super) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Waiting {
    pub(super) fn new(most_bytes: usize) -> Self {
        let most = u32::try_from(most_bytes).unwrap_or(u32::MAX);
        let places = usize::try_from(most).unwrap_or(usize::MAX);
        Self { places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))), most }
    }

    /// Takes a place if one is free. Otherwise the caller can [wait](Self::place) for it.
    pub(super) fn try_place(&self, bytes: usize) -> Option<Place> {
        let permit = Arc::clone(&self.places).try_acquire_many_owned(self.permits(bytes));
        permit.ok().map(|permit| Place { _permit: Some(permit) })
    }

    /// Waits for a place. A request above the limit takes all of it.
    pub(super) async fn place(&self, bytes: usize) -> Place {
        let permits = self.permits(bytes);
        let permit = Arc::clone(&self.places).acquire_many_owned(permits).await;
        Place {
            // The semaphore is never closed.
            _permit: permit.ok(),
        }
    }

    fn permits(&self, bytes: usize) -> u32 {
        u32::try_from(bytes).unwrap_or(u32::MAX).min(self.most)
    }
}
