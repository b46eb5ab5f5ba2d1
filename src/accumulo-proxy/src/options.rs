//! Options of a client.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::credentials::Credentials;
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

/// The options of a [`ProxyClient`](crate::ProxyClient): the address, the credentials and every
/// limit.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{Credentials, ProxyOptions};
///
/// let options = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
/// let options = options.connections(4.try_into().unwrap());
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ProxyOptions {
    /// The `host:port` of the proxy, or of several proxies of one instance, separated by commas.
    ///
    /// With several proxies each call goes to one of those with the fewest calls of this client. A
    /// proxy that fails is left out, and tried again after
    /// [`first_pause`](field@Self::first_pause); after each further failure this time doubles, up
    /// to 30 s. Calls that are [safe to retry](crate#sending-again) continue at another proxy at
    /// once; if a proxy does not answer, after their time limit divided by the number of proxies. A
    /// scan or a writer stays at the proxy that opened it, and is opened again at another one if
    /// that proxy fails.
    pub address: String,
    /// The credentials of the caller.
    pub credentials: Credentials,
    /// The Thrift protocol; compact unless set.
    pub protocol: Protocol,
    /// Maximum number of connections to a proxy, and so of its concurrent calls; 4 unless set.
    ///
    /// The proxy needs more threads (`numThreads`, 5 unless set) than all of its clients have
    /// connections: the proxy may execute a call that waits for a thread after the client's time
    /// limit. If there are several connections, calls with
    /// [`wait_timeout`](field@Self::wait_timeout) leave one of them to the other calls.
    pub connections: NonZeroUsize,
    /// Time limit for a new connection, including the login; 10 s unless set. Several proxies share
    /// it: each may take a part.
    pub connect_timeout: Duration,
    /// Time limit for a call that only reads or writes, including the wait for a connection; 60 s
    /// unless set.
    pub call_timeout: Duration,
    /// Time limit for a call that waits for the cluster to finish an operation (split, merge,
    /// compaction, deletion); 10 minutes unless set.
    pub wait_timeout: Duration,
    /// Maximum number of attempts, including the first, of a call that
    /// [is safe to retry](crate#sending-again); 8 unless set.
    pub tries: NonZeroUsize,
    /// The pause after the first attempt, doubled after each further attempt; 100 ms unless set.
    pub first_pause: Duration,
    /// Maximum pause between two attempts; 2 s unless set.
    pub max_pause: Duration,
    /// Maximum length of a request; 16 MiB less 64 KiB unless set. A proxy drops the connection at
    /// a frame of `maxFrameSize` (16 MiB).
    pub max_request_bytes: usize,
    /// Maximum length of a reply; 64 MiB unless set. A decoded reply takes at most eight times as
    /// much memory.
    pub max_reply_bytes: usize,
    /// Time after which an idle connection is closed; 60 s unless set.
    pub idle_timeout: Duration,
    /// The TLS configuration; no TLS unless set.
    #[cfg(feature = "tls")]
    pub tls: Option<Tls>,
}

const MIB: usize = 1024 * 1024;
const FRAME_MARGIN_BYTES: usize = 64 * 1024;

impl ProxyOptions {
    /// Creates options for the proxy at [`address`](field@Self::address) (`host:port`) and for
    /// these credentials. All other options have their defaults.
    pub fn new(address: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            address: address.into(),
            credentials,
            protocol: Protocol::default(),
            connections: const { NonZeroUsize::new(4).unwrap() },
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(60),
            wait_timeout: Duration::from_secs(600),
            tries: const { NonZeroUsize::new(8).unwrap() },
            first_pause: Duration::from_millis(100),
            max_pause: Duration::from_secs(2),
            max_request_bytes: 16 * MIB - FRAME_MARGIN_BYTES,
            max_reply_bytes: 64 * MIB,
            idle_timeout: Duration::from_secs(60),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    pub(crate) fn pauses(&self) -> impl Iterator<Item = Duration> + use<> {
        let (mut next, max_pause) = (self.first_pause, self.max_pause);
        (1..self.tries.get()).map(move |_| {
            let pause = next.min(max_pause);
            next = pause.saturating_mul(2);
            pause
        })
    }
}

setters! { ProxyOptions {
    address: impl Into<String>,
    credentials: Credentials,
    protocol: Protocol,
    connections: NonZeroUsize,
    connect_timeout: Duration,
    call_timeout: Duration,
    wait_timeout: Duration,
    tries: NonZeroUsize,
    first_pause: Duration,
    max_pause: Duration,
    max_request_bytes: usize,
    max_reply_bytes: usize,
    idle_timeout: Duration,
    #[cfg(feature = "tls")]
    tls: impl Into<Option<Tls>>,
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let options = ProxyOptions::new("localhost:42424", Credentials::shared_secret("hush"));
        let millis: Vec<_> = options.pauses().map(|pause| pause.as_millis()).collect();
        assert_eq!(millis, [100, 200, 400, 800, 1600, 2000, 2000]);
        assert_eq!(options.tries(NonZeroUsize::MIN).pauses().count(), 0);
    }
}
