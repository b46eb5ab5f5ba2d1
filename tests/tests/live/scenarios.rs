//! The scenarios of transactions hold on a real Accumulo, whose servers evaluate the protocol with
//! Fluo's iterators. Each scenario has its own embedded coordination in a directory.

use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::Instance;
use fluo_tests::scenarios;

use crate::cluster::tables;

macro_rules! live_scenarios {
    ([] $($module:ident::$scenario:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                let Some(tables) = tables().await else { return };
                let directory = tempfile::tempdir().unwrap();
                let settings = EmbeddedOptions::new().create_if_missing(true);
                let embedded = EmbeddedTables::open(directory.path(), settings).unwrap();
                let instance = Instance::new(Arc::new(tables), Arc::new(embedded.applications()));
                scenarios::$scenario(instance).await;
            }
        )*
    };
}

fluo_tests::__for_each_scenario!(live_scenarios);
