//! The exporter that passes its entries to several others.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;

use super::{ExportError, Exported, Exporter, Exports};

/// An exporter that passes all entries to each of several exporters, one after the other.
///
/// - An entry is acknowledged when all exporters have acknowledged it. So after a failure of one,
///   the others get its entries again.
/// - An entry that one exporter rejects becomes a dead letter, with the reasons of all that reject
///   it. The others may have exported it.
/// - If an exporter fails, the following ones still get the entries. Then the first
///   [fatal](ExportError::fatal) error is returned, or the first error if none is fatal.
///
/// # Examples
///
/// ```
/// use fluo_recipes::export_queue::{ExportError, Exported, Exports, FanOut};
///
/// let search = async |_: Exports<String, u64>| Ok::<_, ExportError>(Exported::All);
/// let audit = async |_: Exports<String, u64>| Ok::<_, ExportError>(Exported::All);
/// let both = FanOut::new(search).and(audit);
/// # fn is_exporter(_: impl fluo_recipes::export_queue::Exporter<String, u64>) {}
/// # is_exporter(both);
/// ```
#[must_use]
pub struct FanOut<K, V> {
    exporters: Vec<Box<dyn Exporter<K, V>>>,
}

impl<K, V> FanOut<K, V> {
    /// Creates an exporter that passes all entries to this one. [`and`](Self::and) adds others.
    pub fn new(exporter: impl Exporter<K, V>) -> Self {
        Self { exporters: vec![Box::new(exporter)] }
    }

    /// Adds an exporter, which gets the entries after those that were added before it.
    pub fn and(mut self, exporter: impl Exporter<K, V>) -> Self {
        self.exporters.push(Box::new(exporter));
        self
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
        let mut reasons: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut failure: Option<ExportError> = None;
        for exporter in &self.exporters {
            let answer = exporter.export(exports.clone()).await;
            let checked =
                |answer: Exported| answer.checked(exports.len()).map_err(ExportError::fatal);
            match answer.and_then(checked) {
                Ok((done, rejected)) => {
                    up_to = up_to.min(done);
                    for (index, why) in rejected {
                        reasons.entry(index).or_default().push(why);
                    }
                }
                Err(error) => {
                    let is_fatal = error.retry_after.is_none();
                    let kept = failure.filter(|first| first.retry_after.is_none() || !is_fatal);
                    failure = kept.or(Some(error));
                }
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        // An entry behind an unacknowledged one comes again, and is rejected then.
        let rejected = reasons.into_iter().filter(|(index, _)| *index < up_to);
        let rejected = rejected.map(|(index, reasons)| (index, reasons.join("; "))).collect();
        Ok(Exported::first(up_to, exports.len(), rejected))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use fluo_engine::Timestamp;

    use super::FanOut;
    use crate::export_queue::{Export, ExportError, Exported, Exporter, Exports};

    /// An answer or a failure that can be repeated.
    #[derive(Clone)]
    enum Answer {
        Is(Exported),
        Away(&'static str),
        Broken(&'static str),
    }
    use Answer::{Away, Broken, Is};

    impl Answer {
        fn result(&self) -> Result<Exported, ExportError> {
            match self.clone() {
                Is(exported) => Ok(exported),
                Away(why) => Err(ExportError::retry_after(Duration::from_secs(1), why)),
                Broken(why) => Err(ExportError::fatal(why)),
            }
        }
    }

    fn letters(up_to: usize, rejected: &[(usize, &str)]) -> Exported {
        let rejected = rejected.iter().map(|(at, why)| (*at, (*why).to_owned()));
        Exported::DeadLetters { up_to, rejected: rejected.collect() }
    }

    /// Exports three entries to exporters with these answers, and checks that each gets all.
    async fn export(answers: &[Answer]) -> Result<Exported, ExportError> {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let exporter = |number: usize| {
            let (answer, calls) = (answers[number].clone(), calls.clone());
            move |exports: Exports<char, ()>| {
                let keys: String = exports.iter().map(|export| export.key).collect();
                calls.lock().unwrap().push((number, keys));
                std::future::ready(answer.result())
            }
        };
        let first = FanOut::new(exporter(0));
        let all = (1..answers.len()).fold(first, |all, number| all.and(exporter(number)));
        let entry = |key: char| Export::new(key, key.to_string(), (), Timestamp::ZERO);
        let result = all.export("abc".chars().map(entry).collect()).await;
        let expected: Vec<_> =
            (0..answers.len()).map(|number| (number, "abc".to_owned())).collect();
        assert_eq!(*calls.lock().unwrap(), expected);
        result
    }

    #[tokio::test]
    async fn merges_the_answers_of_its_exporters() {
        let bad = |up_to| letters(up_to, &[(0, "bad")]);
        for (first, second, expected) in [
            (Exported::All, Exported::All, Exported::All),
            (Exported::All, Exported::UpTo(1), Exported::UpTo(1)),
            (Exported::UpTo(3), Exported::UpTo(3), Exported::All),
            (Exported::UpTo(1), bad(3), bad(1)),
            (bad(2), Exported::UpTo(1), bad(1)),
            (bad(2), Exported::All, bad(2)),
            (Exported::UpTo(1), letters(3, &[(1, "bad")]), Exported::UpTo(1)),
            (
                letters(3, &[(2, "late"), (0, "bad")]),
                letters(3, &[(0, "worse"), (1, "odd")]),
                letters(3, &[(0, "bad; worse"), (1, "odd"), (2, "late")]),
            ),
        ] {
            let merged = export(&[Is(first), Is(second)]).await.unwrap();
            assert_eq!(merged, expected);
        }
    }

    #[tokio::test]
    async fn calls_all_exporters_and_returns_the_first_fatal_error_or_the_first_one() {
        let all = Is(Exported::All);
        for (answers, expected) in [
            (vec![Away("one"), all.clone()], ("one", true)),
            (vec![Away("one"), Away("two")], ("one", true)),
            (vec![Away("one"), Broken("two")], ("two", false)),
            (vec![Broken("one"), Away("two"), Broken("three")], ("one", false)),
            (vec![all, Broken("two")], ("two", false)),
        ] {
            let error = export(&answers).await.unwrap_err();
            let found = (error.source.to_string(), error.retry_after.is_some());
            assert_eq!((found.0.as_str(), found.1), expected);
        }
    }

    #[tokio::test]
    async fn checks_the_answer_of_each_exporter() {
        for (answer, message) in [
            (Exported::UpTo(4), "has acknowledged 4 of 3 entries"),
            (letters(3, &[(0, "bad"), (0, "bad")]), "has rejected entry 0 twice"),
        ] {
            let error = export(&[Is(answer), Is(Exported::UpTo(1))]).await.unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}
