#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests"
)]
//! The engine under faults that are drawn from seeds.

mod asked;
mod elle;
mod planted;
mod plants;
mod replay;
mod seeds;
