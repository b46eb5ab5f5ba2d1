//! The entry point of a program: [`Instance`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::coordination::{Applications, MemoryApplications};
use crate::data::{Authorizations, Bytes, Span};
use crate::error::{Error, Result};
use crate::table::{Garbage, MemoryTables, Table, TableAdmin, Tablets, Versions};

/// An instance of Fluo: its tables, and its applications. A clone shares both.
///
/// The crate of a store creates it: `fluo_embedded::open(directory)` opens the instance of a
/// directory, and [`in_memory`](Self::in_memory) creates one that disappears with its last handle.
///
/// An instance is a [`TableAdmin`], so every function that takes one accepts an instance. The crate
/// `fluo` adds the method `application`, which returns the handle of an application to create, open
/// or remove it.
///
/// # Examples
///
/// ```
/// use fluo_table::{Instance, TableAdmin, Versions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let fluo = Instance::in_memory();
/// fluo.create_table("pages", Versions::default()).await?;
/// assert_eq!(fluo.tables().await?, ["pages"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Instance {
    tables: Arc<dyn TableAdmin>,
    applications: Arc<dyn Applications>,
    ids: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Instance {
    /// Creates an instance from its two ports. They must belong together: the tables of the
    /// applications are among the tables.
    #[must_use]
    pub fn new(tables: Arc<dyn TableAdmin>, applications: Arc<dyn Applications>) -> Self {
        Self { tables, applications, ids: Arc::new(|| Uuid::new_v4().to_string()) }
    }

    /// Creates an empty instance in the memory of this process, for tests and for trying things
    /// out.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(Arc::new(MemoryTables::new()), Arc::new(MemoryApplications::new()))
    }

    /// Replaces the generator of the ids of new applications. An id distinguishes an application
    /// from an earlier one of the same name, so the generator must never return an id twice. By
    /// default an id is a random UUID (version 4) from the operating system.
    #[must_use]
    pub fn with_ids(self, ids: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self { ids: Arc::new(ids), ..self }
    }

    /// Returns the port to the tables. The instance implements [`TableAdmin`] itself; this is for
    /// callers that need a shared port.
    pub fn table_admin(&self) -> &Arc<dyn TableAdmin> {
        &self.tables
    }

    /// Checks whether a table exists.
    ///
    /// # Errors
    ///
    /// The same as [`TableAdmin::tables`].
    pub async fn table_exists(&self, name: &str) -> Result<bool> {
        self.tables.table_exists(name).await
    }

    /// Returns the port to the applications, to list them for example.
    pub fn applications(&self) -> &Arc<dyn Applications> {
        &self.applications
    }

    /// Returns the id of an application that is about to be created.
    pub fn new_id(&self) -> String {
        (self.ids)()
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("tables", &self.tables)
            .field("applications", &self.applications)
            .finish_non_exhaustive()
    }
}

/// Implements a port whose methods are those of another one.
macro_rules! forward {
    ($(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        #[async_trait]
        impl TableAdmin for Instance {
            $(
                async fn $method(&self, $($argument: $type),*) -> $output {
                    self.tables.$method($($argument),*).await
                }
            )*
        }
    };
}

forward! {
    fn tables() -> Result<Vec<String>>;
    fn create_table(name: &str, versions: Versions) -> Result<()>;
    fn delete_table(name: &str) -> Result<()>;
    fn open_table(name: &str, authorizations: Authorizations) -> Result<Arc<dyn Table>>;
    fn splits(name: &str) -> Result<Vec<Bytes>>;
    fn add_splits(name: &str, splits: &BTreeSet<Bytes>) -> Result<()>;
    fn merge(name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()>;
    fn properties(name: &str) -> Result<BTreeMap<String, String>>;
    fn inherited_properties(name: &str) -> Result<BTreeMap<String, String>>;
    fn set_property(name: &str, property: &str, value: &str) -> Result<()>;
    fn remove_property(name: &str, property: &str) -> Result<()>;
    fn change_properties(
        name: &str, changes: &[(&str, Option<&str>)]
    ) -> Result<(), (usize, Error)>;
    fn flush(name: &str) -> Result<()>;
    fn compact(name: &str, span: &Span, garbage: Garbage) -> Result<()>;
    fn tablets(name: &str) -> Result<Tablets>;
    fn servers() -> Result<Vec<String>>;
    fn can_load(name: &str, class: &str, as_type: &str) -> Result<bool>;
    fn check_transactions(table: Option<&str>) -> Result<()>;
    fn class_path(name: &str) -> Result<Option<String>>;
    fn set_class_path(name: &str, jars: Option<&str>) -> Result<()>;
}
