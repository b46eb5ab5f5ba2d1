//! The arguments and results of calls.

mod activity;
mod conditional_outcome;
mod conditional_writer_options;
mod iterator;
mod key;
mod mutation;
mod permission;
mod range;
mod scan_options;

pub use activity::*;
pub use bytes::Bytes;
pub use conditional_outcome::ConditionalOutcome;
pub use conditional_writer_options::ConditionalWriterOptions;
pub use iterator::*;
pub use key::*;
pub use mutation::*;
pub use permission::*;
pub use range::*;
pub use scan_options::*;
