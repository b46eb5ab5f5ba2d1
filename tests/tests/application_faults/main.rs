//! Processes of an application on a real Accumulo (oracles, workers, clients), and the servers
//! below them, are killed and suspended while they work. No acknowledged order is lost, each is
//! tallied once, and the sum of the accounts stays the same.
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
mod upgrade;

use std::time::Duration;

use fluo_tests::soak;
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::crew::{Build, Crew, PAUSE};
use crate::ground::Ground;

/// A short pause of workers, in milliseconds.
const MAX_SLEEP: u32 = 1_000;

/// A time in which ZooKeeper keeps all sessions.
const SHORT: Duration = Duration::from_secs(2);

/// Injects each fault once.
async fn inject_all(crew: &mut Crew, ground: &Ground) {
    crew.interrupt().await;
    let proxies = &ground.proxies();
    // One proxy is enough for everything; without any, all processes wait for one.
    for stopped in [&proxies[..1], &proxies[1..], proxies] {
        for proxy in stopped {
            block_in_place(|| proxy.kill()).unwrap();
        }
        if stopped.len() < proxies.len() {
            crew.wait_for_orders(20).await;
        }
        sleep(PAUSE).await;
        for proxy in stopped {
            block_in_place(|| proxy.restart()).unwrap();
        }
        crew.wait_for_orders(1).await;
    }
    let servers = ground.cluster.tablet_servers();
    for server in servers.into_iter().chain([ground.cluster.zookeeper().unwrap()]) {
        server.suspend();
        sleep(SHORT).await;
        server.resume();
        sleep(PAUSE).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_lose_no_order_and_keep_the_sum() {
    let Some(ground) = Ground::start().await else { return };
    let (mut crew, client) = ground.initialize(MAX_SLEEP, Build::New).await;
    drop(client);
    for _ in 0..soak() {
        inject_all(&mut crew, &ground).await;
    }
    // Accumulo notices after 30 s, and moves the tablets to the other server.
    ground.cluster.kill_tablet_server(0).unwrap();
    sleep(PAUSE).await;
    ground.check(crew).await;
}
