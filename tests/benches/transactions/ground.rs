//! An application on an embedded table.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use fluo_core::coordination::{Application, Applications, Coordination};
use fluo_core::{Authorizations, Client, ClientSettings, Column, Table, TableAdmin, Versions};
use fluo_embedded::{EmbeddedTables, Settings};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

pub(crate) struct Ground {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) client: Client,
}

impl Ground {
    pub(crate) async fn new(directory: &Path) -> Outcome<Self> {
        let settings = Settings {
            create_if_missing: true,
            ..Settings::default()
        };
        let tables = EmbeddedTables::open(directory, settings)?;
        tables.create_table("t", Versions::All).await?;
        let table = tables.open_table("t", Authorizations::none()).await?;
        let applications = tables.applications();
        let application = Application {
            id: "1f6c5a0e-4a62-4a1c-9a2e-0d5d6b6f2a11".to_owned(),
            table: "t".to_owned(),
            observers: Vec::new(),
            settings: Default::default(),
        };
        applications.initialize("bench", application).await?;
        let coordination = applications.open("bench").await?;
        let client = Client::open(
            table.clone(),
            coordination.clone(),
            ClientSettings::default(),
        )
        .await?;
        Ok(Self {
            table,
            coordination,
            client,
        })
    }
}

pub(crate) fn uri() -> Column {
    Column::new("page", "uri")
}

pub(crate) fn title() -> Column {
    Column::new("page", "title")
}

/// The row of a number: in hash order, so that writes go everywhere.
pub(crate) fn row(number: u64) -> String {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    format!("p:{hash:05x}:org.example/{number:010}")
}

pub(crate) fn value(number: u64) -> String {
    format!("https://www.example.org/a/path/of/some/length/page-{number:010}.html")
}
