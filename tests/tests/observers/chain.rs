//! Chains of observers, whose writes are observed in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::{Observers, observer_fn};
use fluo_table::Error;
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::{column, copies, idle, number, read_now, set};

#[tokio::test(start_paused = true)]
async fn a_chain_does_not_wait_for_scans_of_the_table() {
    let observers = Observers::new()
        .strong(column("a"), "a", copies("b", |value| value + 1))
        .unwrap()
        .strong(column("b"), "b", copies("c", |value| value + 1))
        .unwrap()
        .strong(column("c"), "c", copies("d", |value| value + 1))
        .unwrap();
    let client = Fixture::observed_in_memory(observers).await.client().await;
    let hour = Duration::from_secs(3_600);
    let _worker = client.worker().min_scan_pause(hour).max_scan_pause(hour).start().await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let begun = tokio::time::Instant::now();
    set(&client, "r", "a", 1).await;
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "d").await, 4);
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn several_notifications_of_a_cell_collapse_into_one_run() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let observer =
        observer_fn(move |tx: fluo_engine::Transaction, row: fluo_table::Bytes, from| {
            let runs = counted.clone();
            async move {
                runs.fetch_add(1, Ordering::SeqCst);
                let value = number(tx.get(row.clone(), &from).await?);
                tx.set(row, &column("b"), value.to_string())?;
                Ok::<_, Error>(())
            }
        });
    let (fixture, client) =
        Fixture::observed_in_memory(Observers::new().strong(column("a"), "a", observer).unwrap())
            .await
            .with_client()
            .await;
    for value in 1..=10 {
        set(&client, "r", "a", value).await;
    }
    assert_eq!(fixture.notifications().await, 1, "the newest counts");
    let _worker = client.worker().start().await.unwrap();
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "b").await, 10);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_observer_may_notify_itself() {
    let observer =
        observer_fn(move |tx: fluo_engine::Transaction, row: fluo_table::Bytes, from| async move {
            let value = number(tx.get(row.clone(), &from).await?);
            if value > 0 {
                tx.set(row, &from, (value - 1).to_string())?;
            }
            Ok::<_, Error>(())
        });
    let fixture =
        Fixture::observed_in_memory(Observers::new().strong(column("a"), "a", observer).unwrap())
            .await;
    let (client, _worker) = fixture.start().await;
    set(&client, "r", "a", 25).await;
    idle(&client).await;
    assert_eq!(read_now(&client, "r", "a").await, 0);
}
