//! A queue without its codecs: its kind, id and options, and so its rows and its settings.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_engine::{Bytes, Column, Error, Observer, Registration, Result, Timestamp};
use fluo_keys::application::OPTIMIZATIONS;
use fluo_table::coordination::{ObservedColumn, ObserverKind};
use fluo_table::{CellBatches, ColumnSelector, Escaped, Scan};
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use super::entry::{dead_row, entry_row};
use super::{Entry, NOTIFICATION_FAMILY, QueueId, QueueKind, QueueOptions};
use crate::transient::TransientRange;

/// The definition of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueDefinition {
    pub(crate) kind: QueueKind,
    pub(crate) id: QueueId,
    pub(crate) options: QueueOptions,
}

impl QueueDefinition {
    /// Creates the definition of a queue with default options.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a wrong id.
    pub(crate) fn new(kind: QueueKind, id: impl Into<String>) -> Result<Self> {
        Ok(Self {
            kind,
            id: QueueId::new(id)?,
            options: QueueOptions::new(kind.names().buffer_bytes),
        })
    }

    /// Loads a definition that [`registration`](Self::registration) or a Java application has
    /// stored.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a wrong id, and for a missing or a wrong
    /// setting.
    pub(crate) fn load(
        kind: QueueKind,
        id: &str,
        settings: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let mut definition = Self::new(kind, id)?;
        let prefix = definition.settings_prefix();
        definition.options.load(&prefix, settings)?;
        Ok(definition)
    }

    /// Returns the prefix of the rows of all entries.
    pub(crate) fn entries_prefix(&self) -> String {
        format!("{}{}", self.id, self.kind.names().before_bucket)
    }

    /// Returns the row of a bucket: the prefix of its entries.
    pub(crate) fn bucket_row(&self, bucket: u32) -> Bytes {
        let bucket = self.options.buckets.text(bucket);
        Bytes::from(format!("{}{bucket}:", self.entries_prefix()))
    }

    /// Returns the row of the bucket of a key.
    pub(crate) fn bucket_row_of(&self, key: &[u8]) -> Bytes {
        self.bucket_row(self.options.buckets.of(key))
    }

    /// Returns the row of an entry.
    pub(crate) fn entry_row(&self, key: &[u8], sequence: Timestamp) -> Bytes {
        entry_row(&self.bucket_row_of(key), key, sequence)
    }

    /// Returns the prefix of the rows of the dead letters.
    pub(crate) fn dead_prefix(&self) -> Bytes {
        self.dead_row(self.entries_prefix().as_bytes())
    }

    /// Returns the row of the dead letter of an entry.
    pub(crate) fn dead_row(&self, entry_row: &[u8]) -> Bytes {
        dead_row(self.id.as_str(), entry_row)
    }

