//! The entry point of a program: [`Instance`].

use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

use crate::client::ApplicationHandle;
use crate::coordination::{Applications, MemoryApplications};
use crate::table::{MemoryTables, TableAdmin};

/// An instance of Fluo: its tables, and its applications. A clone shares both.
///
/// The crate of a store creates it: `fluo_embedded::open(directory)` opens the instance of a
/// directory, and [`in_memory`](Self::in_memory) creates one that disappears with its last handle.
///
/// An instance is a [`TableAdmin`], so every function that takes one accepts an instance.
/// [`application`](Self::application) returns the handle of an application, which creates, opens or
/// removes it.
///
/// # Examples
///
/// ```
/// use fluo_core::{Column, Instance, TableAdmin, Versions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
/// let fluo = Instance::in_memory();
///
/// // Transactions run in an application, which has a table of its own.
/// let client = fluo.application("bank").open_or_create().await?;
/// client.run(async |tx| tx.set("alice", &Column::new("account", "balance"), "100")).await?;
///
/// // Other tables need no application.
/// fluo.create_table("pages", Versions::default()).await?;
/// assert_eq!(fluo.tables().await?, ["bank", "pages"]);
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
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use fluo_core::coordination::MemoryApplications;
    /// use fluo_core::{Instance, MemoryTables};
    ///
    /// let tables = Arc::new(MemoryTables::new());
    /// let fluo = Instance::new(tables, Arc::new(MemoryApplications::new()));
    /// # drop(fluo);
    /// ```
    #[must_use]
    pub fn new(tables: Arc<dyn TableAdmin>, applications: Arc<dyn Applications>) -> Self {
        Self {
            tables,
            applications,
            ids: Arc::new(|| Uuid::new_v4().to_string()),
        }
    }

    /// Creates an empty instance in the memory of this process, for tests and for trying things
    /// out.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_core::{Instance, TableAdmin};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_core::Result<()> {
    /// assert!(Instance::in_memory().tables().await?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(
            Arc::new(MemoryTables::new()),
            Arc::new(MemoryApplications::new()),
        )
    }

    /// Replaces the generator of the ids of new applications. An id distinguishes an application
    /// from an earlier one of the same name, so the generator must never return an id twice. By
    /// default an id is a random UUID (version 4) from the operating system.
    ///
    /// # Examples
    ///
    /// A test that compares the content of a table needs the same id in each run:
    ///
    /// ```
    /// use fluo_core::Instance;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_core::Result<()> {
    /// let fluo = Instance::in_memory().with_ids(|| "8d2fa41c".to_owned());
    /// let client = fluo.application("web").create().await?;
    /// assert_eq!(client.application().id, "8d2fa41c");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_ids(mut self, ids: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// Returns the handle of the application with this name, whether the application exists or not.
    /// Nothing is read or written until one of the handle's calls is awaited.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_core::Instance;
    /// use fluo_core::admin::Status;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_core::Result<()> {
    /// let fluo = Instance::in_memory();
    /// assert_eq!(fluo.application("web").status().await?, Status::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    pub fn application(&self, name: impl Into<String>) -> ApplicationHandle {
        ApplicationHandle::new(self.clone(), name.into())
    }

    /// Returns the port to the tables. The instance implements [`TableAdmin`] itself; this is for
    /// callers that need a shared port.
    #[must_use]
    pub fn table_admin(&self) -> &Arc<dyn TableAdmin> {
        &self.tables
    }

    /// Returns the port to the applications, to list them for example.
    #[must_use]
    pub fn applications(&self) -> &Arc<dyn Applications> {
        &self.applications
    }

    /// Returns the id of an application that is about to be created.
    pub(super) fn new_id(&self) -> String {
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
