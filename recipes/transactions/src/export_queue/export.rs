//! The entries that an exporter gets, and its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Bytes, ObserverError, Timestamp};
use thiserror::Error;

/// An entry of an export queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Export<K, V> {
    /// The key.
    pub key: K,
    /// The value.
    pub value: V,
    /// The start timestamp of the transaction that added the entry. No two entries of a key have
    /// the same.
    pub sequence: Timestamp,
    /// The encoded key: the bytes that the codec of the queue writes.
    pub key_bytes: Bytes,
}

impl<K, V> Export<K, V> {
    /// Creates an entry.
    pub fn new(key: K, key_bytes: impl Into<Bytes>, value: V, sequence: Timestamp) -> Self {
        Self { key, value, sequence, key_bytes: key_bytes.into() }
    }
}

/// The entries of a pass. Cloning is cheap.
pub type Exports<K, V> = Arc<[Export<K, V>]>;

/// Returns the last entry of each key, with its index. An exporter that needs only the last state
/// of each key exports these, and acknowledges all entries. An acknowledgement of a part, or a
/// rejection, names the returned indexes.
///
/// # Examples
///
/// ```
/// use fluo_recipes::export_queue::{Exported, Exports, latest_per_key};
///
/// fn send(counts: Exports<String, u64>) -> Exported {
///     for (_, count) in latest_per_key(&counts) {
///         println!("{} has {} visits", count.key, count.value);
///     }
///     Exported::All
/// }
/// # assert_eq!(send(std::sync::Arc::from([])), Exported::All);
/// ```
pub fn latest_per_key<K, V>(exports: &[Export<K, V>]) -> Vec<(usize, &Export<K, V>)> {
    let indexed = || exports.iter().enumerate();
    let last: BTreeMap<_, _> = indexed().map(|(index, one)| (&one.key_bytes, index)).collect();
    indexed().filter(|(index, one)| last.get(&one.key_bytes) == Some(index)).collect()
}

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

    /// Returns the number of acknowledged entries, and the indexes and reasons of those that become
    /// dead letters, among a number of entries.
    pub(super) fn checked(self, entries: usize) -> Result<(usize, Vec<(usize, String)>), String> {
        let (up_to, rejected) = match self {
            Self::All => return Ok((entries, Vec::new())),
            Self::UpTo(up_to) => (up_to, Vec::new()),
            Self::DeadLetters { up_to, rejected } => (up_to, rejected),
        };
        if up_to == 0 {
            return Err(
                "the exporter has acknowledged no entry; it should return `ExportError::retry_after`"
                    .into(),
            );
        }
        if up_to > entries {
            return Err(format!("the exporter has acknowledged {up_to} of {entries} entries"));
        }
        let mut seen = BTreeSet::new();
        for (index, _) in &rejected {
            if *index >= up_to {
                return Err(format!(
                    "the exporter has rejected entry {index}, but acknowledged only entries below {up_to}; the first one has index 0"
                ));
            }
            if !seen.insert(index) {
                return Err(format!("the exporter has rejected entry {index} twice in one answer"));
            }
        }
        Ok((up_to, rejected))
    }
}

/// The failure of an exporter. None of the entries is acknowledged.
#[derive(Debug, Error)]
#[error("the exporter failed: {source}")]
pub struct ExportError {
    pub(super) retry_after: Option<Duration>,
    pub(super) source: ObserverError,
}

impl ExportError {
    /// Creates the error of a receiver that is not available. The worker tries again after the
    /// time, as often as needed, and no entry becomes a dead letter.
    pub fn retry_after(pause: Duration, source: impl Into<ObserverError>) -> Self {
        Self { retry_after: Some(pause), source: source.into() }
    }

    /// Creates an error that may be permanent, such as that of an entry which the receiver cannot
    /// take. It counts as a failed try of the observer, and the entries stay in the queue. In the
    /// last of [`max_attempts`](fluo_engine::WorkerOptions::max_attempts) the exporter gets smaller
    /// and smaller parts of the entries. A single entry on which it fails becomes a dead letter of
    /// the queue if it exports another one. Otherwise the notification of the bucket becomes a dead
    /// letter of the application, and the entries stay in the queue.
    pub fn fatal(source: impl Into<ObserverError>) -> Self {
        Self { retry_after: None, source: source.into() }
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

#[cfg(test)]
mod tests {
    use fluo_engine::Timestamp;

    use super::{Export, Exported, latest_per_key};

    #[test]
    fn rejects_answers_that_contradict_the_entries() {
        let letters = |up_to, indexes: &[usize]| Exported::DeadLetters {
            up_to,
            rejected: indexes.iter().map(|at| (*at, "bad".to_owned())).collect(),
        };
        for (answer, message) in [
            (Exported::UpTo(0), "the exporter has acknowledged no entry"),
            (letters(0, &[0]), "the exporter has acknowledged no entry"),
            (Exported::UpTo(3), "the exporter has acknowledged 3 of 2 entries"),
            (letters(3, &[0]), "the exporter has acknowledged 3 of 2 entries"),
            (
                letters(2, &[2]),
                "the exporter has rejected entry 2, but acknowledged only entries below 2",
            ),
            (
                letters(1, &[1]),
                "the exporter has rejected entry 1, but acknowledged only entries below 1",
            ),
            (letters(2, &[1, 0, 1]), "the exporter has rejected entry 1 twice"),
        ] {
            let found = answer.checked(2).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
        assert_eq!(Exported::UpTo(2).checked(2), Ok((2, Vec::new())));
        for up_to in [1, 2] {
            assert_eq!(letters(up_to, &[0]).checked(2), Ok((up_to, vec![(0, "bad".to_owned())])));
        }
    }

    #[test]
    fn finds_the_last_entry_of_each_key() {
        let export = |(key, number): (char, u64)| {
            Export::new(key, key.to_string(), number, Timestamp::new(number).unwrap())
        };
        let exports: Vec<_> = "aabab".chars().zip(0..).map(export).collect();
        let last = latest_per_key(&exports).into_iter();
        let last: Vec<_> = last.map(|(index, one)| (index, one.key, one.value)).collect();
        assert_eq!(last, [(3, 'a', 3), (4, 'b', 4)]);
    }
}
