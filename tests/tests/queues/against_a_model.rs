//! Queues against maps: random keys, transactions and limits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fluo_engine::Bytes;
use fluo_recipes::codec::{Ordered, Raw};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{ExportError, ExportQueue, Exported, Exports};
use futures::TryStreamExt;
use proptest::prelude::*;

use crate::fixture::App;

/// The sequences and values that a receiver got, by key.
type Received = BTreeMap<Bytes, Vec<(u64, i64)>>;

/// Keys that are prefixes of each other, with bytes that look like parts of a sequence.
fn keys() -> impl Strategy<Value = Bytes> {
    let byte = prop_oneof![4 => Just(0_u8), 2 => Just(1), 1 => any::<u8>()];
    prop::collection::vec(byte, 0..10).prop_map(Bytes::from)
}

/// Transactions: the updates of each, and whether the observers run after it.
fn transactions() -> impl Strategy<Value = Vec<(Vec<(Bytes, i64)>, bool)>> {
    let updates = prop::collection::vec((keys(), -3..4_i64), 1..6);
    prop::collection::vec((updates, any::<bool>()), 1..12)
}

fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_combine_queue_is_a_map_of_sums(
        transactions in transactions(),
        buckets in 1..4_u32,
        limit in 1..200_usize,
    ) {
        in_runtime(async {
            let queue = CombineQueue::<Bytes, i64>::with_codecs("cq", Raw, Ordered, Sum).unwrap();
            let queue = queue.buckets(buckets).unwrap().buffer_bytes(limit);
            let app = App::start(&[&queue]).await;
            let mut model: BTreeMap<Bytes, i64> = BTreeMap::new();
            for (updates, settles) in transactions {
                app.client.run(async |tx| queue.extend(&tx, updates.clone())).await.unwrap();
                for (key, number) in updates {
                    *model.entry(key).or_default() += number;
                }
                model.retain(|_, sum| *sum != 0);
                if settles {
                    app.settle().await;
                }
                let snapshot = app.client.snapshot().await.unwrap();
                let all: BTreeMap<Bytes, i64> = queue.iter(&snapshot).try_collect().await.unwrap();
                assert_eq!(all, model);
                let some = model.keys().cloned().chain([Bytes::from_static(b"none")]);
                let values = queue.get_many(&snapshot, some.clone()).await.unwrap();
                assert_eq!(values, some.map(|key| model.get(&key).copied()).collect::<Vec<_>>());
            }
            app.settle().await;
            assert_eq!(app.cells("cq").await.len(), model.len(), "only values are left");
        });
    }

    #[test]
    fn an_export_queue_delivers_each_entry_in_the_order_of_its_key(
        transactions in transactions(),
        buckets in 1..4_u32,
        limit in 1..200_usize,
        most in 1..5_usize,
    ) {
        in_runtime(async {
            let queue = ExportQueue::<Bytes, i64>::with_codecs("eq", Raw, Ordered).unwrap();
            let queue = queue.buckets(buckets).unwrap().buffer_bytes(limit);
            let received: Arc<Mutex<Received>> = Arc::default();
            let keep = received.clone();
            let exporter = move |exports: Exports<Bytes, i64>| {
                let count = exports.len().min(most);
                for export in exports.iter().take(count) {
                    let entry = (export.sequence.get(), export.value);
                    keep.lock().unwrap().entry(export.key.clone()).or_default().push(entry);
                }
                std::future::ready(Ok::<_, ExportError>(Exported::UpTo(count)))
            };
            let queue = queue.export_to(exporter);
            let app = App::start(&[&queue]).await;
            let mut model: BTreeMap<Bytes, Vec<i64>> = BTreeMap::new();
            for (entries, settles) in transactions {
                let entries: BTreeMap<Bytes, i64> = entries.into_iter().collect();
                app.client.run(async |tx| queue.extend(&tx, entries.clone())).await.unwrap();
                for (key, number) in entries {
                    model.entry(key).or_default().push(number);
                }
                if settles {
                    app.settle().await;
                }
            }
            app.settle().await;
            let mut received = std::mem::take(&mut *received.lock().unwrap());
            for entries in received.values_mut() {
                // A pass that conflicts delivers its entries again.
                entries.dedup();
                assert!(entries.is_sorted_by(|one, other| one.0 < other.0), "{entries:?}");
            }
            let values = |entries: Vec<(u64, i64)>| entries.into_iter().map(|(_, value)| value).collect();
            let received: BTreeMap<Bytes, Vec<i64>> = received.into_iter().map(|(key, entries)| (key, values(entries))).collect();
            assert_eq!(received, model);
            assert_eq!(app.cells("eq").await, [""; 0]);
        });
    }
}
