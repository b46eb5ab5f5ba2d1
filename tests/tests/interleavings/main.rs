#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]
//! Two and three small transactions, in every order of their calls: the classic anomalies.
//!
//! Every call of the table, and every timestamp, is held until a scheduler lets it go. The scheduler tries all orders, depth
//! first: each of them, or one of those that come to the same, or those with a few preemptions. A preemption is a step of
//! another transaction while the one before could go on.

mod anomalies;
mod call;
mod explorer;
mod gate;
mod gated;
mod late_rollback;
mod scene;
