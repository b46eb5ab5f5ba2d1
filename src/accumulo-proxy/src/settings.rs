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

/// Settings of a [`ProxyClient`](crate::ProxyClient): the address, the credentials and every limit.
///
/// # Examples
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
    /// The credentials of the caller.
    pub credentials: Credentials,
    /// The Thrift protocol; compact unless set.
    pub protocol: Protocol,
    /// Maximum number of connections, and so of concurrent calls; 4 unless set. The proxy needs
    /// more threads (`numThreads`, 5 unless set) than all of its clients have connections: the
    /// proxy may execute a call that waits for a thread after the client's time limit. If there are
    /// several connections, calls with [`wait_timeout`](Self::wait_timeout) leave one of them to
    /// the other calls.
    pub connections: NonZeroUsize,
    /// Time limit for a new connection, including the login; 10 s unless set.
    pub connect_timeout: Duration,
    /// Time limit for a call that only reads or writes, including the wait for a connection; 60 s
    /// unless set.
    pub call_timeout: Duration,
    /// Time limit for a call that waits for the cluster to finish an operation (split, merge,
    /// compaction, deletion); 10 minutes unless set.
    pub wait_timeout: Duration,
    /// Number of attempts and the pauses between them for a call that
    /// [is safe to retry](crate#sending-again).
    pub retry: Retry,
    /// Maximum length of a request; 16 MiB less 64 KiB unless set. A proxy drops the connection at
    /// a frame of `maxFrameSize` (16 MiB).
    pub max_request_bytes: usize,
    /// Maximum length of a reply; 64 MiB unless set. A decoded reply takes at most eight times as
    /// much memory.
    pub max_reply_bytes: usize,
    /// Time after which an idle connection is closed; 60 s unless set.
    pub idle_timeout: Duration,
    /// TLS configuration; `None` (no TLS) unless set.
    #[cfg(feature = "tls")]
    pub tls: Option<Tls>,
}

/// Number of attempts of a call, and the pauses between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Maximum number of attempts of one call, including the first; 8 unless set.
    pub tries: NonZeroUsize,
    /// Pause after the first attempt, doubled after each further attempt; 100 ms unless set.
    pub first_pause: Duration,
    /// Maximum pause; 2 s unless set.
    pub longest_pause: Duration,
}

const MIB: usize = 1024 * 1024;
const FRAME_MARGIN_BYTES: usize = 64 * 1024;
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(4).unwrap();
const TRIES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

impl Settings {
    /// Creates settings for the proxy at `address` (`host:port`) and for these credentials. All
    /// other fields have the defaults that they document.
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
    /// Returns a policy with one attempt and no retry.
    pub fn never() -> Self {
        Self {
            tries: NonZeroUsize::MIN,
            ..Self::default()
        }
    }

    /// Returns the pauses between the attempts.
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
