//! The applications of an instance: [`InstanceExt`].

use fluo_table::Instance;

use crate::application::ApplicationHandle;

/// The calls of an [`Instance`] that need transactions.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Instance, InstanceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let fluo = Instance::in_memory();
/// let client = fluo.application("bank").open_or_create().await?;
/// client.run(async |tx| tx.set("alice", &Column::new("account", "balance"), "100")).await?;
/// # Ok(())
/// # }
/// ```
pub trait InstanceExt {
    /// Returns the handle of the application with this name, whether the application exists or not.
    /// Nothing is read or written until one of the handle's calls is awaited.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_engine::{Instance, InstanceExt, Status};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// let fluo = Instance::in_memory();
    /// assert_eq!(fluo.application("web").status().await?, Status::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    fn application(&self, name: impl Into<String>) -> ApplicationHandle;
}

impl InstanceExt for Instance {
    fn application(&self, name: impl Into<String>) -> ApplicationHandle {
        ApplicationHandle::new(self.clone(), name.into())
    }
}
