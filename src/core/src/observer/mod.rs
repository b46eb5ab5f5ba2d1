//! Observers: code that runs when data has changed, and the workers that run it.
//!
//! A transaction that sets an observed cell leaves a notification in the cell's row. A [`Worker`] looks for
//! notifications, and runs the observer of the column in a transaction of its own, whose commit takes the notification
//! back. What an observer writes may be observed in turn.
//!
//! - **O1.** A notification goes only with the commit of a transaction that it started and that began after it, when
//!   another one has acknowledged it, or after it was recorded among those that are set aside. So none is lost with the
//!   process that deals with it.
//! - **O2.** What a worker knows of notifications is a copy of what the table says, bounded in number and in bytes. It may
//!   be forgotten at any time: the table is looked at again.
//! - **O3.** A worker runs one cell in one task at a time. Several workers share the cells by their hash. Where two run
//!   the same cell all the same, because one has not heard of the other yet, a strong observer commits once; a weak one
//!   may run twice.
//! - **O4.** A notification that fails waits by itself, and takes no room from the others.

mod caught;
mod collector;
mod failures;
mod function;
mod idle;
mod listeners;
mod membership;
mod observers;
mod port;
mod process;
mod queue;
mod records;
mod room;
mod scanner;
mod set_aside;
mod settings;
mod worker;

pub use function::{ObserverFn, observer_fn};
pub use observers::Observers;
pub use port::{Observer, ObserverError};
pub use settings::WorkerSettings;
pub use worker::Worker;

pub(crate) use caught::caught;
pub(crate) use collector::Collections;
pub(crate) use listeners::Listeners;
pub(crate) use observers::check_named;
