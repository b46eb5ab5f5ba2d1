//! A worker's place among the others.

use std::sync::Arc;

use tokio::sync::Mutex;
use tracing::warn;

use crate::coordination::{Coordination, WorkerMembership};
use crate::error::Result;
use crate::layout::Share;

/// A worker among the workers of its application, from joining until this is dropped.
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

/// How often the share may be refused before it is taken that the place is lost. It is refused for a while, too, when
/// shares are being dealt out.
const MOST_REFUSALS: u32 = 5;

impl Membership {
    pub(super) async fn join(coordination: Arc<dyn Coordination>) -> Result<Self> {
        let membership = coordination.join_workers().await?;
        let place = Place {
            membership,
            refusals: 0,
        };
        Ok(Self {
            coordination,
            place: Mutex::new(place),
        })
    }

    /// The share of this worker now. After several refusals it joins anew.
    pub(super) async fn share(&self) -> Result<Share> {
        let mut place = self.place.lock().await;
        let refused = match place.membership.share().await {
            Ok(share) => {
                place.refusals = 0;
                return Ok(share);
            }
            Err(refused) => refused,
        };
        place.refusals += 1;
        if place.refusals < MOST_REFUSALS {
            return Err(refused);
        }
        warn!(error = %refused, "this worker has lost its place among the others and joins anew");
        place.membership = self.coordination.join_workers().await?;
        place.refusals = 0;
        place.membership.share().await
    }
}
