//! A queue without its codecs: its kind, id and options, and so its rows and settings.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::sync::Arc;

use fluo_engine::{Bytes, Column, Error, Observer, Registration, Result, Snapshot, Timestamp};
use fluo_keys::application::OPTIMIZATIONS;
use fluo_table::coordination::{ObservedColumn, ObserverKind};
use fluo_table::{ColumnSelector, Escaped, Scan, counted};
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use super::entry::entry_row;
use super::{Buckets, Entry, NOTIFICATION_FAMILY, QueueKind};
use crate::transient::TransientRange;

/// The number of buckets of a tablet, if no other is set.
const BUCKETS_PER_TABLET: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// A queue of an application, as its settings store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredQueue {
    pub(crate) kind: QueueKind,
    /// The prefix of the rows, and a part of the settings.
    pub(crate) id: String,
    pub(crate) buckets: Buckets,
    pub(crate) buckets_per_tablet: NonZeroU32,
    /// The number of bytes that a pass reads.
    pub(crate) buffer_bytes: usize,
}

impl StoredQueue {
    /// Returns the queues of an application, sorted by their ids.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a missing or a wrong setting of a queue.
    pub fn all(settings: &BTreeMap<String, String>) -> Result<Vec<Self>> {
        let queue = |(name, class): (&String, &String)| {
            let id = name.strip_prefix(OPTIMIZATIONS)?;
            Some(Self::load(QueueKind::from_optimizer(class)?, id, settings))
        };
        settings.iter().filter_map(queue).collect()
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The kind.
    pub fn kind(&self) -> QueueKind {
        self.kind
    }

    /// The number of buckets.
    pub fn buckets(&self) -> u32 {
        self.buckets.count()
    }

    /// Returns the column of the notifications of the buckets.
    pub fn notification(&self) -> Column {
        let name = self.kind.names().notification;
        Column::new(NOTIFICATION_FAMILY, format!("{name}:{}", self.id))
    }

    /// Creates a queue with default options. Rejects ids with which the rows of two queues would be
    /// ambiguous.
    pub(crate) fn new(kind: QueueKind, id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let is_fault = |found: char| matches!(found, ':' | '!' | '#') || found.is_control();
        if let Some(found) = id.chars().find(|found| is_fault(*found)) {
            return Err(Error::invalid(format!(
                "the queue id `{}` contains `{}`; use an id without `:`, `!`, `#` and control characters",
                id.escape_debug(),
                found.escape_debug()
            )));
        }
        if id.is_empty() {
            return Err(Error::invalid(
                "the id of a queue is empty; give at least one character, such as `wc`",
            ));
        }
        Ok(Self {
            kind,
            id,
            buckets: Buckets::DEFAULT,
            buckets_per_tablet: BUCKETS_PER_TABLET,
            buffer_bytes: kind.names().buffer_bytes,
        })
    }

    /// Loads a queue that [`registration`](Self::registration) or a Java application has stored.
    pub(crate) fn load(
        kind: QueueKind,
        id: &str,
        settings: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let mut queue = Self::new(kind, id)?;
        let name = queue.setting("buckets");
        let buckets = number(&name, settings)?.ok_or_else(|| {
            Error::invalid(format!("the setting `{name}` is missing; set the number of buckets"))
        })?;
        queue.buckets = Buckets::new(buckets)?;
        if let Some(buckets) = number(&queue.setting("bucketsPerTablet"), settings)? {
            queue.buckets_per_tablet = buckets;
        }
        if let Some(bytes) = number::<NonZeroUsize>(&queue.setting("bufferSize"), settings)? {
            queue.buffer_bytes = bytes.get();
        }
        Ok(queue)
    }

    /// Returns the name of a setting, such as `recipes.cfm.wc.buckets`.
    pub(crate) fn setting(&self, name: &str) -> String {
        format!("recipes.{}.{}.{name}", self.kind.names().settings, self.id)
    }

    pub(crate) fn entries_prefix(&self) -> String {
        format!("{}{}", self.id, self.kind.names().before_bucket)
    }

    /// Returns the row of a bucket: the prefix of its entries.
    pub(crate) fn bucket_row(&self, bucket: u32) -> Bytes {
        Bytes::from(format!("{}{}:", self.entries_prefix(), self.buckets.text(bucket)))
    }

    pub(crate) fn bucket_row_of(&self, key: &[u8]) -> Bytes {
        self.bucket_row(self.buckets.of(key))
    }

    pub(crate) fn entry_row(&self, key: &[u8], sequence: Timestamp) -> Bytes {
        entry_row(&self.bucket_row_of(key), key, sequence)
    }

    pub(crate) fn dead_prefix(&self) -> Bytes {
        self.dead_row(self.entries_prefix().as_bytes())
    }

    pub(crate) fn dead_row(&self, entry_row: &[u8]) -> Bytes {
        let rest = entry_row.get(self.id.len()..).unwrap_or_default();
        Bytes::from([self.id.as_bytes(), b"!dead", rest].concat())
    }

    pub(crate) fn entry_column(&self) -> &'static Column {
        &self.kind.names().entry
    }

