//! The conformance suite of coordination, as on a real ZooKeeper.

use std::sync::Arc;

use crate::ground::Ground;
use crate::oracles::{self, WithOracles};

macro_rules! rules {
    ([] $($module:ident::$rule:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let ground = Ground::new().await;
                let process = ground.process().await;
                let zookeepers = format!("{}/fluo", process.link.address());
                let applications = WithOracles::new(process.applications.clone(), zookeepers);
                oracles::check(stringify!($rule), Arc::new(applications)).await;
            }
        )*
    };
}

fluo_tests::__for_each_coordination_rule!(rules);
