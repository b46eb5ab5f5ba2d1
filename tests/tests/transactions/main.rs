#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
//! Transactions, scenario by scenario, on the tables that evaluate the protocol themselves.

mod bank;
mod ground;
