//! A real ZooKeeper with TLS and SASL, with the settings of the page on operating: clients with the
//! right certificate and password, the error of each other one, and access lists.

#![cfg(test)]

#[allow(dead_code, reason = "the tests of `accumulo-proxy` use all of it")]
#[path = "../../../accumulo-proxy/tests/wire/fake.rs"]
mod fake;
#[allow(dead_code, unused_imports, reason = "the server needs a part of it")]
#[path = "../../../accumulo-proxy/src/wire/interface/mod.rs"]
mod interface;

use accumulo_proxy as data;
use accumulo_proxy as error;

mod applications;
mod files;
mod ground;
mod recipe;
mod rejected;
mod secret;
