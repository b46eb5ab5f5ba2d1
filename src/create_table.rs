//! The call that creates a table.

use std::pin::Pin;

use fluo_table::{Authorizations, Instance, Result, TableAdmin, Versions};

use crate::table_handle::Table;

/// A call of [`Fluo::create_table`](crate::Fluo::create_table): its options, and the call itself
/// when it is awaited.
#[derive(Clone, Debug)]
#[must_use = "a table is created when this is awaited"]
pub struct CreateTable {
    instance: Instance,
    name: String,
    versions: Versions,
    authorizations: Authorizations,
}

impl CreateTable {
    pub(crate) fn new(instance: Instance, name: String) -> Self {
        Self {
            instance,
            name,
            versions: Versions::default(),
            authorizations: Authorizations::none(),
        }
    }

    /// Sets the versions of a cell that the table keeps. Default: the newest one.
    pub fn versions(self, versions: Versions) -> Self {
        Self { versions, ..self }
    }

    /// Sets the authorizations of the opened table. Default: none.
    pub fn authorizations(self, authorizations: Authorizations) -> Self {
        Self { authorizations, ..self }
    }
}

impl IntoFuture for CreateTable {
    type Output = Result<Table>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (tables, name) = (self.instance, self.name);
            tables.create_table(&name, self.versions).await?;
            tables.open_table(&name, self.authorizations).await.map(Table::from)
        })
    }
}
