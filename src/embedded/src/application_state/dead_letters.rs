//! The stored form of failed notifications.
//!
//! ```text
//! key    name of the application, 00, the cell as the key of a put at timestamp 0
//! value  the rest of a `FailedNotification`
//! ```

use std::ops::Range;
use std::sync::Mutex;

use fluo_table::coordination::FailedNotification;
use fluo_table::{Error, KeyRef, RowColumn, Timestamp, locked};

use crate::engine::{Read, Snapshot, Transaction};
use crate::error::Failure;
use crate::key::{self, KeyReader};

fn key_of(name: &str, cell: &RowColumn) -> Vec<u8> {
    let mut bytes = keys_of(name).start;
    key::push_key(&mut bytes, KeyRef::new(&cell.row, &cell.column, 0), false);
    bytes
}

/// Returns the range of the keys of an application. Its name contains no zero byte.
fn keys_of(name: &str) -> Range<Vec<u8>> {
    let with = |end: u8| [name.as_bytes(), &[end]].concat();
    with(0)..with(1)
}

/// The number of failed notifications of an application, once they were counted. Counting the
/// maximum number takes longer than writing one, and all writers would wait for it each time.
///
/// Only jobs of the writer thread change it. The last of them may not have been committed, but then
/// nothing more is written until the directory is opened again.
#[derive(Debug, Default)]
pub(crate) struct Count(Mutex<Option<usize>>);

/// Writes the failed notification of a cell, if the limit allows it.
pub(crate) fn put(
    transaction: &mut Transaction<'_>,
    name: &str,
    count: &Count,
    failed: &FailedNotification,
) -> Result<(), Failure> {
    let map = &transaction.engine_maps().dead_letters;
    let (keys, mut count) = (keys_of(name), locked(&count.0));
    // If a step fails from here on, the next call counts again.
    let before = match count.take() {
        Some(count) => count,
        None => transaction.entries(map, &keys.start, Some(&keys.end)).count(),
    };
    let key = key_of(name, &failed.cell);
    let is_new = !transaction.contains(map, &key)?;
    if is_new && before >= FailedNotification::MAX_DEAD_LETTERS {
        *count = Some(before);
        return Err(Error::too_many_dead_letters().into());
    }
    transaction.insert(map, &key, &value_of(failed))?;
    *count = Some(before + usize::from(is_new));
    Ok(())
}

/// Removes the failed notification of a cell; returns false if there is none, or only one with a
/// timestamp above `up_to`.
pub(crate) fn remove(
    transaction: &mut Transaction<'_>,
    name: &str,
    count: &Count,
    cell: &RowColumn,
    up_to: Timestamp,
) -> Result<bool, Failure> {
    let map = &transaction.engine_maps().dead_letters;
    let key = key_of(name, cell);
    let is_meant = match transaction.get(map, &key)? {
        None => false,
        Some(value) => {
            let (_, failed) = read(&key, &value).ok_or_else(unreadable)?;
            failed.timestamp <= up_to
        }
    };
    if is_meant {
        let mut count = locked(&count.0);
        let before = count.take();
        transaction.remove(map, &key);
        *count = before.and_then(|before| before.checked_sub(1));
    }
    Ok(is_meant)
}

pub(crate) fn remove_all(transaction: &mut Transaction<'_>, name: &str) -> Result<(), Failure> {
    let keys = keys_of(name);
    let map = &transaction.engine_maps().dead_letters;
    transaction.remove_range(map, &keys.start, &keys.end)
}

/// Returns all failed notifications of an application, sorted by cell.
pub(crate) fn list(snapshot: &Snapshot, name: &str) -> Result<Vec<FailedNotification>, Failure> {
    let keys = keys_of(name);
    let map = &snapshot.maps().dead_letters;
    let failed = snapshot.entries(map, &keys.start, Some(&keys.end)).map(|entry| {
        let (key, value) = entry?;
        let (_, failed) = read(&key, &value).ok_or_else(unreadable)?;
        Ok(failed)
    });
    failed.collect()
}

/// Decodes an entry, with the name of its application. Returns `None` if the bytes are invalid.
pub(crate) fn read<'a>(key: &'a [u8], value: &[u8]) -> Option<(&'a str, FailedNotification)> {
    let zero = memchr::memchr(0, key)?;
    let (name, cell) = key.split_at_checked(zero)?;
    let mut reader = KeyReader::default();
    let (cell, is_delete) = reader.read(cell.get(1..)?)?;
    if is_delete || cell.timestamp != 0 {
        return None;
    }
    let cell = cell.to_key();
    let failed = FailedNotification::decode(RowColumn::new(cell.row, cell.column), value)?;
    Some((std::str::from_utf8(name).ok()?, failed))
}

fn value_of(failed: &FailedNotification) -> Vec<u8> {
    let mut value = Vec::new();
    failed.encode_to(&mut value);
    value
}

pub(crate) fn unreadable() -> Failure {
    Failure::damaged("a failed notification cannot be read")
}

#[cfg(test)]
mod tests {
    use fluo_table::coordination::ObserverKind;
    use fluo_table::{Bytes, Column, ErrorKind};
    use proptest::prelude::*;

