//! The state of a client that its transactions, runners and workers share.

mod active_timestamps;
mod background;
mod backoff;
mod commit_listeners;
mod liveness;
mod lock_wait;
mod options;
mod point_reads;
mod shared;
mod start;
mod turns;

pub use options::ClientOptions;

pub(crate) use active_timestamps::ActiveTimestamps;
pub(crate) use background::{Background, BackgroundCommit};
pub(crate) use backoff::{Backoff, Pauses, cut};
pub(crate) use commit_listeners::{CommitListener, CommitListeners};
pub(crate) use liveness::Liveness;
pub(crate) use point_reads::{CELLS_PER_READ, PointReads};
pub(crate) use shared::{Shared, no_answer};
pub(crate) use start::Start;
pub(crate) use turns::{Turn, Turns};
