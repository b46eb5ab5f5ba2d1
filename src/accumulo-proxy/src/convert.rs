//! Conversion between the public types and the types of the wire, all in this module.
//!
//! Every public value converts to the wire. A value from the wire fails to convert if a required
//! field is absent or if a number is not a value of its enumeration. The error is a sentence that
//! becomes the reason of an [`ErrorKind::Protocol`](crate::ErrorKind::Protocol).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::data::{
    ActiveCompaction, ActiveScan, BatchScanOptions, Bytes, Change, ColumnUpdate, CompactionReason,
    CompactionType, Condition, ConditionalMutation, DiskUsage, Durability, Entry, IteratorScope,
    IteratorSetting, Key, KeyExtent, NamespacePermission, PartialKey, Range, ScanColumn,
    ScanOptions, ScanState, ScanType, SystemPermission, TablePermission, TimeType,
};
use crate::wire::interface as wire;

/// The reason why a value from the wire has no meaning.
pub(crate) type Meaningless = String;

/// A value that converts to its form on the wire.
pub(crate) trait ToWire {
    /// The form on the wire.
    type Wire;

    /// Converts the value.
    fn to_wire(&self) -> Self::Wire;
}

/// A value that is created from its form `W` on the wire.
pub(crate) trait FromWire<W>: Sized {
    /// Converts the value.
    fn from_wire(wire: W) -> Result<Self, Meaningless>;
}

/// Converts many values to their form on the wire.
pub(crate) fn all_to_wire<T: ToWire>(values: &[T]) -> Vec<T::Wire> {
    values.iter().map(ToWire::to_wire).collect()
}

/// Converts byte strings to a set on the wire.
pub(crate) fn bytes_set<'a>(values: impl IntoIterator<Item = &'a Bytes>) -> BTreeSet<Vec<u8>> {
    values.into_iter().map(|value| value.to_vec()).collect()
}

/// Returns a required value, or an error if it is absent.
pub(crate) fn present<T>(value: Option<T>, name: &str) -> Result<T, Meaningless> {
    value.ok_or_else(|| format!("the reply lacks `{name}`"))
}

/// Implements conversions of values that have the same form on the wire.
macro_rules! same {
    ($($type:ty),*) => {
        $(
            impl ToWire for $type {
                type Wire = Self;

                fn to_wire(&self) -> Self {
                    self.clone()
                }
            }

            impl FromWire<$type> for $type {
                fn from_wire(wire: Self) -> Result<Self, Meaningless> {
                    Ok(wire)
                }
            }
        )*
    };
}

same!((), bool, i32, String);

impl ToWire for str {
    type Wire = String;

    fn to_wire(&self) -> String {
        self.to_owned()
    }
}

/// An absent row is the edge of the table.
impl ToWire for Option<&[u8]> {
    type Wire = Option<Vec<u8>>;

    fn to_wire(&self) -> Option<Vec<u8>> {
        self.map(<[u8]>::to_vec)
    }
}

/// A maximum. Without one, and above the greatest that the wire can express, all are meant.
impl ToWire for Option<usize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.map_or(i32::MAX, |most| i32::try_from(most).unwrap_or(i32::MAX))
    }
}

impl ToWire for Option<NonZeroUsize> {
    type Wire = i32;

    fn to_wire(&self) -> i32 {
        self.map(NonZeroUsize::get).to_wire()
    }
}

impl ToWire for [IteratorScope] {
    type Wire = BTreeSet<wire::IteratorScope>;

    fn to_wire(&self) -> BTreeSet<wire::IteratorScope> {
        self.iter().map(ToWire::to_wire).collect()
    }
}

impl<V: Clone> ToWire for BTreeMap<String, V> {
    type Wire = Self;

    fn to_wire(&self) -> Self {
        self.clone()
    }
}

impl FromWire<Vec<u8>> for Bytes {
    fn from_wire(bytes: Vec<u8>) -> Result<Self, Meaningless> {
        Ok(bytes.into())
    }
}

impl<W, T: FromWire<W>> FromWire<Option<W>> for Option<T> {
    fn from_wire(wire: Option<W>) -> Result<Self, Meaningless> {
        wire.map(T::from_wire).transpose()
    }
}

