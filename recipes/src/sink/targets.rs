//! The rows that a batch of exports writes, with the sequences that they have.

use std::collections::BTreeMap;

use fluo::{Bytes, Column, Error, ErrorKind, Result, RowColumn, Timestamp};
use fluo_table::{Condition, ConditionalMutation, Mutation, Scan, Span, Table, TableExt, Update};

use crate::export_queue::Export;
use crate::queue::NOTIFICATION_FAMILY;

/// The updates of rows by exports, by the cells that hold the sequences.
#[derive(Debug, Default)]
pub(super) struct Targets {
    by_cell: BTreeMap<RowColumn, BTreeMap<Timestamp, Vec<Update>>>,
}

impl Targets {
    /// Adds the mutations of an export.
    pub(super) fn add<K, V>(
        &mut self,
        queue: &str,
        export: &Export<K, V>,
        mutations: Vec<Mutation>,
    ) {
        for mutation in mutations {
            let cell = RowColumn::new(mutation.row, sequence_column(queue, export.key_bytes()));
            let updates = self.by_cell.entry(cell).or_default();
            let updates = updates.entry(export.sequence).or_default();
            updates.extend(mutation.updates.into_iter().map(|update| Update {
                timestamp: update.timestamp.or(Some(stamp(export.sequence))),
                ..update
            }));
        }
    }

    /// Reads the sequences of the rows, and returns the mutations that are still to be written.
    pub(super) async fn next(&mut self, table: &dyn Table) -> Result<Vec<ConditionalMutation>> {
        if self.by_cell.is_empty() {
            return Ok(Vec::new());
        }
        let spans = self
            .by_cell
            .keys()
            .map(|cell| Span::cell(cell.row.clone(), &cell.column));
        let found = table.read(Scan::over_all(spans)).await?;
        let mut stored = BTreeMap::new();
        for cell in found {
            let key = RowColumn::new(cell.key.row, cell.key.column);
            stored.insert(key.clone(), (sequence(&key, &cell.value)?, cell.value));
        }
        self.by_cell.retain(|cell, updates| {
            if let Some((last, _)) = stored.get(cell) {
                updates.retain(|sequence, _| sequence > last);
            }
            !updates.is_empty()
        });
        let mutation = |(cell, updates): (&RowColumn, &BTreeMap<Timestamp, Vec<Update>>)| {
            conditional(
                cell,
                updates,
                stored.get(cell).map(|(_, value)| value.clone()),
            )
        };
        Ok(self.by_cell.iter().filter_map(mutation).collect())
    }
}

/// Returns the mutation of a row, on the condition that its sequence is still the one that was
/// read.
fn conditional(
    cell: &RowColumn,
    updates: &BTreeMap<Timestamp, Vec<Update>>,
    stored: Option<Bytes>,
) -> Option<ConditionalMutation> {
    let (last, _) = updates.last_key_value()?;
    let mut mutation = Mutation::new(cell.row.clone());
    mutation.updates = updates.values().flatten().cloned().collect();
    let mutation = mutation.put_at(cell.column.clone(), stamp(*last), last.to_string());
    Some(mutation.when(match stored {
        Some(stored) => Condition::value(cell.column.clone(), stored),
        None => Condition::absent(cell.column.clone()),
    }))
}

/// Returns the column with the sequence of the last export of a key.
fn sequence_column(queue: &str, key: &[u8]) -> Column {
    let prefix = format!("seq:{queue}:");
    Column::new(NOTIFICATION_FAMILY, [prefix.as_bytes(), key].concat())
}

fn sequence(cell: &RowColumn, value: &[u8]) -> Result<Timestamp> {
    let text = std::str::from_utf8(value).ok();
    let number = text.and_then(|text| text.parse().ok());
    number
        .and_then(|number| Timestamp::new(number).ok())
        .ok_or_else(|| {
            let message = format!("`{cell}` holds no sequence of an export; delete the cell if no queue writes to the row");
            Error::new(ErrorKind::Corrupt, message)
        })
}

/// Returns the sequence as the timestamp of a cell.
fn stamp(sequence: Timestamp) -> i64 {
    i64::try_from(sequence.get()).unwrap_or(i64::MAX)
}
