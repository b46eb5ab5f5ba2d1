//! Options of a batch writer.

use std::num::NonZeroUsize;

const CALLS_IN_FLIGHT: NonZeroUsize = NonZeroUsize::new(3).unwrap();
const MAX_WAITING_BYTES: NonZeroUsize = NonZeroUsize::new(16 * 1024 * 1024).unwrap();

/// Options of a [`BatchWriter`](crate::BatchWriter).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::BatchWriterOptions;
///
/// let options = BatchWriterOptions::default().calls_in_flight(4.try_into().unwrap());
/// assert_eq!(options.calls_in_flight.get(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchWriterOptions {
    /// Maximum number of concurrent calls; 3 unless set. Each uses one of the client's connections.
    /// All mutations of a row use the same lane of calls.
    pub calls_in_flight: NonZeroUsize,
    /// Maximum number of bytes of mutations that were added and are not written yet; 16 MiB unless
    /// set. A longer mutation waits until it is alone.
    pub max_waiting_bytes: NonZeroUsize,
}

impl Default for BatchWriterOptions {
    fn default() -> Self {
        Self { calls_in_flight: CALLS_IN_FLIGHT, max_waiting_bytes: MAX_WAITING_BYTES }
    }
}

impl BatchWriterOptions {
    /// Sets the maximum number of concurrent calls.
    #[must_use]
    pub fn calls_in_flight(self, calls_in_flight: NonZeroUsize) -> Self {
        Self { calls_in_flight, ..self }
    }

    /// Sets the maximum number of waiting bytes.
    #[must_use]
    pub fn max_waiting_bytes(self, max_waiting_bytes: NonZeroUsize) -> Self {
        Self { max_waiting_bytes, ..self }
    }
}