impl<W, T: FromWire<W>> FromWire<Vec<W>> for Vec<T> {
    fn from_wire(values: Vec<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<W, T: FromWire<W> + Ord> FromWire<Vec<W>> for BTreeSet<T> {
    fn from_wire(values: Vec<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<W, T: FromWire<W> + Ord> FromWire<BTreeSet<W>> for BTreeSet<T> {
    fn from_wire(values: BTreeSet<W>) -> Result<Self, Meaningless> {
        values.into_iter().map(T::from_wire).collect()
    }
}

impl<K: Ord, W, T: FromWire<W>> FromWire<BTreeMap<K, W>> for BTreeMap<K, T> {
    fn from_wire(entries: BTreeMap<K, W>) -> Result<Self, Meaningless> {
        let entries = entries.into_iter();
        entries
            .map(|(key, value)| Ok((key, T::from_wire(value)?)))
            .collect()
    }
}

/// Converts an enumeration and its values to the wire and back.
macro_rules! enumeration {
    ($name:ident: $($value:ident = $wire:ident),* $(,)?) => {
        impl ToWire for $name {
            type Wire = wire::$name;

            fn to_wire(&self) -> wire::$name {
                match self {
                    $(Self::$value => wire::$name::$wire,)*
                }
            }
        }

        impl FromWire<wire::$name> for $name {
            fn from_wire(wire: wire::$name) -> Result<Self, Meaningless> {
                match wire {
                    $(wire::$name::$wire => Ok(Self::$value),)*
                    other => Err(format!(
                        "{} is not a value of {} that this client supports",
                        other.0,
                        stringify!($name)
                    )),
                }
            }
        }
    };
}

enumeration!(PartialKey: Row = ROW, RowFamily = ROW_COLFAM, RowFamilyQualifier = ROW_COLFAM_COLQUAL,
    RowFamilyQualifierVisibility = ROW_COLFAM_COLQUAL_COLVIS,
    RowFamilyQualifierVisibilityTime = ROW_COLFAM_COLQUAL_COLVIS_TIME,
    All = ROW_COLFAM_COLQUAL_COLVIS_TIME_DEL);
enumeration!(TablePermission: Read = READ, Write = WRITE, BulkImport = BULK_IMPORT, AlterTable = ALTER_TABLE,
    Grant = GRANT, DropTable = DROP_TABLE);
enumeration!(SystemPermission: Grant = GRANT, CreateTable = CREATE_TABLE, DropTable = DROP_TABLE,
    AlterTable = ALTER_TABLE, CreateUser = CREATE_USER, DropUser = DROP_USER, AlterUser = ALTER_USER,
    System = SYSTEM, CreateNamespace = CREATE_NAMESPACE, DropNamespace = DROP_NAMESPACE,
    AlterNamespace = ALTER_NAMESPACE, ObtainDelegationToken = OBTAIN_DELEGATION_TOKEN);
enumeration!(NamespacePermission: Read = READ, Write = WRITE, AlterNamespace = ALTER_NAMESPACE, Grant = GRANT,
    AlterTable = ALTER_TABLE, CreateTable = CREATE_TABLE, DropTable = DROP_TABLE, BulkImport = BULK_IMPORT,
    DropNamespace = DROP_NAMESPACE);
enumeration!(ScanType: Single = SINGLE, Batch = BATCH);
enumeration!(ScanState: Idle = IDLE, Running = RUNNING, Queued = QUEUED);
enumeration!(Durability: Default = DEFAULT, None = NONE, Log = LOG, Flush = FLUSH, Sync = SYNC);
enumeration!(CompactionType: Minor = MINOR, Merge = MERGE, Major = MAJOR, Full = FULL);
enumeration!(CompactionReason: User = USER, System = SYSTEM, Chop = CHOP, Idle = IDLE, Close = CLOSE);
enumeration!(IteratorScope: MinorCompaction = MINC, MajorCompaction = MAJC, Scan = SCAN);
enumeration!(TimeType: Logical = LOGICAL, Millis = MILLIS);

impl ToWire for Key {
    type Wire = wire::Key;

    fn to_wire(&self) -> wire::Key {
        wire::Key::new(
            self.row.to_vec(),
            self.family.to_vec(),
            self.qualifier.to_vec(),
            self.visibility.to_vec(),
            self.timestamp,
        )
    }
}

impl FromWire<wire::Key> for Key {
    fn from_wire(key: wire::Key) -> Result<Self, Meaningless> {
        Ok(Self {
            row: present(key.row, "row")?.into(),
            family: key.col_family.unwrap_or_default().into(),
            qualifier: key.col_qualifier.unwrap_or_default().into(),
            visibility: key.col_visibility.unwrap_or_default().into(),
            // An absent timestamp means the latest one.
            timestamp: key.timestamp.unwrap_or(i64::MAX),
        })
    }
}

impl FromWire<wire::KeyValue> for Entry {
    fn from_wire(entry: wire::KeyValue) -> Result<Self, Meaningless> {
        Ok(Self {
            key: Key::from_wire(present(entry.key, "key")?)?,
            value: entry.value.unwrap_or_default().into(),
        })
    }
}

impl ToWire for Range {
    type Wire = wire::Range;

    fn to_wire(&self) -> wire::Range {
        wire::Range::new(
            self.start.as_ref().map(ToWire::to_wire),
            self.start_inclusive,
            self.stop.as_ref().map(ToWire::to_wire),
            self.stop_inclusive,
        )
    }
}

impl FromWire<wire::Range> for Range {
    fn from_wire(range: wire::Range) -> Result<Self, Meaningless> {
        Ok(Self {
            start: FromWire::from_wire(range.start)?,
            start_inclusive: range.start_inclusive.unwrap_or_default(),
            stop: FromWire::from_wire(range.stop)?,
            stop_inclusive: range.stop_inclusive.unwrap_or_default(),
        })
    }
}

impl ToWire for ScanColumn {
    type Wire = wire::ScanColumn;

    fn to_wire(&self) -> wire::ScanColumn {
        let qualifier = self.qualifier.as_ref().map(|qualifier| qualifier.to_vec());
        wire::ScanColumn::new(self.family.to_vec(), qualifier)
    }
}

impl ToWire for ScanOptions {
    type Wire = wire::ScanOptions;

    fn to_wire(&self) -> wire::ScanOptions {
        wire::ScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            self.range.to_wire(),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            None,
        )
    }
}

impl ToWire for BatchScanOptions {
    type Wire = wire::BatchScanOptions;

    fn to_wire(&self) -> wire::BatchScanOptions {
        wire::BatchScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            all_to_wire(&self.ranges),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            self.threads.map(|threads| Some(threads).to_wire()),
        )
    }
}

/// Converts a list, an empty one to an absent one: absent means all columns or no iterators, which
/// an empty list does not guarantee.
fn some_to_wire<T: ToWire>(values: &[T]) -> Option<Vec<T::Wire>> {
    (!values.is_empty()).then(|| all_to_wire(values))
}

impl ToWire for IteratorSetting {
    type Wire = wire::IteratorSetting;

    fn to_wire(&self) -> wire::IteratorSetting {
        wire::IteratorSetting::new(
            self.priority,
            self.name.clone(),
            self.class.clone(),
            self.options.clone(),
        )
    }
}

impl FromWire<wire::IteratorSetting> for IteratorSetting {
    fn from_wire(setting: wire::IteratorSetting) -> Result<Self, Meaningless> {
        Ok(Self {
            priority: present(setting.priority, "priority")?,
            name: present(setting.name, "name")?,
            class: present(setting.iterator_class, "iteratorClass")?,
            options: setting.properties.unwrap_or_default(),
        })
    }
}

impl ToWire for ColumnUpdate {
    type Wire = wire::ColumnUpdate;

    fn to_wire(&self) -> wire::ColumnUpdate {
        let (value, delete) = match &self.change {
            Change::Put(value) => (Some(value.to_vec()), None),
            Change::Delete => (None, Some(true)),
        };
        wire::ColumnUpdate::new(
            self.family.to_vec(),
            self.qualifier.to_vec(),
            self.visibility
                .as_ref()
                .map(|visibility| visibility.to_vec()),
            self.timestamp,
            value,
            delete,
        )
    }
}

impl ToWire for Condition {
    type Wire = wire::Condition;

    fn to_wire(&self) -> wire::Condition {
        let column = wire::Column::new(
            self.family.to_vec(),
            self.qualifier.to_vec(),
            self.visibility.to_vec(),
        );
        let iterators = (!self.iterators.is_empty()).then(|| all_to_wire(&self.iterators));
        let value = self.value.as_ref().map(|value| value.to_vec());
        wire::Condition::new(column, self.timestamp, value, iterators)
    }
}

impl FromWire<wire::KeyExtent> for KeyExtent {
    fn from_wire(extent: wire::KeyExtent) -> Result<Self, Meaningless> {
        Ok(Self {
            table_id: present(extent.table_id, "tableId")?,
            end_row: extent.end_row.map(Bytes::from),
            previous_end_row: extent.prev_end_row.map(Bytes::from),
        })
    }
}

impl FromWire<wire::ActiveScan> for ActiveScan {
    fn from_wire(scan: wire::ActiveScan) -> Result<Self, Meaningless> {
        let column = |column: wire::Column| {
            (
                column.col_family.unwrap_or_default().into(),
                column.col_qualifier.unwrap_or_default().into(),
                column.col_visibility.unwrap_or_default().into(),
            )
        };
        Ok(Self {
            client: scan.client.unwrap_or_default(),
            user: scan.user.unwrap_or_default(),
            table: scan.table.unwrap_or_default(),
            age_ms: scan.age.unwrap_or_default(),
            idle_ms: scan.idle_time.unwrap_or_default(),
            scan_type: ScanType::from_wire(present(scan.type_, "type")?)?,
            state: ScanState::from_wire(present(scan.state, "state")?)?,
            extent: FromWire::from_wire(scan.extent)?,
            columns: scan
                .columns
                .unwrap_or_default()
                .into_iter()
                .map(column)
                .collect(),
            iterators: FromWire::from_wire(scan.iterators.unwrap_or_default())?,
            authorizations: FromWire::from_wire(scan.authorizations.unwrap_or_default())?,
        })
    }
}

impl FromWire<wire::ActiveCompaction> for ActiveCompaction {
    fn from_wire(compaction: wire::ActiveCompaction) -> Result<Self, Meaningless> {
        Ok(Self {
            extent: FromWire::from_wire(compaction.extent)?,
            age_ms: compaction.age.unwrap_or_default(),
            input_files: compaction.input_files.unwrap_or_default(),
            output_file: compaction.output_file.unwrap_or_default(),
            compaction_type: CompactionType::from_wire(present(compaction.type_, "type")?)?,
            reason: CompactionReason::from_wire(present(compaction.reason, "reason")?)?,
            locality_group: compaction.locality_group.unwrap_or_default(),
            entries_read: compaction.entries_read.unwrap_or_default(),
            entries_written: compaction.entries_written.unwrap_or_default(),
            iterators: FromWire::from_wire(compaction.iterators.unwrap_or_default())?,
        })
    }
}

impl FromWire<wire::DiskUsage> for DiskUsage {
    fn from_wire(usage: wire::DiskUsage) -> Result<Self, Meaningless> {
        Ok(Self {
            tables: usage.tables.unwrap_or_default(),
            bytes: usage.usage.unwrap_or_default(),
        })
    }
}

impl ToWire for ConditionalMutation {
    type Wire = wire::ConditionalUpdates;

    fn to_wire(&self) -> wire::ConditionalUpdates {
        wire::ConditionalUpdates::new(all_to_wire(&self.conditions), all_to_wire(&self.updates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_all_authorizations_as_absent_and_none_as_an_empty_set() {
        assert_eq!(ScanOptions::default().to_wire().authorizations, None);
        let none = ScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
        assert_eq!(BatchScanOptions::default().to_wire().authorizations, None);
        let none = BatchScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
    }

    #[test]
    fn sends_empty_lists_as_absent() {
        let wire = ScanOptions::default().to_wire();
        assert_eq!((wire.columns, wire.iterators), (None, None));
    }
}
