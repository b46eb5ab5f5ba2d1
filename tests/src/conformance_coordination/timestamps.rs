//! C1, C2 and C19: timestamps.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fluo_table::coordination::Applications;
use fluo_table::{Clock, SystemClock, Timestamp};
use futures::future::join_all;

use super::ground::{Ground, at, count};

/// Checks C1: the first timestamp of an application is 2.
pub async fn c1_the_first_timestamp_is_two(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let block = ground.coordination.timestamps(count(3)).await.unwrap();
    assert_eq!((block.first, block.count), (at(2), count(3)));
    assert_eq!(block.iter().map(Timestamp::get).collect::<Vec<_>>(), [2, 3, 4]);
}

/// Checks C1 and C2: a block has the requested size, small or large, and no two blocks overlap.
pub async fn c1_a_block_has_the_requested_size(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let mut end = 0;
    for size in [1, 999, 1, 1_000, 1_001, 7, 3_000_000, u32::MAX, 1] {
        let block = ground.coordination.timestamps(count(size)).await.unwrap();
        assert_eq!(block.count, count(size));
        assert!(block.first.get() >= end, "{block:?} begins below {end}");
        end = block.first.get() + u64::from(size);
    }
}

/// Checks C1: no timestamp is handed out twice, over many tasks and handles.
pub async fn c1_timestamps_are_handed_out_once(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let tasks = (0..8_u32).map(|task| {
        let (applications, name) = (ground.applications.clone(), ground.name.clone());
        tokio::spawn(async move {
            let coordination = applications.open(&name).await.unwrap();
            let mut stamps = Vec::new();
            for call in 0..300 {
                let size = count((task * 31 + call * 17) % 40 + 1);
                let block = coordination.timestamps(size).await.unwrap();
                assert_eq!(block.count, size);
                stamps.extend(block.iter());
                if call % 16 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            stamps
        })
    });
    let stamps: Vec<Timestamp> =
        join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    let different: BTreeSet<_> = stamps.iter().copied().collect();
    assert_eq!(different.len(), stamps.len());
    assert_eq!(different.first(), Some(&at(2)));
}

/// Checks C2: a call that begins after another one has returned gets later timestamps.
pub async fn c2_later_calls_get_later_timestamps(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let answered = Arc::new(AtomicU64::new(0));
    let tasks = (0..6_u32).map(|task| {
        let (applications, name) = (ground.applications.clone(), ground.name.clone());
        let answered = answered.clone();
        tokio::spawn(async move {
            let coordination = applications.open(&name).await.unwrap();
            for call in 0..400 {
                let before = answered.load(Ordering::SeqCst);
                let block = coordination.timestamps(count((task + call) % 5 + 1)).await.unwrap();
                assert!(block.first.get() > before, "{block:?} after {before}");
                let last = block.iter().last().unwrap();
                answered.fetch_max(last.get(), Ordering::SeqCst);
            }
        })
    });
    join_all(tasks).await.into_iter().for_each(Result::unwrap);
}

/// Checks C19: no age is more than the time since the timestamp was handed out, and one that was
/// not handed out has none.
pub async fn c19_ages_are_lower_bounds(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let mut handed_out = Vec::new();
    for _ in 0..3 {
        let before = SystemClock.now_ms();
        let block = ground.coordination.timestamps(count(3)).await.unwrap();
        handed_out.extend(block.iter().map(|timestamp| (timestamp, before)));
    }
    let mut timestamps: Vec<_> = handed_out.iter().map(|(timestamp, _)| *timestamp).collect();
    timestamps.push(at(1 << 40));
    let mut ages = ground.coordination.ages(&timestamps).await.unwrap();
    assert_eq!(ages.pop(), Some(None));
    assert_eq!(ages.len(), handed_out.len());
    let now = SystemClock.now_ms();
    for ((timestamp, before), age) in handed_out.iter().zip(ages) {
        let age = age.map_or(0, |age| i64::try_from(age.as_millis()).unwrap());
        assert!(age <= now - before, "{timestamp}: {age} ms");
    }
}

/// Checks C19 with a clock that the caller sets, in milliseconds. A pause is part of the ages.
pub async fn c19_ages_follow_the_clock(
    applications: Arc<dyn Applications>,
    set_clock: impl Fn(i64),
) {
    let ground = Ground::new(&applications).await;
    let take_at = async |second: i64| {
        set_clock(second * 1_000);
        ground.coordination.timestamps(count(1)).await.unwrap().first.get()
    };
    let ages_at = async |second: i64| {
        set_clock(second * 1_000);
        let ages = ground.coordination.ages(&[2, 3, 4, 5, 6].map(at)).await.unwrap();
        ages.into_iter().map(|age| age.map(|age| age.as_secs())).collect::<Vec<_>>()
    };
    for (second, timestamp) in [(0, 2), (12, 3), (24, 4), (36, 5)] {
        assert_eq!(take_at(second).await, timestamp);
    }
    assert_eq!(ages_at(36).await, [Some(36), Some(24), Some(12), Some(0), None]);
    assert_eq!(ages_at(3_636).await, [Some(3_636), Some(3_624), Some(3_612), Some(3_600), None]);
    assert_eq!(ages_at(-1).await, [Some(0), Some(0), Some(0), Some(0), None]);
    assert_eq!(take_at(3_636).await, 6);
    assert_eq!(ages_at(3_646).await[3..], [Some(3_610), Some(10)]);
}
