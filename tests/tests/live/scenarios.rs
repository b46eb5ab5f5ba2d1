//! The scenarios of transactions hold on a real Accumulo, whose servers evaluate the protocol with Fluo's iterators. The
//! coordination is kept in this process.

use std::sync::Arc;

use fluo_core::TableAdmin;
use fluo_tests::scenarios;

use crate::cluster::tables;

macro_rules! live_scenarios {
    ([] $($module:ident::$scenario:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                let Some(tables) = tables().await else { return };
                let tables: Arc<dyn TableAdmin> = Arc::new(tables);
                scenarios::$scenario(tables).await;
            }
        )*
    };
}

fluo_tests::__for_each_scenario!(live_scenarios);
