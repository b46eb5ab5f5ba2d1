//! The entry point of a program: [`Fluo`].

use fluo_engine::{ApplicationHandle, InstanceExt};
use fluo_table::{Authorizations, Instance, Result, TableAdmin};

use crate::create_table::CreateTable;
use crate::table_handle::Table;

/// Tables and applications: in memory, in a directory, or of an Accumulo. Cloning is cheap.
///
/// # Examples
///
/// ```
/// use fluo::{Column, Fluo, Mutation};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let uri = Column::new("page", "uri");
/// let pages = Fluo::in_memory().create_table("pages").await?;
/// pages.write([Mutation::new("org.wikipedia").put(&uri, "wikipedia.org")]).await?;
/// let found = pages.get("org.wikipedia", &uri).await?;
/// assert_eq!(found.as_deref(), Some(&b"wikipedia.org"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Fluo {
    instance: Instance,
}

impl Fluo {
    /// Creates an empty instance in memory, for tests and examples.
    #[must_use]
    pub fn in_memory() -> Self {
        Instance::in_memory().into()
    }

    /// Opens a directory with tables and applications, and creates it if it does not exist. One
    /// process at a time can have it open.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_embedded::open`].
    #[cfg(feature = "embedded")]
    pub fn open(directory: impl AsRef<std::path::Path>) -> Result<Self> {
        fluo_embedded::open(directory).map(Self::from)
    }

    /// Connects to an Accumulo through its proxy, and to its ZooKeeper.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_accumulo::connect`].
    #[cfg(feature = "accumulo")]
    pub async fn connect(options: fluo_accumulo::AccumuloOptions) -> Result<Self> {
        fluo_accumulo::connect(options).await.map(Self::from)
    }

    /// Creates a table and opens it, when awaited.
    ///
    /// # Errors
    ///
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists) if there is a table of this name;
    /// [`Invalid`](crate::ErrorKind::Invalid) for a wrong name; and the errors of the table.
    pub fn create_table(&self, name: impl Into<String>) -> CreateTable {
        CreateTable::new(self.instance.clone(), name.into())
    }

    /// Opens a table, without authorizations: only cells without a visibility are visible.
    /// [`open_table`](TableAdmin::open_table) of the [instance](Self::instance) takes others.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) if there is no such table.
    pub async fn table(&self, name: &str) -> Result<Table> {
        self.instance.open_table(name, Authorizations::none()).await.map(Table::from)
    }

    /// Brings the split points and the balancer of a table to the required state, when awaited.
    #[cfg(feature = "keys")]
    pub fn optimize<'a>(
        &'a self,
        table: &'a str,
        optimizations: &'a fluo_keys::TableOptimizations,
    ) -> crate::Optimize<'a> {
        crate::Optimize::new(&self.instance, table, optimizations)
    }

    /// Verifies that a table is as required, and that its rows are even, when awaited. Options are
    /// methods of the returned value.
    ///
    /// # Errors
    ///
    /// Those of [`TableOptimizations::verify`](fluo_keys::TableOptimizations::verify). A difference
    /// is part of the verdict.
    #[cfg(feature = "keys")]
    pub fn verify<'a>(
        &'a self,
        table: &'a str,
        optimizations: &'a fluo_keys::TableOptimizations,
    ) -> fluo_keys::Verifying<'a> {
        optimizations.verify(&self.instance, table)
    }

    /// Returns the handle of the application with this name, whether it exists or not.
    pub fn application(&self, name: impl Into<String>) -> ApplicationHandle {
        self.instance.application(name)
    }

    /// Returns the two ports behind this value, for calls that it does not have.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }
}

impl From<Instance> for Fluo {
    fn from(instance: Instance) -> Self {
        Self { instance }
    }
}
