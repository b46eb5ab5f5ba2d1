//! Exporters made of others.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Export, ExportError, Exported, Exporter, Exports};

/// Several exporters that all get the same entries. See [`FanOut::new`].
pub struct FanOut<K, V> {
    exporters: Vec<Arc<dyn Exporter<K, V>>>,
}

impl<K, V> FanOut<K, V> {
    /// Creates an exporter that passes all entries to each of these, one after the other.
    ///
    /// An entry is acknowledged when all have acknowledged it, so after a failure of one the others
    /// get its entries again. An entry that one rejects becomes a dead letter.
    #[must_use]
    pub fn new(exporters: impl IntoIterator<Item = Arc<dyn Exporter<K, V>>>) -> Self {
        Self {
            exporters: exporters.into_iter().collect(),
        }
    }
}

impl<K, V> fmt::Debug for FanOut<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FanOut({} exporters)", self.exporters.len())
    }
}

#[async_trait]
impl<K, V> Exporter<K, V> for FanOut<K, V>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        let mut up_to = exports.len();
        let mut letters = BTreeMap::new();
        for exporter in &self.exporters {
            match exporter.export(exports.clone()).await? {
                Exported::All => {}
                Exported::UpTo(count) => up_to = up_to.min(count),
                Exported::DeadLetters(rejected) => letters.extend(rejected),
            }
        }
        // An entry behind an unacknowledged one comes again, and is rejected then.
        Ok(match (up_to < exports.len(), letters.is_empty()) {
            (true, _) => Exported::UpTo(up_to),
            (false, true) => Exported::All,
            (false, false) => Exported::DeadLetters(letters.into_iter().collect()),
        })
    }
}

/// An exporter of the last entries of keys. See [`latest_per_key`].
#[derive(Clone, Debug)]
pub struct LatestPerKey<E> {
    exporter: E,
}

/// Creates an exporter that gets only the last entry of each key of a pass. Earlier entries of the
/// key are acknowledged with it.
///
/// # Examples
///
/// ```
/// use fluo_recipes::export_queue::{ExportError, Exported, Exports, latest_per_key};
///
/// let exporter = latest_per_key(async |exports: Exports<String, u64>| {
///     // Each key is there once.
///     Ok::<_, ExportError>(Exported::All)
/// });
/// # fn is_exporter(_: impl fluo_recipes::export_queue::Exporter<String, u64>) {}
/// # is_exporter(exporter);
/// ```
pub fn latest_per_key<E>(exporter: E) -> LatestPerKey<E> {
    LatestPerKey { exporter }
}

#[async_trait]
impl<K, V, E> Exporter<K, V> for LatestPerKey<E>
where
    K: Clone + Ord + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Exporter<K, V>,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        let positions = last_positions(&exports);
        let last: Vec<Export<K, V>> = positions
            .iter()
            .filter_map(|position| exports.get(*position).cloned())
            .collect();
        let position = |index: usize| positions.get(index).copied().unwrap_or(usize::MAX);
        Ok(match self.exporter.export(last.into()).await? {
            Exported::All => Exported::All,
            Exported::UpTo(0) => Exported::UpTo(0),
            Exported::UpTo(count) if count >= positions.len() => {
                Exported::UpTo(exports.len().saturating_add(count - positions.len()))
            }
            // Entries before the first that is left are acknowledged. Some of them may be earlier
            // ones of keys whose last entry is left.
            Exported::UpTo(count) => Exported::UpTo(position(count - 1) + 1),
            Exported::DeadLetters(letters) => Exported::DeadLetters(
                letters
                    .into_iter()
                    .map(|(index, why)| (position(index), why))
                    .collect(),
            ),
        })
    }
}

/// Returns the position of the last entry of each key, ascending.
fn last_positions<K: Ord, V>(exports: &[Export<K, V>]) -> Vec<usize> {
    let last: BTreeMap<&K, usize> = exports
        .iter()
        .enumerate()
        .map(|(position, export)| (&export.key, position))
        .collect();
    let mut positions: Vec<usize> = last.into_values().collect();
    positions.sort_unstable();
    positions
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use fluo::Timestamp;

    use super::{FanOut, latest_per_key};
    use crate::export_queue::{Export, ExportError, Exported, Exporter, Exports};

    fn exports(keys: &str) -> Exports<char, u64> {
        let export = |(key, number): (char, u64)| {
            let bytes = key.to_string();
            Export::new(key, bytes, number, Timestamp::new(number).unwrap())
        };
        keys.chars().zip(0..).map(export).collect()
    }

    fn answering(answer: Exported) -> (impl Exporter<char, u64>, Arc<Mutex<String>>) {
        let seen = Arc::new(Mutex::new(String::new()));
        let keep = seen.clone();
        let exporter = move |exports: Exports<char, u64>| {
            for export in &*exports {
                *keep.lock().unwrap() += &format!("{}{} ", export.key, export.value);
            }
            std::future::ready(Ok::<_, ExportError>(answer.clone()))
        };
        (exporter, seen)
    }

    #[tokio::test]
    async fn gives_all_entries_to_each_exporter() {
        let letters = Exported::DeadLetters(vec![(1, "bad".to_owned())]);
        for (second, expected) in [
            (Exported::All, Exported::All),
            (Exported::UpTo(1), Exported::UpTo(1)),
            (letters.clone(), letters),
        ] {
            let (first, seen_first) = answering(Exported::All);
            let (second, seen_second) = answering(second);
            let both = FanOut::new([Arc::new(first) as Arc<dyn Exporter<_, _>>, Arc::new(second)]);
            assert_eq!(both.export(exports("ab")).await.unwrap(), expected);
            assert_eq!(*seen_first.lock().unwrap(), "a0 b1 ");
            assert_eq!(*seen_second.lock().unwrap(), "a0 b1 ");
        }
    }

    #[tokio::test]
    async fn gives_the_last_entry_of_each_key() {
        for (answer, expected) in [
            (Exported::All, Exported::All),
            (Exported::UpTo(1), Exported::UpTo(3)),
            (Exported::UpTo(2), Exported::UpTo(4)),
            (Exported::UpTo(0), Exported::UpTo(0)),
            (Exported::UpTo(9), Exported::UpTo(11)),
            (
                Exported::DeadLetters(vec![(1, "bad".to_owned())]),
                Exported::DeadLetters(vec![(3, "bad".to_owned())]),
            ),
        ] {
            let (exporter, seen) = answering(answer);
            let exporter = latest_per_key(exporter);
            assert_eq!(exporter.export(exports("aaab")).await.unwrap(), expected);
            assert_eq!(*seen.lock().unwrap(), "a2 b3 ");
        }
    }
}
