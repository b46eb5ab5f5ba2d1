//! The transactors that were recently alive or dead.
//!
//! A transaction that meets a lock asks whether its owner is alive (R3). To wait for it is always
//! safe, and so is to roll back its locks, so an answer counts for [`FRESH`], for all transactions
//! of a client: they send one request in this time for each owner, however many locks they meet.
//! Until it is answered, and if it is not answered in this time, the owner counts as alive. So a
//! read depends on the coordination only for the horizon (S2).

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
    answers: Mutex<BTreeMap<TransactorId, Answer>>,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    /// The time of the request, or of its answer.
    at: Instant,
    is_alive: bool,
}

impl Answer {
    fn now(is_alive: bool) -> Self {
        Self { at: Instant::now(), is_alive }
    }
}

impl Liveness {
    pub(crate) fn new(coordination: Arc<dyn Coordination>) -> Self {
        Self { coordination, answers: Mutex::default() }
    }

    /// Returns `false` if a transactor is certainly not alive. While the coordination does not
    /// answer, it may be.
    pub(crate) async fn may_be_alive(&self, transactor: TransactorId) -> Result<bool> {
        if let Some(is_alive) = self.known(transactor) {
            return Ok(is_alive);
        }
        let answer = match timeout(FRESH, self.coordination.is_alive(transactor)).await {
            Ok(Err(error)) if !error.kind().is_passing() => Err(error),
            Ok(Ok(is_alive)) => Ok(is_alive),
            Ok(Err(_)) | Err(_) => return Ok(true),
        };
        let mut answers = self.answers.lock();
        match answer {
            Ok(is_alive) => answers.insert(transactor, Answer::now(is_alive)),
            Err(_) => answers.remove(&transactor),
        };
        answer
    }

    /// Returns the answer of the last second, or *alive* if a request was sent in it. Otherwise
    /// counts the request that the caller must send.
    fn known(&self, transactor: TransactorId) -> Option<bool> {
        let mut answers = self.answers.lock();
        answers.retain(|_, answer| answer.at.elapsed() < FRESH);
        let known = answers.get(&transactor).map(|answer| answer.is_alive);
        if known.is_none() {
            answers.insert(transactor, Answer::now(true));
        }
        known
    }
}
