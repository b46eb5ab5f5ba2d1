//! Applications on a ZooKeeper in memory, which is disturbed, and on a scripted proxy.
#![cfg(test)]

#[allow(dead_code, reason = "the tests of `accumulo-proxy` use all of it")]
#[path = "../../../accumulo-proxy/tests/wire/fake.rs"]
mod fake;
#[allow(dead_code, unused_imports, reason = "the server needs a part of it")]
#[path = "../../../accumulo-proxy/src/wire/interface/mod.rs"]
mod interface;
#[path = "../../../../tests/tests/coordination_zookeeper/oracles.rs"]
mod oracles;

use accumulo_proxy as data;
use accumulo_proxy as error;

mod backups;
mod conformance;
mod dead_letters;
mod formats;
mod ground;
mod hand_overs;
mod leases;
mod locks;
mod workers;
