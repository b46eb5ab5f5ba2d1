//! The port to the state that the processes of an application share beside its table:
//! [`Applications`], and the [`Coordination`] of each.
//!
//! Both traits are small and object safe, and are held as `Arc<dyn ..>`. Their documentation
//! contains their contract, the rules C1 to C20; a conformance suite checks them one by one on
//! every implementation. [`MemoryApplications`], here, is the reference.
//!
//! ```
//! use std::num::NonZeroU32;
//! use std::sync::Arc;
//!
//! use fluo_table::coordination::{Application, Applications, MemoryApplications};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_table::Result<()> {
//! let applications: Arc<dyn Applications> = Arc::new(MemoryApplications::new());
//! applications.initialize("web", Application::new("8d2fa41c", "web")).await?;
//! let web = applications.open("web").await?;
//!
//! // Timestamps that this process publishes, and later ones, are not collected as garbage.
//! let transactor = web.begin_transactor().await?;
//! let first = web.timestamps(NonZeroU32::MIN).await?.first;
//! transactor.publish_oldest_active(Some(first)).await?;
//! let start = web.timestamps(NonZeroU32::MIN).await?.first;
//! assert!(web.advance_horizon().await? <= start);
//!
//! // A dropped transactor is not alive, and others may roll back its transactions.
//! let id = transactor.id();
//! drop(transactor);
//! assert!(!web.is_alive(id).await?);
//! # Ok(())
//! # }
//! ```

mod application;
mod applications;
mod epochs;
mod error;
mod failed_notification;
mod held_lock;
mod memory;
mod observed_column;
mod pending_commit;
mod port;
mod presence;
mod sessions;
mod share;
mod timeline;
mod timestamps;

pub mod zookeeper_format;

pub use crate::data::TransactorId;
pub use application::{Application, check_settings, shown_setting, shown_settings};
pub use applications::{Applications, check_application_name};
pub use epochs::Epochs;
pub use failed_notification::FailedNotification;
pub use held_lock::{HeldLock, HeldLocks};
pub use memory::MemoryApplications;
pub use observed_column::{ObservedColumn, ObserverKind};
pub use pending_commit::{PendingCommit, PendingCommits};
pub use port::{Coordination, Transactor, WorkerMembership, check_duty};
pub use presence::Presence;
pub use sessions::Sessions;
pub use share::Share;
pub use timeline::Timeline;
pub use timestamps::{ReservedTimestamps, TimestampBlock};
