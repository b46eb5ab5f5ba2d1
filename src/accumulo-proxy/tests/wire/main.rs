//! The client against a scripted server, with all failures of networks and proxies.
#![cfg(test)]

mod exchanges;
mod fake;
use fake::raw;
#[allow(dead_code, unused_imports, reason = "the server needs a part of it")]
#[path = "../../src/wire/interface/mod.rs"]
mod interface;

use accumulo_proxy as data;
use accumulo_proxy as error;

mod answers_reach_their_own_call;
mod batch_writes;
mod connections_are_bounded;
mod credentials;
mod cursors_are_closed;
mod damage;
mod damaged;
mod denied_writes;
mod errors_say_where;
mod frames;
mod handles;
mod hostile;
mod interface_is_the_service;
mod limits_hold;
mod requests;
mod results_that_lack;
mod retries;
mod rows;
mod rows_are_gathered;
mod scans_resume;
mod secrets_are_not_traced;
mod several_proxies;
mod strangers;
#[cfg(feature = "tls")]
mod tls;
mod writes_are_cut;
