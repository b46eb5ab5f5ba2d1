//! Orders that observers reject while a file exists, the gate, and their dead letters: those with
//! the last digit 7 become notifications that failed, and those with 3 dead letters of the combine
//! queue. The errors name the build of the worker.

use std::fs;

use fluo_engine::{Client, Error, ObserverError, Transaction};
use fluo_recipes::combine_queue::{CombineResult, Combiner, Sum};
use fluo_recipes::stored_queue::{DeadLetter, StoredQueue};
use fluo_tests::until;
use futures::TryStreamExt;

use crate::access::Access;
use crate::crew::Build;

/// The last digit of the orders that the strong observer rejects.
pub(crate) const OBSERVED: &str = "7";
/// The last digit of the orders that the combiner rejects.
const COMBINED: &str = "3";

impl Access {
    /// Rejects a digit while the gate is closed.
    pub(crate) fn admit(&self, digit: &str, rejected: &str) -> Result<(), ObserverError> {
        match &self.gate {
            Some(gate) if digit == rejected && gate.exists() => {
                Err(format!("rejected by {}", self.build.name()).into())
            }
            _ => Ok(()),
        }
    }

    /// Closes the gate until the workers of a build have written dead letters of both kinds.
    pub(crate) async fn reject(&self, client: &Client, build: Build) {
        let gate = self.gate.as_ref().unwrap();
        fs::write(gate, "").unwrap();
        until("orders are rejected", async || are_rejected(client, build).await).await;
        fs::remove_file(gate).unwrap();
    }
}

/// The sums of the combine queue, from the orders that the gate admits.
pub(crate) struct Admitted(pub(crate) Access);

impl Combiner<String, i64> for Admitted {
    fn combine(&self, key: &String, sum: Option<i64>, updates: Vec<i64>) -> CombineResult<i64> {
        self.0.admit(key, COMBINED)?;
        Sum.combine(key, sum, updates)
    }

    fn is_order_free(&self) -> bool {
        true
    }
}

/// Checks whether a build has written dead letters of both kinds.
async fn are_rejected(client: &Client, build: Build) -> bool {
    let notifications = client.failed_notifications().await.unwrap();
    let by_build = |error: &str| error.contains(&format!("rejected by {}", build.name()));
    notifications.iter().any(|failed| by_build(&failed.error))
        && queued(client).await.iter().any(|(_, letter)| by_build(&letter.error))
}

/// Returns the dead letters of all queues.
async fn queued(client: &Client) -> Vec<(StoredQueue, DeadLetter)> {
    let snapshot = client.snapshot().await.unwrap();
    let mut all = Vec::new();
    for queue in StoredQueue::all(&client.application().settings).unwrap() {
        let letters: Vec<_> = queue.dead_letters(&snapshot).try_collect().await.unwrap();
        all.extend(letters.into_iter().map(|letter| (queue.clone(), letter)));
    }
    all
}

/// Requeues all dead letters, of which a build must have written some of both kinds.
pub(crate) async fn requeue(client: &Client, build: Build) {
    assert!(are_rejected(client, build).await, "no dead letters of the {} build", build.name());
    client.retry_all_notifications().await.unwrap();
    let letters = queued(client).await;
    let requeue = async |tx: Transaction| {
        for (queue, letter) in &letters {
            assert!(queue.requeue(&tx, letter).await?);
        }
        Ok::<(), Error>(())
    };
    client.run(requeue).await.unwrap();
}
