//! Recipes of transactions on a big sorted table.
//!
//! A recipe is configuration and a key prefix. It never commits, retries, sleeps or reads a clock.
//! `docs/recipes.md` of the repository says which one solves which problem.
//!
//! - [`combine_queue`] and [`export_queue`] are queues in the table of an application, and
//!   [`stored_queue`] shows what waits in them, and their dead letters.
//! - [`sink`] has receivers of exports.
//! - [`codec`] has the ways to write keys and values of an application as bytes.
//! - [`TypedColumn`] and [`TypedRow`] read and write values of a type.
//! - [`recording`] logs the reads and writes of a transaction, and applies its writes to another
//!   table.
//! - [`transient`] compacts the parts of a table whose cells live for a short time. Its repeated
//!   compaction is the only part of this crate that runs by itself, on tokio's timers.
//! - [`table_optimizations()`] reads the split points that an application requests from its
//!   settings.

mod queue;
mod rows;
mod table_optimizations;
mod typed_column;

pub mod codec;
pub mod combine_queue;
pub mod export_queue;
pub mod recording;
pub mod sink;
pub mod stored_queue;
pub mod telemetry;
pub mod transient;
pub mod typed_row;

pub use queue::TypedQueue;
pub use table_optimizations::table_optimizations;
pub use typed_column::TypedColumn;
pub use typed_row::TypedRow;