    /// Returns the column of the position at which the next pass over a bucket begins.
    pub(crate) fn next_column(&self) -> &'static Column {
        &self.kind.names().next
    }

    pub(crate) fn observer_id(&self) -> String {
        format!("{}-{}", self.kind.names().observer, self.id)
    }

    pub(crate) fn entries(
        &self,
        snapshot: &Snapshot,
        rows: Scan,
    ) -> BoxStream<'static, Result<Entry>> {
        let Column { family, qualifier, .. } = self.entry_column().clone();
        let found = snapshot.scan(rows.column(ColumnSelector::qualifier(family, qualifier)));
        let prefix = self.entries_prefix();
        found
            .map_ok(|cells| stream::iter(cells.into_iter().map(Ok)))
            .try_flatten()
            .and_then(move |cell| {
                let entry = Entry::parse(cell.key.row, prefix.as_bytes(), cell.value);
                std::future::ready(entry)
            })
            .boxed()
    }

    pub(crate) fn check_bucket_row(&self, row: &[u8]) -> Result<()> {
        let rest = row.strip_prefix(self.entries_prefix().as_bytes());
        let bucket = rest.and_then(|rest| rest.strip_suffix(b":"));
        if bucket.is_some_and(|bucket| self.buckets.has(bucket)) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "`{}` is not a bucket of the {self} with {}; use the number that it was filled with",
            Escaped(row),
            counted(self.buckets.count(), "bucket")
        )))
    }

    /// Returns the registration of the queue, with the names of the codecs of its keys and values,
    /// and its observer if this program runs it. Defaults are not stored, apart from the number of
    /// buckets.
    pub(crate) fn registration(
        &self,
        keys: &str,
        values: &str,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Registration> {
        let (id, names) = (&self.id, self.kind.names());
        let ((after, until), ends) = match self.kind {
            QueueKind::Combine => ((format!("{id}:d:~"), format!("{id}:u:~")), &[":", "!"][..]),
            QueueKind::Export => ((format!("{id}#"), format!("{id}:~")), &[":", "!", "#"][..]),
        };
        let range = format!("{}.{id}", names.settings);
        let (dead, dead_end) = (format!("{id}!dead:"), format!("{id}!dead;"));
        let dead = TransientRange::new(format!("{range}!dead"), dead, dead_end)?;
        let observed =
            ObservedColumn::new(self.notification(), ObserverKind::Weak, self.observer_id());
        let mut registration = Registration::new(id.clone(), format!("the {self}"))
            .set(format!("{OPTIMIZATIONS}{id}"), names.optimizer)
            .require(self.setting("key"), keys)
            .require(self.setting("val"), values)
            .require(self.setting("buckets"), self.buckets.count().to_string())
            .observe_with(observed, observer);
        if self.buckets_per_tablet != BUCKETS_PER_TABLET {
            let buckets = self.buckets_per_tablet.to_string();
            registration = registration.set(self.setting("bucketsPerTablet"), buckets);
        }
        if self.buffer_bytes != names.buffer_bytes {
            let bytes = self.buffer_bytes.to_string();
            registration = registration.set(self.setting("bufferSize"), bytes);
        }
        for range in [TransientRange::new(range, after, until)?, dead] {
            let (name, value) = range.to_setting();
            registration = registration.set(name, value);
        }
        for end in ends {
            registration = registration.rows(format!("{id}{end}"));
        }
        Ok(registration)
    }
}

