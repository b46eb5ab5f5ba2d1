//! The tables of an [`Instance`]: every call goes to its table port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;

use super::Instance;
use crate::data::{Authorizations, Bytes, Span};
use crate::error::{Error, Result};
use crate::table::{Garbage, Table, TableAdmin, Tablets, Versions};

#[async_trait]
impl TableAdmin for Instance {
    async fn tables(&self) -> Result<Vec<String>> {
        self.table_admin().tables().await
    }

    async fn create_table(&self, name: &str, versions: Versions) -> Result<()> {
        self.table_admin().create_table(name, versions).await
    }

    async fn delete_table(&self, name: &str) -> Result<()> {
        self.table_admin().delete_table(name).await
    }

    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>> {
        self.table_admin().open_table(name, authorizations).await
    }

    async fn splits(&self, name: &str) -> Result<Vec<Bytes>> {
        self.table_admin().splits(name).await
    }

    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()> {
        self.table_admin().add_splits(name, splits).await
    }

    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()> {
        self.table_admin().merge(name, start, end).await
    }

    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.table_admin().properties(name).await
    }

    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>> {
        self.table_admin().inherited_properties(name).await
    }

    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()> {
        self.table_admin().set_property(name, property, value).await
    }

    async fn remove_property(&self, name: &str, property: &str) -> Result<()> {
        self.table_admin().remove_property(name, property).await
    }

    async fn change_properties(
        &self,
        name: &str,
        changes: &[(&str, Option<&str>)],
    ) -> Result<(), (usize, Error)> {
        self.table_admin().change_properties(name, changes).await
    }

    async fn flush(&self, name: &str) -> Result<()> {
        self.table_admin().flush(name).await
    }

    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()> {
        self.table_admin().compact(name, span, garbage).await
    }

    async fn tablets(&self, name: &str) -> Result<Tablets> {
        self.table_admin().tablets(name).await
    }

    async fn servers(&self) -> Result<Vec<String>> {
        self.table_admin().servers().await
    }

    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool> {
        self.table_admin().can_load(name, class, as_type).await
    }

    async fn check_transactions(&self) -> Result<()> {
        self.table_admin().check_transactions().await
    }
}
