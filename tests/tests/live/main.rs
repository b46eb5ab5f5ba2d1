//! All tests that need a real Accumulo, in one program, so that one cluster serves all of them.

#![cfg(test)]

mod bad_input;
mod budgets;
mod budgets_ground;
mod budgets_monitor;
mod calls_by_handle;
mod calls_of_tables;
mod calls_of_the_instance;
mod cli;
mod cluster;
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
mod ports;
mod proof_spread;
mod protocols;
mod relay;
mod scan;
mod scenarios;
mod terminator;
mod writes;
