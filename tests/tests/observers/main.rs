//! Observers, workers and loaders, scenario by scenario.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod chain;
mod crashing;
mod crowding;
mod durable;
mod failing;
mod ground;
mod idling;
mod loading;
mod panicking;
mod registering;
mod sharing;
mod table_away;
mod waiting_many;
mod weak;
