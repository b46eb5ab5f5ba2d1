//! The client of an application, which begins, runs and commits transactions.

mod active_timestamps;
pub mod admin;
mod application_handle;
mod application_table;
mod backoff;
mod binding;
mod context;
mod handle;
mod instance_ext;
mod loaders;
mod lock_wait;
mod options;
mod pending_commit;
mod runner;
mod session;

pub use application_handle::ApplicationHandle;
pub use handle::Client;
pub use instance_ext::InstanceExt;
pub use loaders::{LoaderOptions, Loaders, PendingLoad};
pub use options::ClientOptions;
pub use pending_commit::PendingCommit;
pub use runner::{Attempt, RetryDecision, RetryPolicy, Runner};

pub(crate) use active_timestamps::ActiveKey;
pub(crate) use backoff::{Backoff, Pauses, cut};
pub(crate) use context::{Shared, is_passing};
pub(crate) use runner::RunError;
