//! The place of a worker among the other workers.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::Result;
use fluo_table::coordination::{Coordination, Share, WorkerMembership};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tracing::{debug, warn};

/// The membership of a worker in its application, from joining until this is dropped.
#[derive(Debug)]
pub(super) struct Membership {
    coordination: Arc<dyn Coordination>,
    place: Mutex<Place>,
}

#[derive(Debug)]
struct Place {
    membership: Box<dyn WorkerMembership>,
    refusals: u32,
}

/// Number of passing failures after which the place counts as lost.
const MAX_REFUSALS: u32 = 5;

impl Membership {
    pub(super) async fn join(coordination: Arc<dyn Coordination>) -> Result<Self> {
        let membership = coordination.join_workers().await?;
        let place = Place { membership, refusals: 0 };
        Ok(Self { coordination, place: Mutex::new(place) })
    }

    /// Waits until the share may have changed since the last call of [`share`](Self::share).
    pub(super) async fn changed(&self) {
        self.place.lock().await.membership.changed().await;
    }

    /// Returns the current share of this worker, or `None` if it must process nothing now. Joins
    /// again after several passing failures.
    pub(super) async fn share(&self) -> Result<Option<Share>> {
        let mut place = self.place.lock().await;
        let refused = match place.membership.share().await {
            Ok(share) => {
                place.refusals = 0;
                return Ok(share);
            }
            Err(refused) => refused,
        };
        place.refusals += u32::from(refused.kind().is_passing());
        if place.refusals < MAX_REFUSALS {
            return Err(refused);
        }
        warn!(error = %refused, "this worker has lost its membership; joining again");
        place.membership = self.coordination.join_workers().await?;
        place.refusals = 0;
        place.membership.share().await
    }

    /// Takes part in hand-overs until this is dropped, for a worker that begins nothing more: the
    /// others need not wait until its last observers have ended. Does not join again.
    pub(super) async fn keep_handing_over(&self, pause: Duration) {
        loop {
            let place = self.place.lock().await;
            if let Err(error) = place.membership.share().await {
                debug!(%error, "a worker that stops does not take part in a hand-over");
            }
            let _ = timeout(pause, place.membership.changed()).await;
        }
    }
}
