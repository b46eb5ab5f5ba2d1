//! A process with loaders and a worker on an embedded table is killed at a random instant, many
//! times.
//!
//! - With transfers: the sum of the accounts stays the same, no acknowledged order is lost, and
//!   every order is tallied exactly once.
//! - With a combine queue, and an export queue to SQLite: the sums are those of the committed
//!   orders, and SQLite gets each of them exactly once, in the order of its customer.
//!
//! `FLUO_SOAK` multiplies the number of rounds.

#![cfg(test)]
#![allow(clippy::print_stdout, reason = "a test prints what the kills interrupted")]

mod child;
#[path = "../../../examples/19_export_to_sqlite/sqlite_sink.rs"]
mod sqlite_sink;
mod store;
mod store_check;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use fluo_tests::{STUCK, shop, soak};
use store_check::Interrupted;
use tokio::runtime::Runtime;

const IN_CHILD: &str = "FLUO_KILLED_CHILD";
const ROUNDS: u64 = 4;
/// Number of kills in one directory. Then a new one is created, because each round reads all
/// orders.
const ROUNDS_A_DIRECTORY: u64 = 10;
/// Maximum number of times that all rounds run until the kills have interrupted all kinds of work.
const MOST_REPETITIONS: usize = 25;

/// Runs only as the child process of the tests below, which kill it.
#[test]
fn a_child_that_is_killed() {
    let Ok(arguments) = std::env::var(IN_CHILD) else { return };
    let [program, first, directory] = *arguments.splitn(3, ' ').collect::<Vec<_>>() else {
        panic!("{arguments}");
    };
    let (first, directory) = (first.parse().unwrap(), Path::new(directory));
    let running = async {
        match program {
            "shop" => child::run_shop(directory, first).await,
            _ => child::run_store(directory, first).await,
        }
    };
    runtime().block_on(running).unwrap();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap()
}

/// The moment from which a child is left to work for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    Start,
    FirstOrder,
}

/// Lets a child work for a while, kills it, and returns the acknowledged orders.
fn killed_after(
    program: &str,
    directory: &Path,
    first: u64,
    (since, time): (Since, Duration),
) -> Vec<u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_child_that_is_killed", "--nocapture"])
        .env(IN_CHILD, format!("{program} {first} {}", directory.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, orders) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let placed = |line: String| line.strip_prefix("placed ")?.strip_suffix('.')?.parse().ok();
        let placed = lines.map_while(Result::ok).filter_map(placed);
        // Its other end only waits for the first one.
        placed.inspect(|_| _ = sender.send(())).collect()
    });
    let waited = match since {
        Since::Start => Ok(()),
        Since::FirstOrder => orders.recv_timeout(STUCK),
    };
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    waited.expect("the child places an order");
    reader.join().unwrap()
}

/// Creates the shop in a directory.
async fn create_shop(directory: &Path) {
    let fluo = fluo_embedded::open(directory).unwrap();
    let client = shop::application(&fluo).create().await.unwrap();
    shop::open_accounts(&client).await.unwrap();
}

#[test]
fn kills_keep_the_sum_and_every_order_is_tallied_once() {
    kill_in_rounds("shop", &create_shop, async |directory| {
        let fluo = fluo_embedded::open_existing(directory).unwrap();
        let client = shop::application(&fluo).open().await.unwrap();
        shop::drained(&client).await
    });
}

#[test]
fn kills_leave_no_gap_and_no_duplicate_in_a_database() {
    let mut interrupted = Interrupted::default();
    // A kill is rarely between an export and its acknowledgment.
    for _ in 0..MOST_REPETITIONS {
        kill_in_rounds("store", &store::create, async |directory| {
            store_check::drained(directory, &mut interrupted).await
        });
        println!("{interrupted:?}");
        if interrupted.is_all() {
            return;
        }
    }
    panic!("the kills did not interrupt all kinds of work: {interrupted:?}");
}

/// Kills the process of a program in all rounds. `drained` checks a directory after a round, and
/// returns the orders in it.
fn kill_in_rounds(
    program: &str,
    create: &impl AsyncFn(&Path),
    mut drained: impl AsyncFnMut(&Path) -> BTreeSet<u64>,
) {
    let (runtime, rounds) = (runtime(), ROUNDS * soak());
    for first in (0..rounds).step_by(usize::try_from(ROUNDS_A_DIRECTORY).unwrap()) {
        let rounds = first..rounds.min(first + ROUNDS_A_DIRECTORY);
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join(program);
        runtime.block_on(create(&directory));
        let check = || runtime.block_on(drained(&directory));
        kill_and_check(program, &directory, rounds, check);
    }
}

/// Kills the process that works on one directory in some rounds.
fn kill_and_check(
    program: &str,
    directory: &Path,
    rounds: Range<u64>,
    mut drained: impl FnMut() -> BTreeSet<u64>,
) {
    let (mut acknowledged, mut next) = (BTreeSet::new(), 0);
    for round in rounds {
        let nanos = u64::from(Instant::now().elapsed().subsec_nanos()) + round * 7_919;
        let millis = nanos.wrapping_mul(2_654_435_761) % 700;
        // On a slow machine a process has placed no order in any time from its start.
        let life = match round % 2 {
            0 => (Since::Start, Duration::from_millis(150 + millis)),
            _ => (Since::FirstOrder, Duration::from_millis(millis)),
        };
        acknowledged.extend(killed_after(program, directory, next, life));
        let found = drained();
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "round {round}: lost {lost:?}");
        next = found.last().map_or(0, |last| last + 1);
    }
}
