//! The applications in the ZooKeeper of a real Accumulo pass the conformance suite of coordination,
//! except for the rules in [`WITHOUT_TIMESTAMPS`].

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

use std::sync::Arc;

use fluo_accumulo::{AccumuloOptions, Credentials, ProxyOptions};
use fluo_cluster::Cluster;
use fluo_table::coordination::Applications;
use fluo_tests::conformance_coordination;

/// The rules whose checks request timestamps. Clients do not use an oracle yet, so they get none.
const WITHOUT_TIMESTAMPS: [&str; 15] = [
    "c1_the_first_timestamp_is_two",
    "c1_a_block_has_the_requested_size",
    "c1_timestamps_are_handed_out_once",
    "c2_later_calls_get_later_timestamps",
    "c3_the_horizon_begins_at_zero_and_is_in_the_blocks",
    "c4_the_horizon_advances_to_the_next_timestamp",
    "c4_the_oldest_published_timestamp_holds_the_horizon",
    "c4_the_horizon_never_goes_back",
    "c5_a_dropped_transactor_does_not_hold_the_horizon",
    "c5_the_horizon_does_not_pass_a_published_timestamp",
    "c10_initialising_twice_changes_nothing",
    "c10_applications_are_isolated",
    "c11_a_removed_application_leaves_nothing_behind",
    "c11_a_handle_fails_after_its_application_is_removed",
    "c11_a_running_application_is_not_removed",
];

fn options(cluster: &Cluster) -> AccumuloOptions {
    let credentials = match cluster.secret() {
        Some(secret) => Credentials::shared_secret(secret),
        None => Credentials::password(cluster.user(), cluster.password()),
    };
    let proxy = ProxyOptions::new(cluster.proxy().unwrap().address(), credentials);
    let zookeepers = format!("{}/conformance", cluster.site().zookeepers);
    AccumuloOptions::new(proxy, zookeepers).instance_name(&cluster.site().instance)
}

/// Returns the applications of the cluster, or `None` if live tests are not wanted.
async fn applications() -> Option<Arc<dyn Applications>> {
    if !fluo_cluster::wanted() {
        return None;
    }
    let cluster = Cluster::shared().unwrap();
    let fluo = fluo_accumulo::connect(options(cluster)).await.unwrap();
    Some(fluo.applications().clone())
}

macro_rules! live_rules {
    ([] $($module:ident::$rule:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                check(stringify!($rule)).await;
            }
        )*
    };
}

fluo_tests::__for_each_coordination_rule!(live_rules);

async fn check(name: &'static str) {
    let Some(applications) = applications().await else {
        return;
    };
    let rule = conformance_coordination::rule(name);
    let checked = tokio::spawn(rule.run(applications)).await;
    match WITHOUT_TIMESTAMPS.contains(&name) {
        false => checked.unwrap(),
        true => assert!(
            checked.is_err(),
            "{name} holds now; remove it from the list"
        ),
    }
}
