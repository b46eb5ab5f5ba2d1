//! What crosses packages: the conformance suite that every table passes, and wrappers to test with.
//!
//! - [`conformance`] holds an implementation of the ports to their contract, rule by rule. A new table is
//!   done when it passes.
//! - [`conformance_coordination`] does the same for what the processes of an application share beside its table.
//! - [`FaultyTables`] fails at chosen calls, before or after they took effect; [`RecordingTables`] counts and
//!   lists what went through it. Both are tables themselves and pass the suite.
//! - [`FaultyApplications`] does both for coordination: it lists the calls, fails at chosen ones, and is cut off for ever.
//! - [`Page`] runs the commands of a page of the docs, and compares.
//! - [`simulation`] runs the engine under faults, drawn from a seed, and holds what came of it against the rules.
//! - [`ManualClock`] is a clock that a test moves.

mod admin_call;
mod coordination_call;
mod faulty;
mod faulty_coordination;
mod manual_clock;
mod page;
mod recording;
mod soak;
mod unused_name;

pub mod conformance;
pub mod conformance_coordination;
pub mod scenarios;
pub mod simulation;

pub use admin_call::AdminCall;
pub use coordination_call::CoordinationCall;
pub use faulty::{Fault, FaultyTables};
pub use faulty_coordination::FaultyApplications;
pub use manual_clock::ManualClock;
pub use page::Page;
pub use recording::{Counts, RecordingTables};
pub use soak::soak;
