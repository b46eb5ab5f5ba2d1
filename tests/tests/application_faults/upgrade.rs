//! Processes of an earlier build and of this one work in one application, which the earlier build
//! has initialized. One after the other is replaced by one of the other build: an upgrade, back,
//! and the upgrade again. Each build requeues the dead letters that the other one has written.
//!
//! `cargo xtask upgrade` builds the earlier commit, and runs this test.

use std::env;

use fluo_tests::until;

use crate::crew::{Build, EACH, OLD_PROGRAM, Role};
use crate::ground::Ground;
use crate::sink::invoiced;

/// The longest pause of workers, in milliseconds. The place of a worker that was stopped is vacant
/// for a third of it, in which the next one joins, also one that takes no place.
const MAX_SLEEP: u64 = 6_000;

/// Number of orders that the clients place after each step.
const ORDERS: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_upgrade_loses_no_order_and_keeps_the_sum() {
    if env::var_os(OLD_PROGRAM).is_none() {
        return;
    }
    let Some(ground) = Ground::start(true).await else { return };
    let (mut crew, client) = ground.initialize(MAX_SLEEP, Build::Old).await;
    crew.wait_for_tallies(&client, ORDERS).await;
    for build in [Build::New, Build::Old, Build::New] {
        ground.access.reject(&client, build.other()).await;
        for replaced in 1..=EACH {
            for role in [Role::Oracle, Role::Worker, Role::Client] {
                crew.replace(role, build);
                crew.wait_for_tallies(&client, ORDERS).await;
            }
            if replaced < EACH {
                crew.interrupt().await;
                let earlier = invoiced(&client).await;
                crew.wait_for_tallies(&client, ORDERS).await;
                until("workers of both builds invoice orders", async || {
                    let mut orders = invoiced(&client).await;
                    orders.retain(|order, _| !earlier.contains_key(order));
                    let is_by = |build: &str| orders.values().any(|by| by.ends_with(build));
                    is_by("old") && is_by("new")
                })
                .await;
            }
        }
        build.run(Role::Operator, &ground.access, 0);
    }
    let leads = crew.leads();
    println!("oracles led in the order{leads}");
    assert!(leads.contains("old new") && leads.contains("new old"), "{leads}");
    ground.check(crew).await;
}
