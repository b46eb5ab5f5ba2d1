//! An application on an embedded table.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::{Client, ClientOptions, InstanceExt, Observers};
use fluo_table::coordination::{Applications, Coordination};
use fluo_table::{Authorizations, Column, Instance, Table, TableAdmin};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

pub(crate) struct Ground {
    pub(crate) tables: Arc<dyn TableAdmin>,
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) client: Client,
}

impl Ground {
    pub(crate) async fn new(directory: &Path) -> Outcome<Self> {
        Self::observed(directory, Observers::new()).await
    }

    pub(crate) async fn observed(directory: &Path, observers: Observers) -> Outcome<Self> {
        let options = EmbeddedOptions::new().create_if_missing(true);
        let tables = EmbeddedTables::open(directory, options)?;
        let applications = tables.applications();
        let tables: Arc<dyn TableAdmin> = Arc::new(tables);
        let fluo = Instance::new(tables.clone(), Arc::new(applications.clone()));
        let application = fluo.application("bench").table("t").observers(&observers);
        application.initialize().await?;
        let table = tables.open_table("t", Authorizations::none()).await?;
        let coordination = applications.open("bench").await?;
        let client =
            Client::open(table.clone(), coordination.clone(), ClientOptions::new()).await?;
        Ok(Self { tables, table, coordination, client: client.with_observers(observers) })
    }
}

pub(crate) fn uri() -> Column {
    Column::new("page", "uri")
}

pub(crate) fn title() -> Column {
    Column::new("page", "title")
}

/// Returns the row of a number, in hash order, so that writes are spread.
pub(crate) fn row(number: u64) -> String {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    format!("p:{hash:05x}:org.example/{number:010}")
}

pub(crate) fn value(number: u64) -> String {
    format!("https://www.example.org/a/path/of/some/length/page-{number:010}.html")
}
