//! The observers of a run.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Client, Observer, ObserverError, Observers, Transaction, Worker};
use fluo_recipes::combine_queue::Change;
use fluo_table::{Bytes, Column, Result};

use super::actor::number_of;
use super::ground::{copied, document, number, wish};
use super::queues::Queues;
use super::receiver::Receiver;
use super::recorded::Recorded;
use super::world::{StoppedClock, World};

/// The row of the sum of all documents.
pub(super) const SUM: &str = "sum";

/// Starts a worker with all observers.
pub(super) async fn start(world: &World, client: &Client) -> Result<Worker> {
    let sum = Summing(world.clone());
    let copy = Copying(world.clone());
    let observers = Observers::new().strong(document(), "sum", sum)?.weak(wish(), "copy", copy)?;
    let observers = match &world.queues {
        Some(queues) => observe_queues(queues, observers, world)?,
        None => observers,
    };
    let millis = Duration::from_millis;
    let client = client.clone().with_observers(observers);
    let worker = client
        .worker()
        .tasks(2)
        .min_scan_pause(millis(20))
        .max_scan_pause(millis(400))
        .max_attempts(std::num::NonZeroU32::MIN.saturating_add(1))
        .first_retry_pause(millis(20))
        .max_retry_pause(millis(400));
    worker.clock(Arc::new(StoppedClock)).start().await
}

/// Keeps the sum of all documents. Each document's row also holds the value that is included in the
/// sum.
struct Summing(World);

#[async_trait]
impl Observer for Summing {
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        stumble(&self.0)?;
        let row = String::from_utf8_lossy(&row).into_owned();
        let observer = Recorded::observing(&self.0, "summing", &tx, &row, &column);
        let now = number_of(observer.get(&row, &column).await?.as_ref());
        let before = number_of(observer.get(&row, &number()).await?.as_ref());
        let sum = number_of(observer.get(SUM, &number()).await?.as_ref());
        observer.set(&row, &number(), format!("{now}/{}", tx.start()))?;
        observer.set(SUM, &number(), format!("{}/{}", sum + now - before, tx.start()))?;
        Ok(())
    }
}

/// Copies a document.
struct Copying(World);

#[async_trait]
impl Observer for Copying {
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        stumble(&self.0)?;
        let row = String::from_utf8_lossy(&row).into_owned();
        let observer = Recorded::observing(&self.0, "copying", &tx, &row, &column);
        match observer.get(&row, &document()).await? {
            Some(found) => observer.set(&row, &copied(), found)?,
            None => observer.delete(&row, &copied())?,
        }
        Ok(())
    }
}

/// Fails now and then, for no reason.
pub(super) fn stumble(world: &World) -> Result<(), ObserverError> {
    match world.is_rough() && world.random.chance(30) {
        true => Err("simulated: the observer stumbled".into()),
        false => Ok(()),
    }
}

/// Registers the observers of the queues. Changes of sums are recorded.
fn observe_queues(queues: &Queues, observers: Observers, world: &World) -> Result<Observers> {
    let recorder = world.clone();
    let record = move |tx: Transaction, changes: Vec<Change<String, i64>>| {
        recorder.queue_log().changes.insert(tx.start(), changes);
        ready(stumble(&recorder))
    };
    let observers = observers.recipe(&queues.sums.clone().on_changes(record))?;
    let receiver = Receiver(world.clone());
    observers.recipe(&queues.parcels.clone().export_with(receiver))
}
