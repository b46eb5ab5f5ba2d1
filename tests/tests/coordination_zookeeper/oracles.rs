//! Applications with an oracle for each that this process initializes.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_accumulo::{Oracle, OracleOptions};
use fluo_table::Result;
use fluo_table::coordination::{Application, Applications, Coordination, HeldLock};
use tokio::sync::Mutex;

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
