//! The admin port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{
    Authorizations, Bytes, Garbage, Result, Span, Table, TableAdmin, Tablets, Versions,
};

use super::RecordingTables;
use super::table::RecordingTable;
use crate::AdminCall;

#[async_trait]
impl TableAdmin for RecordingTables {
    async fn tables(&self) -> Result<Vec<String>> {
        self.inner.tables().await
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        self.record.called(AdminCall::create_table(name, versions));
        self.inner.create_table(name, versions).await
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        self.record.called(AdminCall::delete_table(name));
        self.inner.delete_table(name).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        let inner = self.inner.open_table(name, authorizations).await?;
        let record = self.record.clone();
        Ok(Arc::new(RecordingTable { inner, record }))
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.inner.splits(name).await
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        self.record.called(AdminCall::add_splits(name, splits));
        self.inner.add_splits(name, splits).await
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        self.record.called(AdminCall::merge(name, start, end));
        self.inner.merge(name, start, end).await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.inner.properties(name).await
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.inner.inherited_properties(name).await
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        self.record
            .called(AdminCall::set_property(name, property, value));
        self.inner.set_property(name, property, value).await
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        self.record
            .called(AdminCall::remove_property(name, property));
        self.inner.remove_property(name, property).await
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.inner.flush(name).await
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        self.inner.compact(name, span, garbage).await
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        self.inner.tablets(name).await
    }

    async fn servers(&self) -> Result<Vec<String>> {
        self.inner.servers().await
    }

    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool> {
        self.inner.can_load(name, class, as_type).await
    }

    async fn check_transactions(&self) -> Result<()> {
        self.inner.check_transactions().await
    }
}
