//! The client of an application, which begins, runs and commits transactions.

mod active;
pub mod admin;
mod application_handle;
mod application_table;
mod backoff;
mod binding;
mod handle;
mod instance;
mod instance_tables;
mod loaders;
mod pipeline;
mod runner;
mod session;
mod settings;
mod shared;
mod sightings;

pub use application_handle::ApplicationHandle;
pub use handle::Client;
pub use instance::Instance;
pub use loaders::{LoaderSettings, Loaders, PendingLoad};
pub use pipeline::PendingCommit;
pub use runner::{Attempt, RetryDecision, RetryPolicy, Runner};
pub use settings::ClientSettings;

pub(crate) use active::ActiveKey;
pub(crate) use backoff::{Backoff, cut};
pub(crate) use runner::RunError;
pub(crate) use shared::{Shared, is_passing};
