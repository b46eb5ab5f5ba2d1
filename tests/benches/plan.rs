//! A plan for a table of 100,000 split points, beside the time to read the split points alone.
//!
//! Budget: under a second.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark that cannot run must say so"
)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{RowHasher, TableOptimizations};
use fluo_table::{TableAdmin, Versions};

const TABLE: &str = "pages";
const SPLITS: u32 = 100_000;

fn plan_a_large_table(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory.path(), options).unwrap();
    let hasher = RowHasher::new("p").unwrap();
    let optimizations = hasher.table_optimizations(SPLITS).unwrap();
    let other = hasher.table_optimizations(SPLITS + 1).unwrap();
    runtime.block_on(async {
        tables.create_table(TABLE, Versions::default()).await.unwrap();
        tables.add_splits(TABLE, &optimizations.splits()).await.unwrap();
    });

    let mut group = criterion.benchmark_group("table_of_100k_splits");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    group.bench_function("read_splits", |bencher| {
        bencher.iter(|| runtime.block_on(tables.splits(TABLE)).unwrap());
    });
    let mut bench = |name: &str, wanted: &TableOptimizations| {
        group.bench_function(name, |bencher| {
            let planned = || black_box(wanted).plan(&tables, TABLE).into_future();
            bencher.iter(|| runtime.block_on(planned()).unwrap());
        });
    };
    bench("plan_nothing_to_do", &optimizations);
    bench("plan_all_to_change", &other);
    group.finish();
}

criterion_group!(benches, plan_a_large_table);
criterion_main!(benches);
