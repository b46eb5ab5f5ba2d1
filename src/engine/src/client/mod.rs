//! The client of an application, which begins, runs and commits transactions.

mod attached_iterators;
mod collecting;
mod commit_in_background;
mod handle;
mod loaders;
mod runner;

pub use handle::Client;
pub use loaders::{LoaderOptions, Loaders};
pub use runner::{Attempt, RetryDecision, RetryPolicy, Runner};

pub(crate) use attached_iterators::{detach_iterators, iterator_removals};
pub(crate) use runner::RunError;
