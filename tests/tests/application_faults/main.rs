//! Processes of an application on a real Accumulo (oracles, workers, clients), and the servers
//! below them, are killed and suspended while they work, beside a worker of Java. No acknowledged
//! order is lost, each is tallied once and counts at the sink of a queue once, and the sum of the
//! accounts stays the same.
//!
//! `FLUO_SOAK` multiplies the number of rounds.

#![cfg(test)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "child processes print what they did"
)]

mod access;
mod child;
mod crew;
mod ground;
mod letters;
mod sink;
mod upgrade;

use std::thread;
use std::time::Duration;

use fluo_engine::Client;
use fluo_tests::{soak, until};
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::crew::{Build, Crew, LONG, PAUSE};
use crate::ground::Ground;

/// A short pause of workers, in milliseconds.
const MAX_SLEEP: u64 = 1_000;

/// A pause of tablet servers in which ZooKeeper keeps their sessions.
const SHORT: Duration = Duration::from_secs(2);

/// Injects each fault once.
async fn inject_all(crew: &mut Crew, ground: &Ground, client: &Client) {
    let java = ground.java_worker();
    until("Java works", async || ground.java_works(client).await).await;
    crew.interrupt().await;
    interrupt_proxies(crew, ground).await;
    for server in ground.cluster.tablet_servers() {
        server.suspend();
        sleep(SHORT).await;
        server.resume();
        sleep(PAUSE).await;
    }
    let process = java.process().unwrap();
    process.suspend();
    sleep(LONG).await;
    process.resume();
    drop(java);
    crew.wait_for_orders(1).await;
    interrupt_zookeeper(crew, ground).await;
}

/// Kills a proxy, suspends the other one, and kills both. One is enough for everything; without
/// any, all processes wait for one.
async fn interrupt_proxies(crew: &Crew, ground: &Ground) {
    let [first, second] = ground.proxies();
    block_in_place(|| first.kill()).unwrap();
    crew.wait_for_orders(20).await;
    block_in_place(|| first.restart()).unwrap();
    second.suspend().unwrap();
    crew.wait_for_orders(20).await;
    for proxy in [first, second] {
        block_in_place(|| proxy.kill()).unwrap();
    }
    sleep(PAUSE).await;
    block_in_place(|| {
        thread::scope(|scope| {
            scope.spawn(|| first.restart().unwrap());
            second.restart().unwrap();
        });
    });
    crew.wait_for_orders(1).await;
}

/// Stops ZooKeeper for longer than the leases of all sessions: suspends it, and kills it.
async fn interrupt_zookeeper(crew: &Crew, ground: &Ground) {
    let zookeeper = ground.cluster.zookeeper().unwrap();
    zookeeper.suspend();
    sleep(LONG).await;
    zookeeper.resume();
    crew.wait_for_orders(1).await;
    block_in_place(|| ground.cluster.restart_zookeeper(LONG)).unwrap();
    crew.wait_for_orders(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_lose_no_order_and_keep_the_sum() {
    let Some(ground) = Ground::start(false).await else { return };
    let (mut crew, client) = ground.initialize(MAX_SLEEP, Build::New).await;
    for _ in 0..soak() {
        inject_all(&mut crew, &ground, &client).await;
    }
    drop(client);
    // Accumulo notices after 30 s, and moves the tablets to the other server.
    ground.cluster.kill_tablet_server(0).unwrap();
    sleep(PAUSE).await;
    ground.check(crew).await;
}
