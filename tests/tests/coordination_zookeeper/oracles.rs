//! Applications with an oracle for each that this process initializes, and the rules of
//! coordination for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_accumulo::{Oracle, OracleOptions};
use fluo_table::Result;
use fluo_table::coordination::{Application, Applications, Coordination, HeldLock};
use fluo_tests::conformance_coordination;
use tokio::sync::Mutex;

/// The rules that do not hold: a request for more than 16,777,216 timestamps is rejected, and only
/// the leading oracle advances the horizon, in intervals and not on request.
const EXCEPTIONS: [&str; 6] = [
    "c1_a_block_has_the_requested_size",
    "c4_the_horizon_advances_to_the_next_timestamp",
    "c4_the_oldest_published_timestamp_holds_the_horizon",
    "c4_the_horizon_never_goes_back",
    "c5_a_dropped_transactor_does_not_hold_the_horizon",
    "c11_a_removed_application_leaves_nothing_behind",
];

/// Checks that a rule holds, or that it is still an exception.
pub(crate) async fn check(name: &'static str, applications: Arc<dyn Applications>) {
    let rule = conformance_coordination::rule(name);
    let checked = tokio::spawn(rule.run(applications)).await;
    match EXCEPTIONS.contains(&name) {
        false => checked.unwrap(),
        true => assert!(checked.is_err(), "{name} holds now; remove it from the list"),
    }
}

/// Applications that have an oracle from their initialization to their removal.
#[derive(Debug)]
pub(crate) struct WithOracles {
    applications: Arc<dyn Applications>,
    zookeepers: String,
    oracles: Mutex<BTreeMap<String, Oracle>>,
}

impl WithOracles {
    pub(crate) fn new(applications: Arc<dyn Applications>, zookeepers: String) -> Self {
        Self { applications, zookeepers, oracles: Mutex::default() }
    }
}

#[async_trait]
impl Applications for WithOracles {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        self.applications.initialize(name, application).await?;
        let options = OracleOptions::new(&self.zookeepers, name)?.host("localhost");
        let mut oracle = Oracle::start(options).await?;
        oracle.wait_for_lead().await?;
        self.oracles.lock().await.insert(name.to_owned(), oracle);
        Ok(())
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        self.applications.open(name).await
    }

    async fn list(&self) -> Result<Vec<String>> {
        self.applications.list().await
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        self.applications.is_running(name).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        self.applications.lock_setup(name, table).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        self.applications.remove(name).await?;
        let oracle = self.oracles.lock().await.remove(name);
        if let Some(oracle) = oracle {
            oracle.stop().await;
        }
        Ok(())
    }
}
