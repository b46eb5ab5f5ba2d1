//! Observers, which are code that runs when data has changed, and the workers that run them.
//!
//! A transaction that sets an observed cell writes a notification into the cell's row. A [`Worker`]
//! finds notifications, and runs the observer of the column in a new transaction, whose commit
//! deletes the notification. The writes of an observer may be observed in turn.
//!
//! - **O1.** A notification is deleted only by the commit of a transaction that it started and that
//!   began after it, after another transaction has acknowledged it, or after it was recorded in the
//!   dead letters. So a crash of the process that runs it loses no notification.
//! - **O2.** The notifications that a worker caches are a copy of the table's, bounded in number
//!   and in bytes. The worker may discard them at any time: the next scan finds them again.
//! - **O3.** A worker runs one cell in one task at a time. Several workers share the cells by their
//!   hash. Two workers may still run the same cell, while one has an outdated share. Then a strong
//!   observer commits once, and a weak one may run twice.
//! - **O4.** A notification that fails waits separately, and takes no room from the others.

mod capacity;
mod collector;
mod dead_letter_cache;
mod dead_letters;
mod membership;
mod monitor;
mod observers;
mod options;
mod port;
mod process;
mod queue;
mod scanner;
mod wait_until_idle;
mod worker;

pub use monitor::WorkerMonitor;
pub use observers::Observers;
pub use options::WorkerOptions;
pub use port::{Observer, ObserverError, RetryAfter, observer_fn};
pub use scanner::notifications;
pub use worker::Worker;

pub(crate) use port::DeclaredObserver;
