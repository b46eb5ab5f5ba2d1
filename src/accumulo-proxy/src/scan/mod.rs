//! Scanners: entries of a table, batch by batch, as streams.
//!
//! ```text
//! Scanner, BatchScanner   what a consumer polls                        scanner.rs, batch_scanner.rs
//! Batches, Sink           from the task to the consumer                batches.rs
//! Reader                  a task: reads, goes on after a break         reader.rs
//! Cursor                  the handle on the proxy: open, next, close   cursor.rs
//! Pace                    how many entries to ask for                  pace.rs
//! ```
//!
//! # Rules
//! - A cursor that was opened is closed, however the stream ends: the opening runs in a task of its own, which
//!   closes what nobody waits for any more.
//! - It is closed as soon as its last batch came, not when the consumer has come as far.
//! - At most one batch waits that the consumer has not taken. Nothing is read ahead before it asked for a second one:
//!   whoever reads a row makes no call in vain.
//! - The end of a scan is said. A task that is gone without a word is an error, never an end.
//! - A reply stays far below the setting `max_reply_bytes`, as far as entries are like those before. An unordered
//!   scan, which cannot go on after a reply that was too long, relies on less.

mod batch_scanner;
mod batches;
mod bounds;
mod cursor;
mod options;
mod pace;
mod reader;
mod scanner;

pub use batch_scanner::BatchScanner;
pub use options::{BatchScanOptions, ScanOptions};
pub use scanner::Scanner;
