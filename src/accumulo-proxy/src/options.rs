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
pub struct ProxyOptions {
    pub(crate) address: String,
    pub(crate) credentials: Credentials,
    pub(crate) protocol: Protocol,
    pub(crate) connections: NonZeroUsize,
    pub(crate) connect_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) wait_timeout: Duration,
    tries: NonZeroUsize,
    first_pause: Duration,
    max_pause: Duration,
    pub(crate) max_request_bytes: usize,
    pub(crate) max_reply_bytes: usize,
    pub(crate) idle_timeout: Duration,
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<Tls>,
}

const MIB: usize = 1024 * 1024;
const FRAME_MARGIN_BYTES: usize = 64 * 1024;
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(4).unwrap();
const TRIES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

impl ProxyOptions {
    /// Creates options for the proxy at `address` (`host:port`) and for these credentials. All
    /// other options have the defaults that their methods document.
    pub fn new(address: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            address: address.into(),
            credentials,
            protocol: Protocol::default(),
            connections: CONNECTIONS,
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(60),
            wait_timeout: Duration::from_secs(600),
            tries: TRIES,
            first_pause: Duration::from_millis(100),
            max_pause: Duration::from_secs(2),
            max_request_bytes: 16 * MIB - FRAME_MARGIN_BYTES,
            max_reply_bytes: 64 * MIB,
            idle_timeout: Duration::from_secs(60),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Returns the `host:port` of the proxy.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the credentials of the caller.
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Replaces the address, for another proxy with the same options.
    #[must_use]
    pub fn with_address(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Replaces the credentials, for another user with the same options.
    #[must_use]
    pub fn with_credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Returns the pauses between the attempts of a call.
    pub(crate) fn pauses(&self) -> impl Iterator<Item = Duration> + use<> {
        let (mut next, max_pause) = (self.first_pause, self.max_pause);
        (1..self.tries.get()).map(move |_| {
            let pause = next.min(max_pause);
            next = pause.saturating_mul(2);
            pause
        })
    }

    /// Sets the TLS configuration. Default: no TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: impl Into<Option<Tls>>) -> Self {
        self.tls = tls.into();
        self
    }
}

setters! { ProxyOptions {
    /// Sets the Thrift protocol. Default: compact.
    protocol: Protocol,

    /// Sets the maximum number of connections, and so of concurrent calls. Default: 4.
    ///
    /// The proxy needs more threads (`numThreads`, 5 unless set) than all of its clients have
    /// connections: the proxy may execute a call that waits for a thread after the client's time
    /// limit. If there are several connections, calls with [`wait_timeout`](Self::wait_timeout)
    /// leave one of them to the other calls.
    connections: NonZeroUsize,

    /// Sets the time limit for a new connection, including the login. Default: 10 s.
    connect_timeout: Duration,

    /// Sets the time limit for a call that only reads or writes, including the wait for a
    /// connection. Default: 60 s.
    call_timeout: Duration,

    /// Sets the time limit for a call that waits for the cluster to finish an operation (split,
    /// merge, compaction, deletion). Default: 10 minutes.
    wait_timeout: Duration,

    /// Sets the maximum number of attempts, including the first, of a call that
    /// [is safe to retry](crate#sending-again). Default: 8.
    tries: NonZeroUsize,

    /// Sets the pause after the first attempt, doubled after each further attempt. Default: 100 ms.
    first_pause: Duration,

    /// Sets the maximum pause between two attempts. Default: 2 s.
    max_pause: Duration,

    /// Sets the maximum length of a request. Default: 16 MiB less 64 KiB. A proxy drops the
    /// connection at a frame of `maxFrameSize` (16 MiB).
    max_request_bytes: usize,

    /// Sets the maximum length of a reply. Default: 64 MiB. A decoded reply takes at most eight
    /// times as much memory.
    max_reply_bytes: usize,

    /// Sets the time after which an idle connection is closed. Default: 60 s.
    idle_timeout: Duration,
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
