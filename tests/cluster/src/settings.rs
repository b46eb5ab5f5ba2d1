//! What a cluster and a proxy are started with.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a cluster is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many tablet servers. Default: 2.
    pub tablet_servers: usize,
    /// The folder that it works in: created, or empty, and removed at the end. Default: a fresh one.
    pub directory: Option<PathBuf>,
    /// Its first proxy; with none, there is none. Default: as [`ProxySettings`].
    pub proxy: Option<ProxySettings>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tablet_servers: 2,
            directory: None,
            proxy: Some(ProxySettings::default()),
        }
    }
}

/// What a proxy is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxySettings {
    /// Where it listens. Default: a free port.
    pub port: Option<u16>,
    /// Its threads: each call that is under way holds one. Default: 32.
    pub threads: u16,
    /// How its calls are encoded. Default: compact.
    pub protocol: Protocol,
}

impl Default for ProxySettings {
    fn default() -> ProxySettings {
        ProxySettings {
            port: None,
            threads: 32,
            protocol: Protocol::Compact,
        }
    }
}

/// Thrift's encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The encoding that the proxy uses unless told otherwise.
    Compact,
    /// The older, longer one.
    Binary,
}

impl Protocol {
    /// The class that the proxy is told to use.
    pub(crate) fn factory(self) -> &'static str {
        match self {
            Protocol::Compact => "org.apache.thrift.protocol.TCompactProtocol$Factory",
            Protocol::Binary => "org.apache.thrift.protocol.TBinaryProtocol$Factory",
        }
    }
}
