//! All tests that need a real Accumulo, in one program, so that one cluster serves all of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod bad_input;
mod budgets;
mod budgets_ground;
mod calls_by_handle;
mod calls_of_tables;
mod calls_of_the_instance;
mod cli;
mod cluster;
mod conditional;
mod conformance;
mod docs;
mod examples;
mod faults_apply_killed;
mod faults_claims;
mod faults_ground;
mod faults_proxy_apply;
mod faults_proxy_load;
mod faults_proxy_scan;
mod faults_proxy_suspended;
mod faults_tablet_server;
mod faults_undo;
mod faults_writers;
mod ground;
mod key_designs;
mod oracle_frames;
mod oracle_ground;
mod oracle_hiccup;
mod oracle_horizon;
mod oracle_takeover;
mod ports;
mod proof_spread;
mod protocols;
mod relay;
mod scan;
mod scenarios;
mod terminator;
mod write;
