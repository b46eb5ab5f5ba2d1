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

use fluo_cluster::JavaPeer;
use fluo_engine::Client;
use fluo_tests::{shop, soak};
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::crew::{Build, Crew, LONG, PAUSE, Role};
use crate::ground::Ground;

/// A short pause of workers, in milliseconds.
const MAX_SLEEP: u64 = 1_000;

/// The number of tries to suspend the worker of Java in a commit.
const TRIES: u32 = 20;
/// A pause of tablet servers in which ZooKeeper keeps their sessions.
const SHORT: Duration = Duration::from_secs(2);

/// All processes, and what is below them.
struct Scene<'a> {
    ground: &'a Ground,
    client: &'a Client,
    crew: &'a mut Crew,
    java: JavaPeer,
    is_java_replaced: bool,
}

impl Scene<'_> {
    /// Waits until the worker of Java, and each process of this library, has done something after a
    /// fault.
    async fn all_work_after(&mut self, fault: &str) {
        println!("{fault} is over");
        if !self.ground.java_works(self.client).await {
            self.replace_java(fault).await;
        }
        self.crew.wait_for_each().await;
    }

    /// Replaces the worker of Java, once in a test. It retries a batch that was rejected, and waits
    /// for a timestamp whose request was lost, without end; an operator restarts it.
    async fn replace_java(&mut self, fault: &str) {
        let report =
            format!("the worker of Java does not work after {fault}; {}", self.java.report());
        assert!(!self.is_java_replaced, "{report}");
        println!("{report}");
        self.is_java_replaced = true;
        self.java = self.ground.java_worker();
        let works = self.ground.java_works(self.client).await;
        assert!(works, "nor does a new one; {}", self.java.report());
    }

    /// Injects each fault once. All processes work on after each.
    async fn inject_all(&mut self) {
        self.all_work_after("the start").await;
        self.crew.restart(Role::Worker);
        self.all_work_after("the restart of a worker").await;
        self.crew.interrupt().await;
        self.all_work_after("interruptions of processes").await;
        interrupt_proxies(self.crew, self.ground).await;
        self.all_work_after("interruptions of proxies").await;
        for server in self.ground.cluster.tablet_servers() {
            server.suspend();
            sleep(SHORT).await;
            server.resume();
            self.all_work_after("the pause of a tablet server").await;
        }
        suspend_in_a_commit(self.ground, &self.java).await;
        self.all_work_after("the pause of the worker of Java").await;
        let zookeeper = self.ground.cluster.zookeeper().unwrap();
        zookeeper.suspend();
        // Longer than the leases of all sessions.
        sleep(LONG).await;
        zookeeper.resume();
        self.all_work_after("the pause of ZooKeeper").await;
        block_in_place(|| self.ground.cluster.restart_zookeeper(LONG)).unwrap();
        self.all_work_after("the restart of ZooKeeper").await;
    }
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

/// Suspends the worker of Java for longer than its session: in the commit of a tally, with all its
/// locks, unless no try meets one. Others roll that tally back. Its notification is in the table by
/// then, or follows when the worker resumes.
async fn suspend_in_a_commit(ground: &Ground, java: &JavaPeer) {
    let process = java.process().unwrap();
    for _ in 0..TRIES {
        process.suspend();
        let before = ground.locked().await;
        sleep(PAUSE).await;
        let held = &ground.locked().await & &before;
        let cells = [shop::placed(), shop::tallied(), shop::count()];
        if cells.iter().all(|cell| held.iter().any(|it| it.column == *cell)) {
            break;
        }
        process.resume();
    }
    process.suspend();
    sleep(LONG).await;
    process.resume();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_lose_no_order_and_keep_the_sum() {
    let Some(ground) = Ground::start(false).await else { return };
    let (mut crew, client) = ground.initialize(MAX_SLEEP, Build::New).await;
    let mut scene = Scene {
        ground: &ground,
        client: &client,
        crew: &mut crew,
        java: ground.java_worker(),
        is_java_replaced: false,
    };
    for _ in 0..soak() {
        scene.inject_all().await;
    }
    // Accumulo notices after 30 s, and moves the tablets to the other server.
    ground.cluster.kill_tablet_server(0).unwrap();
    scene.all_work_after("the loss of a tablet server").await;
    drop(scene);
    drop(client);
    ground.check(crew).await;
}
