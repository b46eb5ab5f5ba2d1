//! A worker waits for room for a notification without repeated scans.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_engine::{Observers, observer_fn};
use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{Error, ErrorKind, Mutation, Timestamp};
use fluo_tests::scenarios::observed::{column, idle};
use fluo_tests::{Call, Fixture, Intercepted};
use tokio::sync::Semaphore;

use crate::is_look;

/// Number of scans after which a scan fails, so that a worker that never stops scanning pauses. No
/// test needs more.
const MAX_LOOKS: usize = 500;

/// Regression test: the only task was busy, and half of the bytes were free. The scan continued at
/// once at a row that needed more bytes, found no room, continued at once, and so on. It used a
/// thread of the machine and a server of the table for nothing else.
#[tokio::test(start_paused = true)]
async fn a_large_notification_waits_for_room_without_scans() {
    let (runs, resume) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (counted, waited) = (runs.clone(), resume.clone());
    let observer = observer_fn(move |_, _, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        let waited = waited.clone();
        async move {
            drop(waited.acquire().await);
            Ok::<_, Error>(())
        }
    });
    let observers = Observers::new().weak(column("w"), "w", observer).unwrap();
    let fixture = Fixture::observed_in_memory(observers).await;
    let rows = ["a", "b, which takes half", "c, which needs more than half", "d"];
    let notify = |(row, at): (&'static str, u64)| {
        let stamp =
            NotificationTimestamp { timestamp: Timestamp::new(at).unwrap(), is_delete: false };
        Mutation::new(row).put_at(notification_column(&column("w")), stamp.encode(), "")
    };
    let written = rows.into_iter().zip([2, 3, 3, 3]).map(notify).collect();
    fixture.table.write(written).await.unwrap();

    let looks = Arc::new(AtomicUsize::new(0));
    let counted = looks.clone();
    let count = move |call: &Call| {
        let most = MAX_LOOKS;
        let is_refused = is_look(call) && counted.fetch_add(1, Ordering::SeqCst) >= most;
        let error = Error::new(ErrorKind::Storage, "there were too many scans");
        ready(if is_refused { Err(error) } else { Ok(None) })
    };
    let table = Intercepted::with_hooks(fixture.table.clone(), count).row_by_row();
    let client = fixture.client_on(Arc::new(table)).await;
    let worker = client.worker().tasks(1).max_queued_bytes(44).start().await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1, "one run begins, and does not end");
    let seen = looks.load(Ordering::SeqCst);
    assert!((1..=2).contains(&seen), "{seen} scans without a change");
    resume.close();
    idle(&client).await;
    assert_eq!(runs.load(Ordering::SeqCst), rows.len());
    worker.stop().await;
}
