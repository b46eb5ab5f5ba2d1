//! The command, run as a program. One test program, because each further one is linked with all of
//! the product.

#![cfg(test)]

mod application;
#[path = "../command/mod.rs"]
mod command;

mod advise;
mod app;
mod app_backup;
mod app_check;
mod app_compact_transient;
mod app_gc;
mod app_plan_apply_verify;
mod data;
mod demo;
mod json;
mod layout;
mod log;
mod monitor;
mod oracle_port;
mod pipes;
mod queue;
mod scan;
mod secure_zookeeper;
mod shell;
mod table_authorizations;
mod table_life;
mod table_load;
mod table_login;
mod table_migrate;
mod table_watch;
mod terminal;
mod wait;
