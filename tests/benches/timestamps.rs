//! Timestamps of an embedded application: one caller and several tasks, one and a hundred at a time.
//!
//! Budget: 2 million calls a second.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark that cannot run must say so"
)]

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fluo_core::coordination::{Application, Applications, Coordination};
use fluo_embedded::{EmbeddedTables, Settings};
use tokio::runtime::{Builder, Runtime};

/// Calls of one measurement: the reservations that a call waits for are among them.
const CALLS: u64 = 1_000_000;

async fn call(web: &dyn Coordination, calls: u64, count: NonZeroU32) {
    for _ in 0..calls {
        web.timestamps(count).await.unwrap();
    }
}

fn spread_over(
    runtime: &Runtime,
    web: &Arc<dyn Coordination>,
    tasks: u64,
    count: NonZeroU32,
) -> Duration {
    let start = Instant::now();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..tasks)
            .map(|_| {
                let web = web.clone();
                tokio::spawn(async move { call(&*web, CALLS / tasks, count).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    start.elapsed()
}

fn timestamps(criterion: &mut Criterion) {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings).unwrap();
    let applications = tables.applications();
    let web = runtime.block_on(async {
        let application = Application::new("1", "web");
        applications.initialize("web", application).await.unwrap();
        applications.open("web").await.unwrap()
    });
    let mut group = criterion.benchmark_group("timestamps");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(8))
        .throughput(Throughput::Elements(CALLS));
    for (name, tasks, count) in [
        ("one_task", 1, 1),
        ("four_tasks", 4, 1),
        ("one_task_by_100", 1, 100),
    ] {
        let count = NonZeroU32::new(count).unwrap();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                (0..times)
                    .map(|_| spread_over(&runtime, &web, tasks, count))
                    .sum()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, timestamps);
criterion_main!(benches);
