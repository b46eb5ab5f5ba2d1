//! The admin port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{
    Authorizations, Bytes, Garbage, Result, Span, Table, TableAdmin, Tablets, Versions,
};

use super::{Call, Fault, Hooks, Intercepted, apply, uncertain};

#[async_trait]
impl<P: TableAdmin + ?Sized + 'static, H: Hooks> TableAdmin for Intercepted<P, H> {
    async fn tables(&self) -> Result<Vec<String>> {
        self.inner.tables().await
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        let effect = self.inner.create_table(name, versions);
        self.call(Call::Admin("create_table"), effect).await
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        let effect = self.inner.delete_table(name);
        self.call(Call::Admin("delete_table"), effect).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        let inner = self.inner.open_table(name, authorizations).await?;
        Ok(Arc::new(self.opened(inner)))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.inner.splits(name).await
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        match self.hooks.before(&Call::Admin("add_splits")).await? {
            Some(Fault::Partial) => {
                let half = splits.iter().step_by(2).cloned().collect();
                self.inner.add_splits(name, &half).await?;
                Err(uncertain())
            }
            fault => apply(fault, self.inner.add_splits(name, splits)).await,
        }
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        let effect = self.inner.merge(name, start, end);
        self.call(Call::Admin("merge"), effect).await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.inner.properties(name).await
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.inner.inherited_properties(name).await
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        let effect = self.inner.set_property(name, property, value);
        self.call(Call::Admin("set_property"), effect).await
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        let effect = self.inner.remove_property(name, property);
        self.call(Call::Admin("remove_property"), effect).await
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.inner.flush(name).await
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        let call = Call::Compact { table: name.to_owned(), span: span.clone(), garbage };
        let effect = self.inner.compact(name, span, garbage);
        self.call(call, effect).await
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        self.inner.tablets(name).await
    }

    async fn servers(&self) -> Result<Vec<String>> {
        self.call(Call::Servers, self.inner.servers()).await
    }

    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool> {
        self.inner.can_load(name, class, as_type).await
    }

    async fn check_transactions(&self, table: Option<&str>) -> Result<()> {
        self.inner.check_transactions(table).await
    }

    async fn class_path(&self, name: &str) -> Result<Option<String>> {
        self.inner.class_path(name).await
    }

    async fn set_class_path(&self, name: &str, jars: Option<&str>) -> Result<()> {
        self.inner.set_class_path(name, jars).await
    }
}
