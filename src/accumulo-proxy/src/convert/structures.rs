//! Structures: keys, ranges, mutations, and what the servers report.

use std::collections::BTreeMap;

use super::{FromWire, Meaningless, ToWire, all_to_wire, present};
use crate::data::{
    ActiveCompaction, ActiveScan, Bytes, Change, ColumnUpdate, CompactionReason, CompactionType,
    Condition, ConditionalMutation, ConditionalOutcome, DiskUsage, Entry, IteratorSetting, Key,
    KeyExtent, Mutation, Range, ScanColumn, ScanState, ScanType,
};
use crate::wire::interface as wire;

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
            self.visibility.as_ref().map(|visibility| visibility.to_vec()),
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
            columns: scan.columns.unwrap_or_default().into_iter().map(column).collect(),
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

/// The updates by row. Several mutations of a row are merged, in their order.
impl ToWire for [Mutation] {
    type Wire = BTreeMap<Vec<u8>, Vec<wire::ColumnUpdate>>;

    fn to_wire(&self) -> BTreeMap<Vec<u8>, Vec<wire::ColumnUpdate>> {
        let mut cells = BTreeMap::<_, Vec<_>>::new();
        for mutation in self {
            let updates = cells.entry(mutation.row.to_vec()).or_default();
            updates.extend(all_to_wire(&mutation.updates));
        }
        cells
    }
}

impl FromWire<wire::ConditionalStatus> for ConditionalOutcome {
    fn from_wire(status: wire::ConditionalStatus) -> Result<Self, Meaningless> {
        match status {
            wire::ConditionalStatus::ACCEPTED => Ok(Self::Accepted),
            wire::ConditionalStatus::REJECTED => Ok(Self::Rejected),
            wire::ConditionalStatus::VIOLATED => Ok(Self::ConstraintViolation),
            wire::ConditionalStatus::INVISIBLE_VISIBILITY => Ok(Self::InvisibleVisibility),
            wire::ConditionalStatus::UNKNOWN => Ok(Self::Unknown(None)),
            wire::ConditionalStatus(other) => {
                Err(format!("the status {other} is not supported by this client"))
            }
        }
    }
}
