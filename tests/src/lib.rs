//! What crosses packages: the conformance suite that every table passes, and wrappers to test with.
//!
//! - [`conformance`] holds an implementation of the ports to their contract, rule by rule. A new table is
//!   done when it passes.
//! - [`FaultyTables`] fails at chosen calls, before or after they took effect; [`RecordingTables`] counts and
//!   lists what went through it. Both are tables themselves and pass the suite.
//! - [`ConsoleCommand`] runs what a page of the docs says, and compares.
//! - [`ManualClock`] is a clock that a test moves.

mod admin_call;
mod console;
mod faulty;
mod manual_clock;
mod recording;
mod soak;

pub mod conformance;

pub use admin_call::AdminCall;
pub use console::ConsoleCommand;
pub use faulty::{Fault, FaultyTables};
pub use manual_clock::ManualClock;
pub use recording::{Counts, RecordingTables};
pub use soak::soak;
