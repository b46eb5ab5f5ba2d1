//! The engine under faults that are drawn from seeds.

#![cfg(test)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a run prints its trace")]

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
