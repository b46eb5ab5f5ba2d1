//! Shared test code of all packages: conformance suites, and wrappers that inject faults.
//!
//! - [`conformance`] checks an implementation of the ports against its contract, rule by rule. A
//!   new table is done when it passes.
//! - [`conformance_coordination`] does the same for the state that the processes of an application
//!   share beside its table.
//! - [`scenarios`] checks the guarantees of transactions one by one, on every table.
//! - [`shop`] is an application whose data shows lost and repeated work.
//! - [`Intercepted`] wraps any port, with hooks before and after its calls. Each wrapper of these
//!   tests is one of it, and passes the suite.
//! - [`FaultyTables`] counts calls, and fails at chosen ones, before or after they take effect.
//! - [`FaultyApplications`] does both for coordination. It can also lose the connection
//!   permanently.
//! - [`EndingApplications`] can end the session of a live client.
//! - [`Fixture`] is an application with its table, on which a test opens clients and workers.
//! - [`Latch`] holds calls until a test opens it.
//! - [`Page`] runs the commands of a documentation page and compares their output with the page.
//! - [`ManualClock`] is a clock that a test sets.
//! - [`Written`] is output that a test reads.
//! - [`unused_name()`] names a table or an application for one test.
//! - [`until()`] waits for a condition.
//! - [`while_changing`] waits for an event, and fails only if nothing changes for minutes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a check that fails must panic: that is how a test fails"
)]

mod deferred;
mod ending;
mod faults;
mod fixture;
mod intercepted;
mod latch;
mod manual_clock;
mod page;
mod progress;
mod rule;
mod shell;
mod soak;
mod unused_name;
mod written;

pub mod conformance;
pub mod conformance_coordination;
pub mod scenarios;
pub mod shop;

#[doc(hidden)]
pub use deferred::checked;
pub use ending::EndingApplications;
pub use faults::{Faults, FaultyApplications, FaultyTable, FaultyTables};
pub use fixture::{Fixture, locked};
pub use intercepted::{Call, CoordinationCall, Fault, Hooks, Intercepted};
pub use latch::Latch;
pub use manual_clock::ManualClock;
pub use page::Page;
pub use progress::{STUCK, comes_true, until, while_changing};
pub use soak::soak;
pub use unused_name::unused_name;
pub use written::Written;
