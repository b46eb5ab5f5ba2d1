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
