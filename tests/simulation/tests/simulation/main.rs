#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests"
)]
//! The engine under faults that are drawn from seeds.

mod asked;
mod elle;
mod replay;
mod seeds;
mod world_bugs;

use fluo_simulation::{Report, Simulation};

/// Runs a simulation, and checks its history with the independent checker as well.
fn checked(simulation: Simulation) -> Report {
    let mut report = simulation.run().unwrap();
    let anomalies = elle::anomalies(&report.lists);
    report.violations.extend(anomalies);
    report
}
