//! The part of the state of a live table that optimizations concern.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{Bytes, Result, TableAdmin};

use super::balancer::PROPERTIES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableState {
    pub(super) splits: BTreeSet<Bytes>,
    pub(super) properties: BTreeMap<String, String>,
}

impl TableState {
    pub(super) async fn read(admin: &dyn TableAdmin, table: &str) -> Result<Self> {
        let splits = admin.splits(table).await?.into_iter().collect();
        let mut properties = admin.properties(table).await?;
        properties.retain(|name, _| PROPERTIES.contains(&name.as_str()));
        Ok(Self { splits, properties })
    }
}
