//! The settings of a cluster and of a proxy.

use serde::{Deserialize, Serialize};

/// The settings of a cluster.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of tablet servers. Default: 2.
    pub tablet_servers: usize,
    /// The settings of the first proxy; `None` starts no proxy. Default: [`ProxySettings`] with its
    /// defaults.
    pub proxy: Option<ProxySettings>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { tablet_servers: 2, proxy: Some(ProxySettings::default()) }
    }
}

/// The settings of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxySettings {
    /// The port. Default: a free port.
    pub port: Option<u16>,
    /// Number of threads. Each call in progress needs one. Default: 32.
    pub threads: u16,
    /// The encoding of the calls. Default: compact.
    pub protocol: Protocol,
}

impl Default for ProxySettings {
    fn default() -> ProxySettings {
        ProxySettings { port: None, threads: 32, protocol: Protocol::Compact }
    }
}

/// The encodings of Thrift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The default encoding of the proxy.
    Compact,
    /// The older, longer one.
    Binary,
}

impl Protocol {
    /// Returns the class that the proxy uses for the encoding.
    pub(crate) fn factory(self) -> &'static str {
        match self {
            Protocol::Compact => "org.apache.thrift.protocol.TCompactProtocol$Factory",
            Protocol::Binary => "org.apache.thrift.protocol.TBinaryProtocol$Factory",
        }
    }
}
