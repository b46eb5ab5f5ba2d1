//! Many notifications wait in the table, but few in memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::{Observers, WorkerOptions, observer_fn};
use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{Error, Mutation, Timestamp};
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::{column, idle};
use metrics::{
    Counter, Gauge, GaugeFn, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

/// The current value and the highest value of the gauge of waiting notifications.
#[derive(Clone, Debug, Default)]
struct Waiting {
    shown: Arc<Mutex<Shown>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    now: f64,
    most: f64,
}

impl GaugeFn for Waiting {
    fn increment(&self, value: f64) {
        let mut shown = self.shown.lock().unwrap();
        shown.now += value;
        shown.most = shown.most.max(shown.now);
    }

    fn decrement(&self, value: f64) {
        self.shown.lock().unwrap().now -= value;
    }

    fn set(&self, _: f64) {}
}

impl Recorder for Waiting {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        match key.name() {
            "fluo_notifications_queued" => Gauge::from_arc(Arc::new(self.clone())),
            _ => Gauge::noop(),
        }
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

const NOTIFICATIONS: usize = 100_000;
const MOST: usize = 10_000;

#[test]
fn limits_the_waiting_notifications_in_memory() {
    let waiting = Waiting::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let runs = metrics::with_local_recorder(&waiting, || runtime.block_on(process_all()));
    assert_eq!(runs, NOTIFICATIONS);
    let shown = *waiting.shown.lock().unwrap();
    assert!(
        shown.most > 1.0 && shown.most <= 10_000.0,
        "{shown:?} waited at once"
    );
    assert!(shown.now.abs() < 0.5, "{shown:?}");
}

async fn process_all() -> usize {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let observer = observer_fn(move |_, _, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, Error>(()) }
    });
    let fixture = Fixture::observed_in_memory(
        Observers::new()
            .weak(column("w"), "count", observer)
            .unwrap(),
    )
    .await;
    let stamp = NotificationTimestamp {
        timestamp: Timestamp::new(2).unwrap(),
        is_delete: false,
    };
    let notified = notification_column(&column("w"));
    let written =
        |row| Mutation::new(format!("{row:06}")).put_at(notified.clone(), stamp.encode(), "");
    fixture
        .table
        .write((0..NOTIFICATIONS).map(written).collect())
        .await
        .unwrap();
    let client = fixture.client().await;
    let options = WorkerOptions::new().max_queued_notifications(MOST);
    let worker = client.start_worker(options).await.unwrap();
    // The table in memory reads all entries at every scan, so the loop reads a counter instead.
    while runs.load(Ordering::SeqCst) < NOTIFICATIONS {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    idle(&client).await;
    worker.stop().await;
    runs.load(Ordering::SeqCst)
}