/// Returns a number among the settings. `None` if it is not set.
fn number<N: FromStr>(name: &str, settings: &BTreeMap<String, String>) -> Result<Option<N>> {
    let parse = |text: &String| {
        text.parse().map_err(|_| {
            Error::invalid(format!("the setting `{name}` is `{text}`; set a positive number"))
        })
    };
    settings.get(name).map(parse).transpose()
}

/// Writes the queue as messages name it: "combine queue `wc`".
impl fmt::Display for StoredQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} queue `{}`", self.kind, self.id)
    }
}

#[cfg(test)]
mod tests {
    use fluo_engine::{Instance, InstanceExt, Recipe, Registration, Result};
    use fluo_table::Timestamp;

    use super::{QueueKind, StoredQueue};
    use crate::queue::Buckets;

    fn definition(kind: QueueKind, id: &str, buckets: u32) -> StoredQueue {
        let mut definition = StoredQueue::new(kind, id).unwrap();
        definition.buckets = Buckets::new(buckets).unwrap();
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
            "`mails:01:` is not a bucket of the export queue `mails` with 3 buckets; use the number that it was filled with"
        );
    }

    struct Registered(Registration);

    impl Recipe for Registered {
        fn registration(&self) -> Result<Registration> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn loads_what_it_registers() {
        for kind in [QueueKind::Combine, QueueKind::Export] {
            let mut queue = definition(kind, "q", 7);
            (queue.buckets_per_tablet, queue.buffer_bytes) = (3.try_into().unwrap(), 5);
            let recipe = Registered(queue.registration("k", "v", None).unwrap());
            let settings = Instance::in_memory().application("a").recipe(&recipe).settings();
            let loaded = StoredQueue::load(kind, "q", &settings).unwrap();
            assert_eq!((loaded.buckets_per_tablet.get(), loaded.buffer_bytes), (3, 5));
            assert_eq!(loaded.buckets, queue.buckets);
        }
    }

    #[test]
    fn loads_the_settings_of_fluo_recipes() {
        let stored = [
            ("recipes.cfm.q.buckets", "7"),
            ("recipes.cfm.q.bucketsPerTablet", "2"),
            ("recipes.cfm.q.bufferSize", "5"),
        ];
        let settings = stored.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let loaded = StoredQueue::load(QueueKind::Combine, "q", &settings).unwrap();
        assert_eq!((loaded.buckets_per_tablet.get(), loaded.buffer_bytes), (2, 5));
        assert_eq!(loaded.buckets, Buckets::new(7).unwrap());
    }

    #[test]
    fn keeps_the_bucket_and_the_sequence_in_a_dead_letter() {
        let exports = definition(QueueKind::Export, "eq", 1);
        let row = exports.entry_row(b"key", Timestamp::new(1).unwrap());
        assert_eq!(exports.dead_row(&row), &b"eq!dead:0:key\0\0\0\0\0\0\0\x01"[..]);
    }

    #[test]
    fn rejects_ids_whose_rows_could_be_rows_of_others() {
        for id in ["", ":", "a:b", "a!b", "a#", "a\n", "\u{0}"] {
            assert!(StoredQueue::new(QueueKind::Export, id).is_err(), "{id:?}");
        }
        for id in ["a", "word count", "日本", "a.b", "a~"] {
            assert_eq!(StoredQueue::new(QueueKind::Export, id).unwrap().id, id);
        }
        assert_eq!(
            StoredQueue::new(QueueKind::Export, "a:b").unwrap_err().to_string(),
            "the queue id `a:b` contains `:`; use an id without `:`, `!`, `#` and control characters"
        );
    }
}
