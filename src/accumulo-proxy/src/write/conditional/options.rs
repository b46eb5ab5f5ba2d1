//! How a conditional writer writes.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::convert::{ToWire, bytes_set};
use crate::data::{Bytes, Durability};
use crate::wire::generated as wire;

const CALLS_IN_FLIGHT: NonZeroUsize = NonZeroUsize::new(2).unwrap();
const ROWS_PER_CALL: NonZeroUsize = NonZeroUsize::new(256).unwrap();
const MAX_WAITING_BYTES: NonZeroUsize = NonZeroUsize::new(16 * 1024 * 1024).unwrap();

/// How a [`ConditionalWriter`](crate::ConditionalWriter) writes.
///
/// ```
/// use accumulo_proxy::{ConditionalWriterOptions, Durability};
///
/// let options = ConditionalWriterOptions::default().authorizations(["public"]).durability(Durability::Sync);
/// assert_eq!(options.rows_per_call.get(), 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConditionalWriterOptions {
    /// The authorizations that conditions read with; `None`, unless set, leaves it to the proxy, which takes none.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// How durable an accepted mutation is; what the table says unless set.
    pub durability: Durability,
    /// How long Accumulo tries before it says that an outcome is unknown, in milliseconds, rounded up. Unless set, three
    /// quarters of the client's [`call_timeout`](crate::Settings::call_timeout) (for a writer of
    /// [`LowLevel`](crate::LowLevel) the proxy's default: without end), so that it gives up before the caller does:
    /// what it still tries when nobody waits any more may be written at any time until then.
    pub timeout: Option<Duration>,
    /// Threads of the proxy for this writer; the proxy's default (3) unless set.
    pub threads: Option<NonZeroUsize>,
    /// Memory of the proxy for this writer, in bytes; the proxy's default unless set.
    pub max_memory_bytes: Option<NonZeroUsize>,
    /// Most calls at a time; 2 unless set. What waits meanwhile goes into the next call together.
    pub calls_in_flight: NonZeroUsize,
    /// Most rows of one call; 256 unless set.
    pub rows_per_call: NonZeroUsize,
    /// Most bytes of mutations without an outcome; 16 MiB unless set. A longer mutation waits until it is alone.
    pub max_waiting_bytes: NonZeroUsize,
}

impl Default for ConditionalWriterOptions {
    fn default() -> Self {
        Self {
            authorizations: None,
            durability: Durability::Default,
            timeout: None,
            threads: None,
            max_memory_bytes: None,
            calls_in_flight: CALLS_IN_FLIGHT,
            rows_per_call: ROWS_PER_CALL,
            max_waiting_bytes: MAX_WAITING_BYTES,
        }
    }
}

impl ConditionalWriterOptions {
    /// Reads conditions with these authorizations, which the user must have.
    #[must_use]
    pub fn authorizations<A: Into<Bytes>>(
        self,
        authorizations: impl IntoIterator<Item = A>,
    ) -> Self {
        let authorizations = Some(authorizations.into_iter().map(Into::into).collect());
        Self {
            authorizations,
            ..self
        }
    }

    /// Sets how durable an accepted mutation is.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Sets how long Accumulo tries.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        let timeout = Some(timeout);
        Self { timeout, ..self }
    }

    /// Sets the most calls at a time.
    #[must_use]
    pub fn calls_in_flight(self, calls_in_flight: NonZeroUsize) -> Self {
        Self {
            calls_in_flight,
            ..self
        }
    }

    /// Sets the most rows of one call.
    #[must_use]
    pub fn rows_per_call(self, rows_per_call: NonZeroUsize) -> Self {
        Self {
            rows_per_call,
            ..self
        }
    }

    pub(crate) fn to_wire(&self) -> wire::ConditionalWriterOptions {
        let threads = self.threads.map(NonZeroUsize::get);
        let max_memory = self.max_memory_bytes.map(NonZeroUsize::get);
        let timeout = self.timeout.map(whole_millis);
        wire::ConditionalWriterOptions::new(
            max_memory.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            timeout.map(|millis| i64::try_from(millis).unwrap_or(i64::MAX)),
            threads.map(|threads| i32::try_from(threads).unwrap_or(i32::MAX)),
            self.authorizations.as_ref().map(bytes_set),
            self.durability.to_wire(),
        )
    }
}

/// Rounded up, and at least one: zero would be without end.
fn whole_millis(timeout: Duration) -> u128 {
    timeout.as_micros().div_ceil(1000).max(1)
}
