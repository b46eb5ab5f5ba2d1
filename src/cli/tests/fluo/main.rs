//! The command, run as a program. One test program, because each further one is linked with all of
//! the product.

#![cfg(test)]

mod application;
#[path = "../command/mod.rs"]
mod command;
#[allow(dead_code, reason = "the tests of `accumulo-proxy` use all of it")]
#[path = "../../../accumulo-proxy/tests/wire/fake.rs"]
mod fake;
#[allow(dead_code, unused_imports, reason = "the server needs a part of it")]
#[path = "../../../accumulo-proxy/src/wire/interface/mod.rs"]
mod interface;
#[allow(dead_code, reason = "the tests of `fluo-accumulo` use all of it")]
#[path = "../../../accumulo/tests/scripted/servers.rs"]
mod servers;

use accumulo_proxy as data;
use accumulo_proxy as error;

mod advise;
mod app;
mod app_backup;
mod app_check;
mod app_check_denied;
mod app_compact_transient;
mod app_gc;
mod app_plan_apply_verify;
mod data_transcripts;
mod demo;
mod json;
mod layout;
mod listing;
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
