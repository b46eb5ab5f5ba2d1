//! The client of an application, which begins, runs and commits transactions.

pub(crate) mod application_table;
mod binding;
mod collecting;
mod handle;
mod loaders;
mod pending_commit;
mod runner;

pub use application_table::is_set_up;
pub use handle::Client;
pub use loaders::{LoaderOptions, Loaders, PendingLoad};
pub use pending_commit::PendingCommit;
pub use runner::{Attempt, RetryDecision, RetryPolicy, Runner};

pub(crate) use runner::RunError;
