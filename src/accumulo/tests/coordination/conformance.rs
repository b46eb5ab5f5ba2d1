//! The conformance suite of coordination, as on a real ZooKeeper.

use std::sync::Arc;

use fluo_tests::conformance_coordination;

use crate::ground::Ground;
use crate::oracles::WithOracles;

/// The rules that do not hold, as on a real ZooKeeper.
const EXCEPTIONS: [&str; 6] = [
    "c1_a_block_has_the_requested_size",
    "c4_the_horizon_advances_to_the_next_timestamp",
    "c4_the_oldest_published_timestamp_holds_the_horizon",
    "c4_the_horizon_never_goes_back",
    "c5_a_dropped_transactor_does_not_hold_the_horizon",
    "c11_a_removed_application_leaves_nothing_behind",
];

macro_rules! rules {
    ([] $($module:ident::$rule:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                check(stringify!($rule)).await;
            }
        )*
    };
}

fluo_tests::__for_each_coordination_rule!(rules);

async fn check(name: &'static str) {
    let ground = Ground::new().await;
    let process = ground.process().await;
    let zookeepers = format!("{}/fluo", process.link.address());
    let applications = WithOracles::new(process.applications.clone(), zookeepers);
    let rule = conformance_coordination::rule(name);
    let checked = tokio::spawn(rule.run(Arc::new(applications))).await;
    match EXCEPTIONS.contains(&name) {
        false => checked.unwrap(),
        true => assert!(checked.is_err(), "{name} holds now; remove it from the list"),
    }
}
