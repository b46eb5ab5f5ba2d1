//! The port for the applications in the directory. Their stored state is in `application_state`.
//! Their transactors and workers are in memory, because they end with the process that holds the
//! directory.
//!
//! All writes are jobs of the writer thread, which run one after the other. State that must change
//! in one step with a write (the presence of a transactor, whether an application is running) is
//! checked and changed within these jobs.

mod applications;
mod handle;
mod sessions;

use std::sync::Arc;

use crate::tables::{EmbeddedTables, Shared};

/// The applications of one directory: an [`Applications`](fluo_table::coordination::Applications).
/// A clone shares them.
///
/// Transactors and workers are present as long as this process holds them. They, and the handles of
/// applications, hold the directory as [tables](EmbeddedTables) do.
///
/// # Examples
///
/// ```
/// use fluo_table::coordination::{Application, Applications};
/// use fluo_embedded::{EmbeddedTables, EmbeddedOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let create = EmbeddedOptions::new().create_if_missing(true);
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
    /// Returns the applications of the directory.
    pub fn applications(&self) -> EmbeddedApplications {
        EmbeddedApplications { shared: self.shared.clone() }
    }
}
