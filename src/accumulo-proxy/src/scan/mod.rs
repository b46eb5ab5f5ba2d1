//! Scanners: entries of a table, batch by batch, as streams.
//!
//! ```text
//! Scanner   the streams for the consumer                 scanner.rs
//! Reader    a task: reads, resumes after a break         reader.rs
//! lookup    the entries of small ranges, as a whole      lookup.rs
//! Cursor    the handle on the proxy: open, next, close   cursor.rs
//! Pace      the number of entries of the next request    batch_size.rs
//! ```
//!
//! # Rules
//!
//! - A cursor that was opened is closed, however the stream ends: the opening runs in its own task,
//!   which closes the cursor if the consumer is no longer waiting.
//! - A cursor is closed as soon as its last batch arrives, even if the consumer has not read that
//!   far.
//! - At most one batch waits for the consumer. Reading ahead starts when the consumer asks for a
//!   second batch: a scan of one row makes no unnecessary call.
//! - The end of a scan is explicit. If the task ends without it, the scan fails.

mod batch_size;
mod cursor;
mod lookup;
mod ranges;
mod reader;
mod scanner;

pub use scanner::{BatchScanner, Scanner};
