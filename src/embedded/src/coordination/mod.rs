//! Applications in the directory: their configuration, timestamps and failed notifications in the file, their transactors
//! and workers in memory, for they end with the process that holds the directory.
//!
//! Everything that writes is a job of the writer's thread. The jobs are one after the other, and what must be one step
//! with a write (that a transactor is present, that an application is running) is looked at and changed within them.

mod application;
mod applications;
mod check;
mod nodes;
mod of_application;
mod presence;
mod registry;
mod set_aside;
mod stamps;

use std::sync::Arc;

pub(crate) use check::check;
pub(crate) use registry::Registry;

use crate::tables::{EmbeddedTables, Shared};

/// The applications of one directory: an [`Applications`](fluo_core::coordination::Applications). A clone shares them.
///
/// Transactors and workers are present as long as they are held by this process. They, and the handles on applications,
/// hold the directory as [tables](EmbeddedTables) do.
///
/// ```
/// use fluo_core::coordination::{Application, Applications};
/// use fluo_embedded::{EmbeddedTables, Settings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let create = Settings { create_if_missing: true, ..Settings::default() };
/// let tables = EmbeddedTables::open(directory.path(), create)?;
/// let applications = tables.applications();
/// applications.initialize("web", Application::new("8d2fa41c", "web")).await?;
///
/// let web = applications.open("web").await?;
/// assert_eq!(web.timestamps(std::num::NonZeroU32::MIN).await?.first.get(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct EmbeddedApplications {
    shared: Arc<Shared>,
}

impl EmbeddedTables {
    /// The applications of the directory.
    pub fn applications(&self) -> EmbeddedApplications {
        EmbeddedApplications {
            shared: self.shared.clone(),
        }
    }
}
