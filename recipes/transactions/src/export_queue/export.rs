//! The entries that an exporter gets, and its answers.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Bytes, Timestamp};

/// An entry of an export queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export<K, V> {
    /// The key.
    pub key: K,
    /// The value.
    pub value: V,
    /// The start timestamp of the transaction that added the entry. No two entries of a key have
    /// the same.
    pub sequence: Timestamp,
    key_bytes: Bytes,
}

impl<K, V> Export<K, V> {
    /// Creates an entry, with the bytes of its key in the queue.
    pub fn new(key: K, key_bytes: impl Into<Bytes>, value: V, sequence: Timestamp) -> Self {
        Self { key, value, sequence, key_bytes: key_bytes.into() }
    }

    /// Returns the bytes of the key in the queue.
    pub fn key_bytes(&self) -> &Bytes {
        &self.key_bytes
    }
}

/// The entries of a pass. Cloning is cheap.
pub type Exports<K, V> = Arc<[Export<K, V>]>;

/// The answer of an exporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// All entries are exported.
    All,
    /// This number of entries is exported, from the first one on; the others remain in the queue.
    /// It must not be zero: return [`ExportError::retry_after`] then.
    UpTo(usize),
    /// Some entries cannot be exported and become dead letters. [`Exported::all_but`] creates this
    /// answer if no entry remains in the queue.
    DeadLetters {
        /// The number of entries that leave the queue, from the first one on, as exported entries
        /// or as dead letters. The others remain in the queue. It must not be zero.
        up_to: usize,
        /// The index and the reason of each entry that becomes a dead letter. Each index is less
        /// than `up_to`, and is in the list once. If the entries are delivered again, the exporter
        /// must reject the same ones again.
        rejected: Vec<(usize, String)>,
    },
}

impl Exported {
    /// Creates the answer of an exporter that has got a number of entries and has exported all of
    /// them but these. Each has its index and the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::export_queue::{Exported, Exports};
    ///
    /// fn send(mails: Exports<String, String>) -> Exported {
    ///     let mut rejected = Vec::new();
    ///     for (index, mail) in mails.iter().enumerate() {
    ///         if !mail.key.contains('@') {
    ///             rejected.push((index, format!("`{}` is no address", mail.key)));
    ///         }
    ///     }
    ///     Exported::all_but(mails.len(), rejected)
    /// }
    /// # assert_eq!(send(std::sync::Arc::from([])), Exported::All);
    /// ```
    #[must_use]
    pub fn all_but(entries: usize, rejected: Vec<(usize, String)>) -> Self {
        Self::first(entries, entries, rejected)
    }

    /// Creates the answer that the first `up_to` of some entries leave the queue, some of them as
    /// dead letters.
    pub(crate) fn first(up_to: usize, entries: usize, rejected: Vec<(usize, String)>) -> Self {
        match rejected.is_empty() {
            true if up_to == entries => Self::All,
            true => Self::UpTo(up_to),
            false => Self::DeadLetters { up_to, rejected },
        }
    }
}

/// The failure of an exporter. None of the entries is acknowledged.
#[derive(Debug)]
pub struct ExportError {
    pub(super) retry_after: Option<Duration>,
    pub(super) source: Box<dyn StdError + Send + Sync>,
}

impl ExportError {
    /// Creates the error of a receiver that is not available. The worker tries again after the
    /// time, as often as needed, and no entry becomes a dead letter.
    pub fn retry_after(
        pause: Duration,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { retry_after: Some(pause), source: source.into() }
    }

    /// Creates an error that may be permanent, such as that of an entry which the receiver cannot
    /// take. It counts as a failed try of the observer, and the entries stay in the queue. In the
    /// last of [`max_attempts`](fluo_engine::WorkerOptions::max_attempts) the exporter gets smaller
    /// and smaller parts of the entries. A single entry on which it fails becomes a dead letter of
    /// the queue if it exports another one. Otherwise the notification of the bucket becomes a dead
    /// letter of the application, and the entries stay in the queue.
    pub fn fatal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { retry_after: None, source: source.into() }
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the exporter failed: {}", self.source)
    }
}

impl StdError for ExportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}

/// Code that exports entries to a receiver outside of the table.
///
/// Functions and closures of the form `|exports: Exports<K, V>| async {..}` are exporters.
#[async_trait]
pub trait Exporter<K, V>: Send + Sync + 'static {
    /// Exports entries of one bucket. They are not empty, and the entries of a key are in the order
    /// of their sequences.
    ///
    /// It runs before the transaction that deletes the entries commits. So it may get entries
    /// again that it has exported before: after a crash, a conflict with another worker, or an
    /// error. Calls for different buckets run at once.
    ///
    /// # Errors
    ///
    /// [`ExportError`]; no entry is acknowledged then.
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError>;
}

#[async_trait]
impl<K, V, F, R> Exporter<K, V> for F
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
    F: Fn(Exports<K, V>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Exported, ExportError>> + Send,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        self(exports).await
    }
}