    use super::*;
    use crate::engine::tests::engine;

    fn part() -> impl Strategy<Value = Bytes> {
        let byte = prop_oneof![Just(0u8), Just(1), Just(0xff), any::<u8>()];
        proptest::collection::vec(byte, 0..4).prop_map(Bytes::from)
    }

    fn failed() -> impl Strategy<Value = FailedNotification> {
        let cell = (part(), part(), part(), part());
        let numbers = (0..=Timestamp::MAX.get(), any::<u32>(), any::<i64>());
        (cell, numbers, any::<bool>(), any::<String>()).prop_map(
            |(
                (row, family, qualifier, visibility),
                (timestamp, tries, failed_at_ms),
                weak,
                error,
            )| {
                let kind = if weak { ObserverKind::Weak } else { ObserverKind::Strong };
                FailedNotification {
                    cell: RowColumn::new(row, Column { family, qualifier, visibility }),
                    kind,
                    timestamp: Timestamp::new(timestamp).unwrap(),
                    tries,
                    error,
                    failed_at_ms,
                }
            },
        )
    }

    #[test]
    fn writes_the_bytes_of_the_format_document() {
        let failed = FailedNotification {
            cell: RowColumn::new("r", Column::new("f", "q")),
            kind: ObserverKind::Weak,
            timestamp: Timestamp::new(258).unwrap(),
            tries: 3,
            error: "no".to_owned(),
            failed_at_ms: -1,
        };
        let hex = |bytes: Vec<u8>| {
            let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            bytes.join(" ")
        };
        let document = include_str!("../../../../docs/storage-format.md");
        let mut lines = document
            .lines()
            .skip_while(|line| !line.starts_with("<!-- dead letter example"))
            .filter_map(|line| line.split_once("= ").map(|(_, hex)| hex));
        assert_eq!(lines.next().unwrap(), hex(key_of("web", &failed.cell)));
        assert_eq!(lines.next().unwrap(), hex(value_of(&failed)));
    }

    fn of_row(row: usize) -> FailedNotification {
        FailedNotification {
            cell: RowColumn::new(format!("{row:05}"), Column::new("f", "q")),
            kind: ObserverKind::Strong,
            timestamp: Timestamp::new(7).unwrap(),
            tries: 1,
            error: String::new(),
            failed_at_ms: 0,
        }
    }

    /// All of them were once counted for each new one: with ten thousand of them, that was most of
    /// the writer's work.
    #[test]
    fn counts_them_once_and_still_enforces_the_limit() {
        let most = FailedNotification::MAX_DEAD_LETTERS;
        let (_directory, engine) = engine();
        let tx = &mut engine.begin().unwrap();
        let count = Count::default();
        let put = |tx: &mut Transaction<'_>, row| {
            let put = put(tx, "web", &count, &of_row(row));
            put.map_err(|failure| failure.into_error("d".as_ref()).kind())
        };
        let forget = |tx: &mut Transaction<'_>, row, up_to| {
            remove(tx, "web", &count, &of_row(row).cell, up_to).unwrap()
        };
        let refused = Err(ErrorKind::Unavailable);
        for row in 0..most {
            put(tx, row).unwrap();
        }
        assert_eq!(put(tx, most), refused);
        put(tx, 3).unwrap();
        assert!(!forget(tx, 3, Timestamp::ZERO) && !forget(tx, most, Timestamp::MAX));
        assert_eq!(put(tx, most), refused);
        assert!(forget(tx, 3, Timestamp::MAX) && !forget(tx, 3, Timestamp::MAX));
        put(tx, most).unwrap();
        assert_eq!(put(tx, 3), refused);
        // Entries that are removed without the count being updated go unnoticed.
        remove_all(tx, "web").unwrap();
        assert_eq!(put(tx, 3), refused);
        // After an opening they are counted again, and only those of the application.
        let (count, other) = (Count::default(), Count::default());
        super::put(tx, "web2", &other, &of_row(0)).unwrap();
        super::put(tx, "web", &count, &of_row(3)).unwrap();
        assert_eq!(*locked(&count.0), Some(1));
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(failed in failed()) {
            let (key, value) = (key_of("web", &failed.cell), value_of(&failed));
            prop_assert_eq!(read(&key, &value), Some(("web", failed)));
        }

        #[test]
        fn keys_sort_as_cells_sort_and_by_application(a in failed(), b in failed()) {
            prop_assert_eq!(key_of("web", &a.cell).cmp(&key_of("web", &b.cell)), a.cell.cmp(&b.cell));
            let keys = keys_of("web");
            prop_assert!(keys.contains(&key_of("web", &a.cell)));
            prop_assert!(!keys.contains(&key_of("web2", &a.cell)) && !keys.contains(&key_of("we", &a.cell)));
        }

        #[test]
        fn any_bytes_are_read_or_rejected(
            key in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), any::<u8>()], 0..30),
            value in any::<Vec<u8>>(),
        ) {
            if let Some((name, failed)) = read(&key, &value) {
                prop_assert_eq!((key_of(name, &failed.cell), value_of(&failed)), (key.clone(), value));
            }
        }
    }
}
