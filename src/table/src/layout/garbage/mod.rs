//! The entries of transactions that a compaction may drop: the rules of Fluo's iterators for
//! compactions.
//!
//! Each rule handles one column. It processes all entries of it that the compaction sees, and
//! returns at the end those that may be dropped. A table drops all of them at once or none:
//! dropping only a part could reveal hidden entries.

mod cell;
#[cfg(test)]
mod history;
#[cfg(test)]
mod tests;

pub use super::notification::notification_garbage;
pub use cell::CellGarbage;
