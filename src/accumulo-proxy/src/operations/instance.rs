//! Operations on the whole instance: servers, their activity and their configuration.

use std::collections::BTreeMap;

use super::methods::Named;
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{ActiveCompaction, ActiveScan};
use crate::error::Result;
use crate::wire::interface as wire;

/// Operations on the whole instance. A tablet server is identified by `host:port`, as returned by
/// [`tablet_servers`](Self::tablet_servers).
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission, with
/// [`Accumulo`](crate::ErrorKind::Accumulo), and with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct InstanceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on the whole instance.
    pub fn instance_operations(&self) -> InstanceOperations<'_> {
        InstanceOperations { client: self }
    }
}

wire::instance_calls!(methods);
