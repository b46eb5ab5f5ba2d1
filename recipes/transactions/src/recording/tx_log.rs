//! The log of a transaction, and the mutations of another table: those of a log, and those of a
//! difference.

use std::collections::BTreeMap;

use fluo_engine::{Bytes, RowColumn, Timestamp};
use fluo_table::Mutation;
use serde::{Deserialize, Serialize};

use super::{LogEntry, Operation};

/// The operations of a transaction, in the order in which they succeeded.
///
/// # Serialized form
///
/// A log is a structure with one field, `entries`. An entry is a structure of six fields, in this
/// order: `operation` (`get`, `set` or `delete`), `row`, `family`, `qualifier`, `visibility`, and
/// `value`, which is null for a delete. In JSON and other formats for people, bytes are text in
/// base64 with padding. In binary formats they are bytes. The names and their order do not change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TxLog {
    /// All entries.
    pub entries: Vec<LogEntry>,
}

impl TxLog {
    /// Returns the cells that were read, with the values that the reads returned.
    pub fn gets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Get)
    }

    /// Returns the cells that were set, with their new values. Collect them into a map for the last
    /// value of each cell.
    pub fn sets(&self) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        self.values_of(Operation::Set)
    }

    /// Returns the cells that were deleted.
    pub fn deletes(&self) -> impl Iterator<Item = &RowColumn> {
        let deletes = |entry: &&LogEntry| entry.operation() == Operation::Delete;
        self.entries.iter().filter(deletes).map(LogEntry::cell)
    }

    /// Returns the mutations that repeat the writes of the log in another table: one for each row,
    /// in the order of the rows. A set becomes a put and a delete becomes a delete; reads have no
    /// effect.
    ///
    /// Each update has the column of its entry, visibility included, and `sequence` as its
    /// timestamp. Use the start timestamp of the recorded transaction. Then a log that is applied
    /// twice changes nothing the second time. If logs are applied in another order, the newest
    /// write of a cell still wins, as long as no compaction has dropped a delete marker in between.
    ///
    /// If the log writes a cell several times, as the log of several transactions can, the last
    /// write counts.
    #[must_use]
    pub fn to_mutations(&self, sequence: Timestamp) -> Vec<Mutation> {
        let writes = self.entries.iter().filter(|entry| entry.operation() != Operation::Get);
        let changes = writes.map(|entry| (entry.cell(), entry.value())).collect();
        at_sequence(changes, sequence)
    }

    fn values_of(&self, operation: Operation) -> impl Iterator<Item = (&RowColumn, &Bytes)> {
        let entries = self.entries.iter().filter(move |entry| entry.operation() == operation);
        entries.filter_map(|entry| Some((entry.cell(), entry.value()?)))
    }
}

impl FromIterator<LogEntry> for TxLog {
    fn from_iter<I: IntoIterator<Item = LogEntry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

/// The new values of cells; `None` deletes the cell.
type Changes<'a> = BTreeMap<&'a RowColumn, Option<&'a Bytes>>;

/// Returns the mutations that turn the `old` cells into the `new` ones: one for each row that
/// differs, in the order of the rows.
///
/// A cell that only `old` has is deleted. A cell whose value differs, or that only `new` has, is
/// put. Each update has the column of its cell, visibility included, and `sequence` as its
/// timestamp. Two cells that differ in visibility are different cells.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, RowColumn, Timestamp};
/// use fluo_recipes::recording::difference;
/// use fluo_table::Mutation;
///
/// # fn main() -> fluo_engine::Result<()> {
/// let cell = |qualifier| RowColumn::new("r1", Column::new("word", qualifier));
/// let old = [(cell("a"), "1".into()), (cell("b"), "1".into())].into();
/// let new = [(cell("b"), "1".into()), (cell("c"), "1".into())].into();
/// let mutation =
///     Mutation::new("r1").delete_at(cell("a").column, 7).put_at(cell("c").column, 7, "1");
/// assert_eq!(difference(&old, &new, Timestamp::new(7)?), [mutation]);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn difference(
    old: &BTreeMap<RowColumn, Bytes>,
    new: &BTreeMap<RowColumn, Bytes>,
    sequence: Timestamp,
) -> Vec<Mutation> {
    let gone = old.keys().filter(|cell| !new.contains_key(*cell));
    let put = new.iter().filter(|(cell, value)| old.get(*cell) != Some(*value));
    let changes =
        gone.map(|cell| (cell, None)).chain(put.map(|(cell, value)| (cell, Some(value)))).collect();
    at_sequence(changes, sequence)
}

/// Returns one mutation for each row, with its updates in the order of the columns.
fn at_sequence(changes: Changes<'_>, sequence: Timestamp) -> Vec<Mutation> {
    let timestamp = sequence.get().cast_signed();
    let mut mutations: Vec<Mutation> = Vec::new();
    for (cell, value) in changes {
        let same_row = mutations.pop_if(|last| last.row == cell.row);
        let mutation = same_row.unwrap_or_else(|| Mutation::new(cell.row.clone()));
        let column = cell.column.clone();
        mutations.push(match value {
            Some(value) => mutation.put_at(column, timestamp, value.clone()),
            None => mutation.delete_at(column, timestamp),
        });
    }
    mutations
}

