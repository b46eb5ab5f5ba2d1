//! The tables of a real Accumulo pass the same conformance suite as every other table, rule by
//! rule.

use std::sync::Arc;

use fluo_table::TableAdmin;
use fluo_tests::conformance;

use crate::cluster::tables;

macro_rules! live_rules {
    ([] $($module:ident::$rule:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let Some(tables) = tables().await else { return };
                let tables: Arc<dyn TableAdmin> = Arc::new(tables);
                conformance::rule(stringify!($rule)).run(tables).await;
            }
        )*
    };
}

fluo_tests::__for_each_rule!(live_rules);
