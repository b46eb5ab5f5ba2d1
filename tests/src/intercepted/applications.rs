//! The port to all applications.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::Result;
use fluo_table::coordination::{Application, Applications, Coordination, HeldLock};

use super::{CoordinationCall, Hooks, Intercepted};

#[async_trait]
impl<P: Applications + ?Sized + 'static, H: Hooks> Applications for Intercepted<P, H> {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        let work = self.inner.initialize(name, application);
        self.call("initialize", work).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        let inner = self.call("open", self.inner.open(name)).await?;
        let hooks = self.hooks.clone().of_application(name);
        Ok(Arc::new(Intercepted { hooks, ..self.opened(inner) }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        self.call("list", self.inner.list()).await
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        self.call("is_running", self.inner.is_running(name)).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let call = CoordinationCall::Claim(name.to_owned(), table.to_owned());
        let work = self.inner.lock_setup(name, table);
        self.call(call, work).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        self.call("remove", self.inner.remove(name)).await
    }
}
