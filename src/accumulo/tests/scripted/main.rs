//! The ports on a scripted proxy, which answers like real proxies of Accumulo 1.10 and 2.1.
#![cfg(test)]

#[allow(dead_code, reason = "the tests of `accumulo-proxy` use all of it")]
#[path = "../../../accumulo-proxy/tests/wire/fake.rs"]
mod fake;
#[allow(dead_code, unused_imports, reason = "the server needs a part of it")]
#[path = "../../../accumulo-proxy/src/wire/interface/mod.rs"]
mod interface;

use accumulo_proxy as data;
use accumulo_proxy as error;

mod class_paths;
mod compactions;
mod instances;
mod iterators;
mod permissions;
mod properties;
mod reading_only;
mod scans;
mod servers;
mod writes;
