//! A process with loaders, transfers and a worker on an embedded table is killed at a random
//! instant, many times. The sum of the accounts stays the same, no acknowledged order is lost, and
//! the queue drains: every order is tallied exactly once.
//!
//! `FLUO_SOAK` multiplies the number of rounds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod child;
mod shop;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fluo::{Client, Worker, WorkerOptions};
use fluo_tests::soak;
use shop::Shop;
use tokio::runtime::Runtime;

const IN_CHILD: &str = "FLUO_KILLED_CHILD";
const ROUNDS: u64 = 4;
/// Number of kills of one shop. Then a new shop is created, because each round reads all orders.
const ROUNDS_A_SHOP: u64 = 10;

/// Runs only as the child process of the test below, which kills it.
#[test]
fn a_child_that_is_killed() {
    let Ok(directory) = std::env::var(IN_CHILD) else {
        return;
    };
    let (first, directory) = directory.split_once(' ').unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    runtime
        .block_on(child::work_for_ever(
            Path::new(directory),
            first.parse().unwrap(),
        ))
        .unwrap();
}

/// Lets a child work for a while, kills it, and returns the acknowledged orders.
fn killed_after(directory: &Path, first: u64, time: Duration) -> Vec<u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_child_that_is_killed", "--nocapture"])
        .env(IN_CHILD, format!("{first} {}", directory.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || {
        let placed = |line: String| {
            line.strip_prefix("placed ")?
                .strip_suffix('.')?
                .parse()
                .ok()
        };
        lines.map_while(Result::ok).filter_map(placed).collect()
    });
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Drains the queue, and returns all orders.
async fn drained(shop: &Shop, client: &Client) -> BTreeSet<u64> {
    assert_eq!(shop.sum(client).await, shop::SUM, "as the process left it");
    let worker = Worker::start(client, shop::observers(), WorkerOptions::new())
        .await
        .unwrap();
    let idle = tokio::time::timeout(Duration::from_secs(120), client.wait_until_idle());
    idle.await.expect("the queue drains").unwrap();
    worker.stop().await;
    assert!(client.failed_notifications().await.unwrap().is_empty());
    assert_eq!(
        shop.sum(client).await,
        shop::SUM,
        "after the queue has drained"
    );
    let (orders, waiting) = shop.orders(client).await;
    assert_eq!(waiting, 0, "orders that were not tallied");
    assert_eq!(
        shop.tally(client).await,
        u64::try_from(orders.len()).unwrap()
    );
    orders
}

#[test]
fn kills_keep_the_sum_and_every_order_is_tallied_once() {
    let rounds = ROUNDS * soak();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    let mut placed = 0;
    for first in (0..rounds).step_by(usize::try_from(ROUNDS_A_SHOP).unwrap()) {
        let rounds = first..rounds.min(first + ROUNDS_A_SHOP);
        placed += kill_and_check(&runtime, rounds);
    }
    assert!(placed > 0, "no round lasted long enough to place an order");
}

/// Kills the process that works on one shop in some rounds. Returns the number of acknowledged
/// orders.
fn kill_and_check(runtime: &Runtime, rounds: Range<u64>) -> usize {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("shop");
    runtime.block_on(shop::create(&directory));
    let (mut acknowledged, mut next) = (BTreeSet::new(), 0);
    for round in rounds {
        let nanos = u64::from(Instant::now().elapsed().subsec_nanos()) + round * 7_919;
        let time = Duration::from_millis(150 + nanos.wrapping_mul(2_654_435_761) % 700);
        acknowledged.extend(killed_after(&directory, next, time));
        let found = runtime.block_on(async {
            let shop = Shop::open(&directory).await;
            let client = shop.client().await;
            drained(&shop, &client).await
        });
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "round {round}: lost {lost:?}");
        next = found.last().map_or(0, |last| last + 1);
    }
    acknowledged.len()
}
