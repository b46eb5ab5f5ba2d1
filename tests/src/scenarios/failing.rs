//! Notifications that fail repeatedly become dead letters, and do not block others.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use fluo_engine::Observers;
use fluo_table::coordination::{FailedNotification, ObserverKind};
use fluo_table::{Error, Instance, RowColumn};

use super::observed::{column, fragile, idle, read_now, set, set_all};
use crate::{Fixture, ManualClock, until};

const TRIES: NonZeroU32 = NonZeroU32::new(4).unwrap();

pub async fn a_failing_notification_becomes_a_dead_letter_that_can_be_retried(instance: Instance) {
    let (fixed, runs) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
    let fragile = fragile(Error::invalid("no such page"), &fixed, &runs);
    let observers = Observers::new().strong(column("a"), "copy", fragile).unwrap();
    let (fixture, client) = Fixture::observed(&instance, &observers).await.with_client().await;
    let worker = client.worker().max_attempts(TRIES).first_retry_pause(Duration::from_millis(100));
    let worker = worker.clock(Arc::new(ManualClock::at(1_000))).start().await.unwrap();
    set(&client, "bad", "a", 7).await;
    // It fails and is retried. Other rows are processed meanwhile.
    until("the observer has run", async || runs.load(Ordering::SeqCst) > 0).await;
    let others = ["better", "good"].map(|row| (row.to_owned(), 7));
    set_all(&client, others, "a").await;
    idle(&client).await;
    for (row, copied) in [("good", 7), ("better", 7), ("bad", 0)] {
        assert_eq!(read_now(&client, row, "b").await, copied, "{row}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), TRIES.get());
    let failed = client.failed_notifications().await.unwrap();
    assert_eq!(failed.len(), 1, "{failed:?}");
    let cell = RowColumn::new("bad", column("a"));
    let expected = FailedNotification {
        cell: cell.clone(),
        kind: ObserverKind::Strong,
        timestamp: failed[0].timestamp,
        tries: TRIES.get(),
        error: "no such page".to_owned(),
        failed_at_ms: 1_000,
    };
    assert_eq!(failed, [expected]);
    assert_eq!(fixture.notifications().await, 0);

    let good = RowColumn::new("good", column("a"));
    assert!(!client.retry_notification(&good).await.unwrap());
    assert!(client.retry_notification(&cell).await.unwrap());
    idle(&client).await;
    let failed = client.failed_notifications().await.unwrap();
    assert_eq!(failed.len(), 1, "it was not fixed yet");
    assert_eq!(runs.load(Ordering::SeqCst), TRIES.get() * 2);

    fixed.store(true, Ordering::SeqCst);
    assert_eq!(client.retry_all_notifications().await.unwrap(), 1);
    idle(&client).await;
    assert_eq!(read_now(&client, "bad", "b").await, 7);
    assert_eq!(client.failed_notifications().await.unwrap(), []);
    assert_eq!(client.retry_all_notifications().await.unwrap(), 0);
    worker.stop().await;
}
