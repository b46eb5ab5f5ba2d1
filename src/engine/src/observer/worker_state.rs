//! The state that the tasks of a worker share.

use std::sync::Arc;

use fluo_table::Clock;

use crate::client::Client;
use crate::observer::membership::Membership;
use crate::observer::options::WorkerLimits;
use crate::observer::queue::Queue;

#[derive(Debug)]
pub(super) struct WorkerState {
    pub(super) client: Client,
    pub(super) limits: WorkerLimits,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) queue: Arc<Queue>,
    /// Each task holds this state, so the place is released after the last one has ended: a worker
    /// that takes over the share must not meet notifications that still run here.
    pub(super) membership: Membership,
}
