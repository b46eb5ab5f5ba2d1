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

use std::time::Duration;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_cluster::{Cluster, ProxySettings, Settings};
use fluo_table::{Authorizations, Scan, Span, TableAdmin};
use fluo_tests::{shop, soak};
use futures::TryStreamExt;
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::access::Access;
use crate::crew::{Crew, Role};

/// The longest pause of workers in milliseconds, which is also that after a change of their number.
const MAX_SLEEP: &str = "fluo.impl.worker.finder.maxSleep";

/// The time in which a fault shows its effects, and the processes go on.
const PAUSE: Duration = Duration::from_secs(2);
/// A time in which a suspended process loses its session.
const LONG: Duration = Duration::from_secs(7);
/// A time in which ZooKeeper keeps all sessions.
const SHORT: Duration = Duration::from_secs(2);

/// Injects each fault once.
async fn inject_all(crew: &mut Crew, cluster: &Cluster, proxies: &[&fluo_cluster::Proxy]) {
    for role in [Role::Client, Role::Worker, Role::Oracle] {
        crew.kill_and_replace(role);
        sleep(PAUSE).await;
        crew.suspend(role, LONG).await;
        sleep(PAUSE).await;
    }
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
    let servers = cluster.tablet_servers();
    for server in servers.into_iter().chain([cluster.zookeeper().unwrap()]) {
        server.suspend();
        sleep(SHORT).await;
        server.resume();
        sleep(PAUSE).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_lose_no_order_and_keep_the_sum() {
    if !fluo_cluster::wanted() {
        return;
    }
    let cluster = Cluster::start(&Settings::default()).unwrap();
    if cluster.secret().is_some() {
        return;
    }
    let second = cluster.start_proxy(ProxySettings::default()).unwrap();
    let proxies = [cluster.proxy().unwrap(), &second];
    let access = Access::new(&cluster, &proxies);
    let fluo = access.connect().await;
    let application = shop::application(&fluo).set(MAX_SLEEP, "1000");
    application.initialize().await.unwrap();
    let mut crew = Crew::start(access.clone());
    let client = shop::application(&fluo).open().await.unwrap();
    shop::open_accounts(&client).await.unwrap();
    drop(client);
    crew.start_clients();
    for _ in 0..soak() {
        inject_all(&mut crew, &cluster, &proxies).await;
    }
    // Accumulo notices after 30 s, and moves the tablets to the other server.
    cluster.kill_tablet_server(0).unwrap();
    sleep(PAUSE).await;
    let acknowledged = crew.kill();
    println!("{} orders were acknowledged", acknowledged.len());

    let oracle = OracleOptions::new(access.zookeepers(), shop::NAME).unwrap();
    let mut oracle = Oracle::start(oracle.host("localhost")).await.unwrap();
    oracle.wait_for_lead().await.unwrap();
    let client = shop::application(&fluo).open().await.unwrap();
    let orders = shop::drained(&client).await;
    let lost: Vec<_> = acknowledged.difference(&orders).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    // Reading the cells ends the locks of killed processes.
    let snapshot = client.snapshot().await.unwrap();
    let all = snapshot.scan(Scan::over(Span::all())).try_concat();
    all.await.unwrap();
    let table = fluo.open_table(shop::NAME, Authorizations::none()).await;
    assert_eq!(fluo_tests::locked(&*table.unwrap()).await, []);
    oracle.stop().await;
}