#[cfg(test)]
mod tests {
    use fluo_engine::Column;
    use rstest::rstest;

    use super::*;
    use crate::recording::LogEntry;

    fn at(sequence: u64) -> Timestamp {
        Timestamp::new(sequence).unwrap()
    }

    fn cell(key: &str, character: char) -> RowColumn {
        let column = Column::new("cf", character.to_string());
        RowColumn::new(format!("r:{key}"), column)
    }

    /// Returns the cells of a value: one for each of its characters.
    fn cells(key: &str, value: &str) -> BTreeMap<RowColumn, Bytes> {
        value
            .chars()
            .map(|character| (cell(key, character), format!("v:{character}").into()))
            .collect()
    }

    #[rstest]
    #[case::new(1, "k1", "", "a", &["+a"])]
    #[case::same(2, "k2", "ab", "ab", &[])]
    #[case::grown(2, "k2", "b", "ab", &["+a"])]
    #[case::replaced(3, "k3", "c", "d", &["-c", "+d"])]
    #[case::gone(4, "k4", "e", "", &["-e"])]
    #[case::shifted(5, "k5", "ef", "fg", &["-e", "+g"])]
    fn writes_only_the_difference(
        #[case] sequence: u64,
        #[case] key: &'static str,
        #[case] old: &str,
        #[case] new: &str,
        #[case] changes: &[&str],
    ) {
        let timestamp = i64::try_from(sequence).unwrap();
        let mut expected = Mutation::new(format!("r:{key}"));
        for change in changes {
            let character = change.chars().last().unwrap();
            let column = cell(key, character).column;
            expected = match change.starts_with('+') {
                true => expected.put_at(column, timestamp, format!("v:{character}")),
                false => expected.delete_at(column, timestamp),
            };
        }
        let expected: Vec<_> = (!changes.is_empty()).then_some(expected).into_iter().collect();
        let found = difference(&cells(key, old), &cells(key, new), at(sequence));
        assert_eq!(found, expected);
    }

    /// The Java exporter compares and writes cells without their visibility.
    #[test]
    fn a_changed_value_or_visibility_is_a_difference() {
        let (public, secret) = (cell("k", 'a'), {
            let mut cell = cell("k", 'a');
            cell.column.visibility = "secret".into();
            cell
        });
        let map = |cell: &RowColumn, value: &'static str| [(cell.clone(), value.into())].into();
        let row = || Mutation::new("r:k");
        assert_eq!(
            difference(&map(&secret, "1"), &map(&secret, "2"), at(9)),
            [row().put_at(secret.column.clone(), 9, "2")]
        );
        assert_eq!(
            difference(&map(&public, "1"), &map(&secret, "1"), at(9)),
            [row().delete_at(public.column.clone(), 9).put_at(secret.column.clone(), 9, "1")]
        );
    }

    #[test]
    fn has_one_mutation_for_each_row_in_order() {
        let old = cells("b", "x");
        let mut new = cells("c", "yz");
        new.extend(cells("a", "w"));
        let found = difference(&old, &new, at(1));
        let shape: Vec<_> =
            found.iter().map(|mutation| (mutation.row.as_ref(), mutation.updates.len())).collect();
        assert_eq!(shape, [(&b"r:a"[..], 1), (b"r:b", 1), (b"r:c", 2)]);
    }

    #[test]
    fn replays_the_writes_of_a_log_and_no_reads() {
        let secret = Column::new("cf", "s").with_visibility("secret");
        let log = TxLog::from_iter([
            LogEntry::for_set(cell("b", 'x'), "1"),
            LogEntry::for_get(cell("a", 'q'), "read"),
            LogEntry::for_delete(cell("a", 'y')),
            LogEntry::for_set(RowColumn::new("r:a", secret.clone()), "2"),
            LogEntry::for_get(cell("c", 'q'), "read"),
        ]);
        let first = Mutation::new("r:a").put_at(secret, 41, "2");
        let first = first.delete_at(cell("a", 'y').column, 41);
        let second = Mutation::new("r:b").put_at(cell("b", 'x').column, 41, "1");
        assert_eq!(log.to_mutations(at(41)), [first, second]);
    }

    /// At one timestamp a delete would hide every put, whatever their order.
    #[test]
    fn the_last_write_of_a_cell_counts() {
        let writes = |last: LogEntry| {
            let set = LogEntry::for_set(cell("a", 'x'), "1");
            let delete = LogEntry::for_delete(cell("a", 'x'));
            TxLog::from_iter([set, delete, last]).to_mutations(at(3))
        };
        let (row, column) = (Mutation::new("r:a"), cell("a", 'x').column);
        assert_eq!(
            writes(LogEntry::for_set(cell("a", 'x'), "2")),
            [row.clone().put_at(column.clone(), 3, "2")]
        );
        assert_eq!(writes(LogEntry::for_delete(cell("a", 'x'))), [row.delete_at(column, 3)]);
    }
}