    /// Returns the column of an entry.
    pub(crate) fn entry_column(&self) -> &'static Column {
        &self.kind.names().entry
    }

    /// Returns the column of the position at which the next pass over a bucket begins.
    pub(crate) fn next_column(&self) -> &'static Column {
        &self.kind.names().next
    }

    /// Returns the column of the notifications of buckets.
    pub(crate) fn notification(&self) -> Column {
        let name = self.kind.names().notification;
        Column::new(NOTIFICATION_FAMILY, format!("{name}:{}", self.id))
    }

    /// Returns the id of the observer.
    pub(crate) fn observer_id(&self) -> String {
        format!("{}-{}", self.kind.names().observer, self.id)
    }

    /// Returns a scan for entries of some rows.
    pub(crate) fn select_entries(&self, scan: Scan) -> Scan {
        let column = self.entry_column().clone();
        scan.column(ColumnSelector::qualifier(column.family, column.qualifier))
    }

    /// Returns the entries that a scan has found.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error. [`Corrupt`](fluo_table::ErrorKind::Corrupt) for a row
    /// that no queue writes.
    pub(crate) fn entries(&self, found: CellBatches) -> BoxStream<'static, Result<Entry>> {
        let prefix = self.entries_prefix();
        let cells = found.map_ok(|cells| stream::iter(cells.into_iter().map(Ok)));
        cells
            .try_flatten()
            .and_then(move |cell| {
                let entry = Entry::parse(cell.key.row, prefix.as_bytes(), cell.value);
                std::future::ready(entry)
            })
            .boxed()
    }

    /// Checks that a notified row is the row of a bucket.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a row of no bucket of this queue, as after
    /// a change of the number of buckets.
    pub(crate) fn check_bucket_row(&self, row: &[u8]) -> Result<()> {
        let text = row
            .strip_prefix(self.entries_prefix().as_bytes())
            .and_then(|rest| rest.strip_suffix(b":"));
        let buckets = self.options.buckets;
        match text.is_some_and(|text| buckets.has(text)) {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "`{}` is no bucket of the {self} with {} buckets; use the number that it was filled with",
                Escaped(row),
                buckets.count()
            ))),
        }
    }

    /// Returns the registration of the queue, with the names of the codecs of its keys and values,
    /// and its observer if this program runs it.
    pub(crate) fn registration(
        &self,
        keys: &str,
        values: &str,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Registration> {
        let (id, prefix, names) = (&self.id, self.settings_prefix(), self.kind.names());
        let ((after, until), ends) = match self.kind {
            QueueKind::Combine => ((format!("{id}:d:~"), format!("{id}:u:~")), &[":", "!"][..]),
            QueueKind::Export => ((format!("{id}#"), format!("{id}:~")), &[":", "!", "#"][..]),
        };
        let range = format!("{}.{id}", names.settings);
        let dead = TransientRange::new(
            format!("{range}!dead"),
            format!("{id}!dead:"),
            format!("{id}!dead;"),
        )?;
        let transient = [TransientRange::new(range, after, until)?, dead];
        let observed =
            ObservedColumn::new(self.notification(), ObserverKind::Weak, self.observer_id());
        let options = self.options.to_settings(&prefix).into_iter();
        let registration = Registration::new(id.to_string(), format!("the {self}"))
            .set(format!("{OPTIMIZATIONS}{id}"), self.kind.optimizer())
            .require(format!("{prefix}key"), keys)
            .require(format!("{prefix}val"), values)
            .observe_with(observed, observer);
        let registration = transient.iter().fold(registration, |registration, range| {
            let (name, value) = range.to_setting();
            registration.set(name, value)
        });
        let registration = options.fold(registration, |registration, (name, value)| {
            match name == self.buckets_setting() {
                true => registration.require(name, value),
                false => registration.set(name, value),
            }
        });
        Ok(ends
            .iter()
            .fold(registration, |registration, end| registration.rows(format!("{id}{end}"))))
    }

    /// Returns the name of the setting with the number of buckets.
    pub(crate) fn buckets_setting(&self) -> String {
        format!("{}buckets", self.settings_prefix())
    }

    /// Returns the name of the setting that exists while values may have copies in buckets of
    /// another number: the present number, a comma, the other one.
    pub(crate) fn copies_setting(&self) -> String {
        format!("{}copies", self.settings_prefix())
    }

    /// Returns the prefix of the names of the settings, such as `recipes.cfm.wc.`.
    fn settings_prefix(&self) -> String {
        format!("recipes.{}.{}.", self.kind.names().settings, self.id)
    }
}

/// Writes the queue as messages name it: "combine queue `wc`".
impl fmt::Display for QueueDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} queue `{}`", self.kind, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::{QueueDefinition, QueueKind};
    use crate::queue::Buckets;

    fn definition(kind: QueueKind, id: &str, buckets: u32) -> QueueDefinition {
        let mut definition = QueueDefinition::new(kind, id).unwrap();
        definition.options.buckets = Buckets::new(buckets).unwrap();
        definition
    }

    #[test]
    fn names_its_parts_as_fluo_recipes_does() {
        let words = definition(QueueKind::Combine, "wc", 3);
        assert_eq!(words.bucket_row(2), "wc:u:2:");
        assert_eq!(words.notification().to_string(), "fluoRecipes:cfm:wc");
        assert_eq!(words.observer_id(), "combineq-wc");
        let mails = definition(QueueKind::Export, "mails", 17);
        assert_eq!(mails.bucket_row(2), "mails:02:");
        assert_eq!(mails.notification().to_string(), "fluoRecipes:eq:mails");
        assert_eq!(mails.observer_id(), "exportq-mails");
    }

    #[test]
    fn accepts_only_its_own_buckets() {
        let words = definition(QueueKind::Combine, "wc", 17);
        assert!(words.check_bucket_row(b"wc:u:10:").is_ok());
        for row in [
            &b"wc:u:11:"[..],
            b"wc:u:1:",
            b"wc:u:001:",
            b"wc:d:01:",
            b"wc:u:+1:",
            b"wc:u:01",
            b"wc:01:",
            b"x",
        ] {
            assert!(words.check_bucket_row(row).is_err(), "{row:?}");
        }
        let mails = definition(QueueKind::Export, "mails", 3);
        assert!(mails.check_bucket_row(b"mails:1:").is_ok());
        let message = mails.check_bucket_row(b"mails:01:").unwrap_err().to_string();
        assert_eq!(
            message,
            "`mails:01:` is no bucket of the export queue `mails` with 3 buckets; use the number that it was filled with"
        );
    }

    #[test]
    fn loads_what_it_stores() {
        for kind in [QueueKind::Combine, QueueKind::Export] {
            let mut stored = definition(kind, "q", 7);
            stored.options.buffer_bytes = 5;
            let prefix = stored.settings_prefix();
            let settings = stored.options.to_settings(&prefix);
            assert_eq!(QueueDefinition::load(kind, "q", &settings).unwrap(), stored);
        }
    }
}
