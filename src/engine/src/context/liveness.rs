//! The transactors that were recently alive.
//!
//! A transaction that meets a lock asks whether its owner is alive (R3). To wait is always safe, so
//! the answer *alive* counts for [`FRESH`], for all transactions of a client: they send one request
//! in this time for each owner, however many locks they meet. Meanwhile a request without an answer
//! counts as alive too. So a read depends on the coordination only for the horizon (S2).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::Result;
use fluo_table::coordination::{Coordination, TransactorId};
use tokio::time::{Instant, timeout};

use crate::mutex::Mutex;

/// Time for which an answer counts, and maximum time to wait for it.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Liveness {
    coordination: Arc<dyn Coordination>,
    /// The times of the last requests, by transactor. Those of dead ones are removed.
    asked: Mutex<BTreeMap<TransactorId, Instant>>,
}

impl Liveness {
    pub(crate) fn new(coordination: Arc<dyn Coordination>) -> Self {
        Self { coordination, asked: Mutex::default() }
    }

    /// Returns `false` if a transactor is certainly not alive. While the coordination does not
    /// answer, it may be.
    pub(crate) async fn may_be_alive(&self, transactor: TransactorId) -> Result<bool> {
        if !self.must_ask(transactor) {
            return Ok(true);
        }
        let is_alive = match timeout(FRESH, self.coordination.is_alive(transactor)).await {
            Ok(Err(error)) if !error.kind().is_passing() => Err(error),
            Ok(Ok(is_alive)) => Ok(is_alive),
            Ok(Err(_)) | Err(_) => Ok(true),
        };
        if !matches!(is_alive, Ok(true)) {
            self.asked.lock().remove(&transactor);
        }
        is_alive
    }

    /// Checks whether no request of the last second is under way or was answered *alive*. Counts
    /// the request that the caller must then send.
    fn must_ask(&self, transactor: TransactorId) -> bool {
        let mut asked = self.asked.lock();
        asked.retain(|_, asked| asked.elapsed() < FRESH);
        let is_asked = asked.contains_key(&transactor);
        if !is_asked {
            asked.insert(transactor, Instant::now());
        }
        !is_asked
    }
}
