//! Settings of a client.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::dialect::Credentials;
#[cfg(feature = "tls")]
use crate::tls::Tls;

/// The Thrift protocol that a proxy speaks: `protocolFactory` in its properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// `TCompactProtocol`, the default of the proxy.
    #[default]
    Compact,
    /// `TBinaryProtocol`.
    Binary,
}

/// Settings of a [`ProxyClient`](crate::ProxyClient): where, who, and every bound.
///
/// ```
/// use accumulo_proxy::{Credentials, Settings};
///
/// let mut settings = Settings::new("localhost:42424", Credentials::password("root", "secret"));
/// settings.connections = 4.try_into().unwrap();
/// assert!(!format!("{settings:?}").contains("secret"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// `host:port` of the proxy.
    pub address: String,
    /// Who calls.
    pub credentials: Credentials,
    /// The Thrift protocol; compact unless set.
    pub protocol: Protocol,
    /// Most connections, and so most calls at a time; 4 unless set. The proxy needs more threads
    /// (`numThreads`, 5 unless set) than all of its clients have connections: a call that waits in the proxy for a thread
    /// may be carried out after its limit is over. Calls of [`wait_timeout`](Self::wait_timeout) leave one to the others,
    /// where there are several.
    pub connections: NonZeroUsize,
    /// Limit for a connection to be made, login included; 10 s unless set.
    pub connect_timeout: Duration,
    /// Limit for a call that only asks or writes, with the wait for a connection; 60 s unless set.
    pub call_timeout: Duration,
    /// Limit for a call that returns when the cluster has done something (splits, merges, compactions, deletion); 10
    /// minutes unless set.
    pub wait_timeout: Duration,
    /// How often and after which pauses a call is sent again, where [it may be](crate#sending-again).
    pub retry: Retry,
    /// Longest request; 16 MiB less 64 KiB unless set. A proxy drops the connection at a frame of `maxFrameSize` (16 MiB).
    pub max_request_bytes: usize,
    /// Longest reply; 64 MiB unless set. A decoded reply takes at most eight times as much.
    pub max_reply_bytes: usize,
    /// A connection that waited longer is closed; 60 s unless set.
    pub idle_timeout: Duration,
    /// TLS; none unless set.
    #[cfg(feature = "tls")]
    pub tls: Option<Tls>,
}

/// How often a call is tried, and the pauses between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Most tries of one call, the first included; 8 unless set.
    pub tries: NonZeroUsize,
    /// Pause after the first try; doubled after each. 100 ms unless set.
    pub first_pause: Duration,
    /// Longest pause; 2 s unless set.
    pub longest_pause: Duration,
}

const MIB: usize = 1024 * 1024;
const FRAME_MARGIN_BYTES: usize = 64 * 1024;
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(4).unwrap();
const TRIES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

impl Settings {
    /// The proxy at `address` (`host:port`), and who calls; everything else as its field says.
    pub fn new(address: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            address: address.into(),
            credentials,
            protocol: Protocol::default(),
            connections: CONNECTIONS,
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(60),
            wait_timeout: Duration::from_secs(600),
            retry: Retry::default(),
            max_request_bytes: 16 * MIB - FRAME_MARGIN_BYTES,
            max_reply_bytes: 64 * MIB,
            idle_timeout: Duration::from_secs(60),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            tries: TRIES,
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
        }
    }
}

impl Retry {
    /// One try, none again.
    pub fn never() -> Self {
        Self {
            tries: NonZeroUsize::MIN,
            ..Self::default()
        }
    }

    /// The pauses between the tries.
    pub(crate) fn pauses(self) -> impl Iterator<Item = Duration> {
        let mut next = self.first_pause;
        (1..self.tries.get()).map(move |_| {
            let pause = next.min(self.longest_pause);
            next = pause.saturating_mul(2);
            pause
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let millis: Vec<_> = Retry::default()
            .pauses()
            .map(|pause| pause.as_millis())
            .collect();
        assert_eq!(millis, [100, 200, 400, 800, 1600, 2000, 2000]);
        assert_eq!(Retry::never().pauses().count(), 0);
    }
}
