//! Options of a conditional writer.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use bytes::Bytes;

use super::Durability;

/// Options of a [`ConditionalWriter`](crate::ConditionalWriter).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{ConditionalWriterOptions, Durability};
///
/// let options = ConditionalWriterOptions::default()
///     .authorizations(["public"])
///     .durability(Durability::Sync);
/// assert_eq!(options.rows_per_call.get(), 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct ConditionalWriterOptions {
    /// The authorizations for reading the conditions; unless set, `None`: the proxy then uses no
    /// authorizations.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// The durability of an accepted mutation; that of the table unless set.
    pub durability: Durability,
    /// Time that Accumulo tries before it reports the outcome as unknown, in milliseconds, rounded
    /// up. Unless set, three quarters of the client's
    /// [`call_timeout`](field@crate::ProxyOptions::call_timeout), so that Accumulo gives up before
    /// the caller does: Accumulo may write a mutation at any time while it still tries. For a
    /// writer of [`LowLevel`](crate::LowLevel) the default is that of the proxy: unlimited.
    pub timeout: Option<Duration>,
    /// Number of threads of the proxy for this writer; the proxy's default (3) unless set.
    pub threads: Option<NonZeroUsize>,
    /// Number of concurrent calls; 2 unless set. While a call takes longer than half a second, two
    /// more are allowed. Mutations that wait while a call is under way are combined into the next
    /// call. It leaves beside the present one if that takes longer than 10 ms, or if 48 different
    /// rows wait.
    pub calls_in_flight: NonZeroUsize,
    /// Maximum number of rows in one call; 256 unless set.
    pub rows_per_call: NonZeroUsize,
    /// Maximum number of bytes of mutations without an outcome; 16 MiB unless set. A longer
    /// mutation waits until it is alone.
    pub max_waiting_bytes: NonZeroUsize,
}

impl Default for ConditionalWriterOptions {
    fn default() -> Self {
        Self {
            authorizations: None,
            durability: Durability::Default,
            timeout: None,
            threads: None,
            calls_in_flight: const { NonZeroUsize::new(2).unwrap() },
            rows_per_call: const { NonZeroUsize::new(256).unwrap() },
            max_waiting_bytes: const { NonZeroUsize::new(16 * 1024 * 1024).unwrap() },
        }
    }
}

impl ConditionalWriterOptions {
    /// Sets the authorizations for reading the conditions. The user must have them.
    pub fn authorizations<A: Into<Bytes>>(
        self,
        authorizations: impl IntoIterator<Item = A>,
    ) -> Self {
        let authorizations = Some(authorizations.into_iter().map(Into::into).collect());
        Self { authorizations, ..self }
    }
}

setters! { ConditionalWriterOptions {
    durability: Durability,
    timeout: Duration,
    calls_in_flight: NonZeroUsize,
    rows_per_call: NonZeroUsize,
} }
