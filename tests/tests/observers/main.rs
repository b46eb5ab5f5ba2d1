//! Observers, workers and loaders, scenario by scenario.

#![cfg(test)]

mod chain;
mod crashing;
mod crowding;
mod failing;
mod idling;
mod loading;
mod panicking;
mod registering;
mod sharing;
mod table_away;
mod weak;

/// Returns `true` for a scan for notifications.
fn is_look(call: &fluo_tests::Call) -> bool {
    matches!(call, fluo_tests::Call::Scan(scan) if scan.columns.iter().any(|column| column.family == "ntfy"))
}
