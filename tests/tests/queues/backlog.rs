//! The backlog of a queue within a limit of entries.

use std::collections::BTreeMap;

use fluo_engine::{Client, Timestamp};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::stored_queue::{Accuracy, Backlog, StoredQueue};
use fluo_table::murmur3_32;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use proptest::prelude::*;

use crate::fixture::declared;

type Words = CombineQueue<String, u64>;

fn words(buckets: u32) -> Words {
    Words::new("wc", Sum).unwrap().buckets(buckets).unwrap()
}

/// Returns a key of a bucket, another one for each number.
fn key(bucket: u32, buckets: u32, number: u32) -> String {
    let is_there =
        |key: &String| murmur3_32(key.as_bytes()).cast_signed().unsigned_abs() % buckets == bucket;
    (0_u32..).map(|attempt| format!("{number:04}-{attempt:06}")).find(is_there).unwrap()
}

/// Returns a client of a queue whose buckets have these numbers of entries, and the queue.
async fn filled(sizes: &[u32]) -> (Client, StoredQueue) {
    let buckets = u32::try_from(sizes.len()).unwrap();
    let queue = words(buckets);
    let client = declared(&[&queue]).create().await.unwrap();
    for number in 0..sizes.iter().copied().max().unwrap() {
        let with_more = (0..buckets).zip(sizes).filter(|(_, size)| number < **size);
        let updates: Vec<_> =
            with_more.map(|(bucket, _)| (key(bucket, buckets, number), 1)).collect();
        client.run(async |tx| queue.extend(&tx, updates.clone())).await.unwrap();
    }
    let stored = StoredQueue::all(&client.application().settings).unwrap().remove(0);
    (client, stored)
}

async fn estimate(client: &Client, queue: &StoredQueue, limit: u64) -> Backlog {
    queue.estimate_backlog(&client.snapshot().await.unwrap(), limit).await.unwrap()
}

/// A bucket that is cut counts as the mean of those that are read to their ends.
#[tokio::test]
async fn estimates_equal_buckets_exactly() {
    let (client, queue) = filled(&[40; 16]).await;
    for limit in (0..700).step_by(13).chain([31, 32, 33, 639, 640, 641]) {
        let found = estimate(&client, &queue, limit).await;
        let all: u64 = found.buckets.iter().map(|bucket| bucket.entries).sum();
        // One more bucket may be found when the limit is reached.
        assert!(all <= limit + 1, "{all} of {limit}");
        match found.accuracy {
            Accuracy::Exact => assert_eq!((found.entries, all, limit >= 640), (640, 640, true)),
            Accuracy::Estimate => assert_eq!(found.entries, 640, "{limit}"),
            Accuracy::LowerBound => {
                assert_eq!((found.entries, found.sampled_buckets < 3), (all, true));
            }
        }
        assert_eq!(found.accuracy == Accuracy::Exact, limit >= 640, "{limit}");
    }
    let found = estimate(&client, &queue, 320).await;
    // Ten of each bucket, then thirty more of five.
    assert_eq!((found.sampled_buckets, found.large_buckets), (5, 16));
    assert_eq!(found.accuracy, Accuracy::Estimate);
    let complete = found.buckets.iter().filter(|bucket| bucket.is_complete);
    let complete: Vec<_> = complete.map(|bucket| bucket.bucket.as_str()).collect();
    assert_eq!(complete, ["00", "02", "05", "0a", "0d"], "they are spread");
    assert_eq!(found.bytes, estimate(&client, &queue, 1_000).await.bytes);
}

#[tokio::test]
async fn reads_about_as_many_entries_as_the_limit() {
    let (client, queue) = filled(&[1_000; 4]).await;
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let snapshot = client.snapshot().await.unwrap();
    let found = metrics::with_local_recorder(&recorder, || {
        // The cells are counted when the snapshot is dropped.
        futures::executor::block_on(async move { queue.estimate_backlog(&snapshot, 1_200).await })
    });
    assert_eq!(found.unwrap().accuracy, Accuracy::LowerBound);
    let read = snapshotter.snapshot().into_vec().into_iter().find_map(|(key, _, _, value)| {
        let DebugValue::Counter(read) = value else { return None };
        (key.key().name() == "fluo_cells_read_total").then_some(read)
    });
    let read = read.unwrap();
    assert!((1_200..1_300).contains(&read), "{read}");
}

/// Only those entries of a program with another number of buckets that were read count.
#[tokio::test]
async fn counts_the_buckets_that_the_queue_does_not_have() {
    let (client, queue) = filled(&[10; 4]).await;
    let other = words(300);
    let updates = (0..60).map(|number| (key(299, 300, number), 1));
    client.run(async |tx| other.extend(&tx, updates.clone())).await.unwrap();
    let exact = estimate(&client, &queue, 100).await;
    assert_eq!((exact.entries, exact.accuracy), (100, Accuracy::Exact));
    let found = estimate(&client, &queue, 90).await;
    let foreign: Vec<_> = found.buckets.iter().filter(|bucket| !bucket.exists).collect();
    assert_eq!((foreign.len(), foreign[0].entries, foreign[0].is_complete), (1, 50, false));
    assert_eq!((found.entries, found.accuracy), (90, Accuracy::LowerBound));
    assert_eq!((found.sampled_buckets, found.large_buckets), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_read_within_a_limit_agrees_with_all_entries(
        sizes in prop::collection::vec(prop_oneof![2 => 0..6_u32, 1 => 0..40_u32], 1..9),
        limit in 0..150_u64,
    ) {
        prop_assume!(sizes.iter().any(|size| *size > 0));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, queue) = filled(&sizes).await;
            let snapshot = client.snapshot().await.unwrap();
            let exact = queue.backlog(&snapshot).await.unwrap();
            let all: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
            assert_eq!((exact.entries, exact.accuracy), (all, Accuracy::Exact));
            let exact: BTreeMap<&str, (u64, Timestamp)> = exact
                .buckets
                .iter()
                .map(|bucket| (bucket.bucket.as_str(), (bucket.entries, bucket.oldest)))
                .collect();

            let found = queue.estimate_backlog(&snapshot, limit).await.unwrap();
            assert_eq!(found.accuracy == Accuracy::Exact, all <= limit);
            assert_eq!(found.oldest, found.buckets.iter().map(|bucket| bucket.oldest).min());
            let read: u64 = found.buckets.iter().map(|bucket| bucket.entries).sum();
            assert!(read <= limit + 1, "{read} entries of {limit}");
            let (mut cut, mut largest) = (0, 0);
            for bucket in &found.buckets {
                let (entries, oldest) = exact[bucket.bucket.as_str()];
                if bucket.is_complete {
                    assert_eq!((bucket.entries, bucket.oldest), (entries, oldest));
                    largest = largest.max(entries);
                } else {
                    assert!(bucket.entries < entries || read == limit + 1);
                    assert!(bucket.oldest >= oldest);
                    cut += 1;
                }
            }
            assert!(found.sampled_buckets <= found.large_buckets);
            match found.accuracy {
                Accuracy::LowerBound => assert_eq!(found.entries, read),
                // Each unread bucket counts at most as the largest one.
                _ => assert!((read..=read + largest * cut).contains(&found.entries)),
            }
        });
    }
}
