//! An application on a table in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_core::coordination::{
    Application, Applications, Coordination, MemoryApplications, ObservedColumn,
};
use fluo_core::{
    Authorizations, Bytes, Client, ClientSettings, Column, MemoryTables, Snapshot, Table,
    TableAdmin, Versions,
};

/// An application, its table and its coordination.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) applications: MemoryApplications,
}

impl Ground {
    pub(crate) async fn new(observers: Vec<ObservedColumn>) -> Self {
        let tables = MemoryTables::new();
        tables.create_table("bank", Versions::All).await.unwrap();
        let table = tables.open_table("bank", Authorizations::none()).await.unwrap();
        let applications = MemoryApplications::new();
        let application = Application {
            id: "7b5e9a39-0d52-4f1e-8e52-6d6f0cf3c7c1".to_owned(),
            table: "bank".to_owned(),
            observers,
            settings: BTreeMap::new(),
        };
        applications.initialize("bank", application).await.unwrap();
        let coordination = applications.open("bank").await.unwrap();
        Self {
            table,
            coordination,
            applications,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        let settings = ClientSettings::default();
        Client::open(self.table.clone(), self.coordination.clone(), settings)
            .await
            .unwrap()
    }
}

pub(crate) fn balance() -> Column {
    Column::new("account", "balance")
}

pub(crate) fn amount(value: Option<Bytes>) -> i64 {
    value.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse().unwrap())
}

pub(crate) async fn read(snapshot: &Snapshot, row: &'static str) -> i64 {
    amount(snapshot.get(row, &balance()).await.unwrap())
}
