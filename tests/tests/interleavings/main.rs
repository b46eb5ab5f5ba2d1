//! Two and three small transactions, in every order of their calls: the classic anomalies.
//!
//! A scheduler holds every call of the table and every timestamp until it releases it. It tries
//! orders depth first: all orders, one of each group with the same results, or those with a few
//! preemptions. A preemption is a step of another transaction while the previous one could
//! continue. Transactions of one client, whose reads travel together, count as one.

#![cfg(test)]
#![allow(clippy::print_stdout, reason = "a test prints the number of its schedules")]

mod anomalies;
mod call;
mod explorer;
mod gate;
mod gated;
mod gathered_reads;
mod late_rollback;
mod scene;
