//! The exporter of the last entries of keys.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fluo_engine::Bytes;

use super::answer::acknowledged;
use super::{Export, ExportError, Exported, Exporter, Exports};

/// An exporter of the last entries of keys. See [`latest_per_key`].
#[derive(Clone, Debug)]
pub struct LatestPerKey<E> {
    exporter: E,
}

/// Creates an exporter that gets only the last entry of each key of a pass. Earlier entries of the
/// key are acknowledged with it.
///
/// If the exporter rejects the last entry of a key, only this entry becomes a dead letter. The
/// earlier entries of the pass leave the queue, and no exporter has got them.
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
    K: Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Exporter<K, V>,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        let positions = last_positions(&exports);
        let last: Vec<Export<K, V>> =
            positions.iter().filter_map(|position| exports.get(*position).cloned()).collect();
        let answer = self.exporter.export(last.into()).await?;
        let answer = acknowledged(answer, positions.len()).map_err(ExportError::fatal)?;
        Ok(at_positions(answer, &positions, exports.len()))
    }
}

/// Returns the answer about all entries, given the checked one about those at some positions.
fn at_positions(
    (count, rejected): (usize, Vec<(usize, String)>),
    positions: &[usize],
    entries: usize,
) -> Exported {
    // Entries before the first that is left are acknowledged. Some of them may be earlier ones of
    // keys whose last entry is left.
    let acknowledged = positions.get(..count).and_then(<[usize]>::last);
    let up_to = match count < positions.len() {
        true => acknowledged.map_or(0, |last| last + 1),
        false => entries,
    };
    let place = |(index, why): (usize, String)| Some((*positions.get(index)?, why));
    let rejected = rejected.into_iter().filter_map(place).collect();
    Exported::first(up_to, entries, rejected)
}

/// Returns the position of the last entry of each key, ascending.
fn last_positions<K, V>(exports: &[Export<K, V>]) -> Vec<usize> {
    let last: BTreeMap<&Bytes, usize> = exports
        .iter()
        .enumerate()
        .map(|(position, export)| (export.key_bytes(), position))
        .collect();
    let mut positions: Vec<usize> = last.into_values().collect();
    positions.sort_unstable();
    positions
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use fluo_engine::Timestamp;

    use super::latest_per_key;
    use crate::export_queue::{Export, ExportError, Exported, Exporter, Exports};

    /// A key without an order.
    #[derive(Clone)]
    struct Key(char);

    fn exports(keys: &str) -> Exports<Key, u64> {
        let export = |(key, number): (char, u64)| {
            let sequence = Timestamp::new(number).unwrap();
            Export::new(Key(key), key.to_string(), number, sequence)
        };
        keys.chars().zip(0..).map(export).collect()
    }

    /// Exports `aaabb`, and returns the entries that the inner exporter has got, and the result.
    async fn export(answer: Exported) -> (String, Result<Exported, ExportError>) {
        let seen = Arc::new(Mutex::new(String::new()));
        let keep = seen.clone();
        let exporter = latest_per_key(move |exports: Exports<Key, u64>| {
            for export in &*exports {
                *keep.lock().unwrap() += &format!("{}{} ", export.key.0, export.value);
            }
            std::future::ready(Ok::<_, ExportError>(answer.clone()))
        });
        let result = exporter.export(exports("aaabb")).await;
        (std::mem::take(&mut *seen.lock().unwrap()), result)
    }

    fn letters(up_to: usize, index: usize) -> Exported {
        let rejected = vec![(index, "bad".to_owned())];
        Exported::DeadLetters { up_to, rejected }
    }

    #[tokio::test]
    async fn gives_the_last_entry_of_each_key() {
        for (answer, expected) in [
            (Exported::All, Exported::All),
            (Exported::UpTo(1), Exported::UpTo(3)),
            (Exported::UpTo(2), Exported::All),
            (letters(2, 1), letters(5, 4)),
            (letters(1, 0), letters(3, 2)),
        ] {
            let (seen, result) = export(answer).await;
            assert_eq!((seen.as_str(), result.unwrap()), ("a2 b4 ", expected));
        }
    }

    #[tokio::test]
    async fn reports_the_index_of_the_inner_exporter() {
        for (answer, message) in [
            (letters(2, 7), "the exporter failed: the exporter has rejected entry 7,"),
            (
                Exported::UpTo(9),
                "the exporter failed: the exporter has acknowledged 9 of 2 entries",
            ),
            (Exported::UpTo(0), "the exporter failed: the exporter has acknowledged no entry"),
        ] {
            let error = export(answer).await.1.unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
