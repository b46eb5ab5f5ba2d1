//! Reads of the maps, in a snapshot or in a transaction.

use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use fjall::Readable;

use super::maps::{Cells, Families, Map, Maps, Slice};
use crate::error::Failure;

/// Number of bytes of the longest key.
pub(crate) const MAX_KEY_BYTES: usize = 65_535;

/// Reads of the maps, in a snapshot or in a transaction.
pub(crate) trait Read {
    fn maps(&self) -> &Maps;

    fn source(&self) -> &impl Readable;

    fn get(&self, map: &Map, key: &[u8]) -> Result<Option<Slice>, Failure> {
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        Ok(self.source().get(&map.0, key)?)
    }

    fn contains(&self, map: &Map, key: &[u8]) -> Result<bool, Failure> {
        Ok(key.len() <= MAX_KEY_BYTES && self.source().contains_key(&map.0, key)?)
    }

    /// Returns a number that `Transaction::insert_number` stored.
    fn number(&self, map: &Map, key: &[u8]) -> Result<Option<u64>, Failure> {
        self.get(map, key)?.map(|value| number(&value)).transpose()
    }

    /// Returns the entries from a key on, up to another one, exclusive.
    fn entries(&self, map: &Map, from: &[u8], end: Option<&[u8]>) -> Entries {
        let (start, stop) = (shortened(from), end.map(shortened));
        let is_between_long_keys = from.len() > MAX_KEY_BYTES && stop == Some(start);
        if end.is_some_and(|end| from >= end) || is_between_long_keys {
            return Entries(None);
        }
        // No stored key is longer than a shortened bound, or equal to the whole bound.
        let start = match from.len() {
            0..=MAX_KEY_BYTES => Bound::Included(start),
            _ => Bound::Excluded(start),
        };
        let stop = match (stop, end) {
            (Some(stop), Some(end)) if stop.len() < end.len() => Bound::Included(stop),
            (Some(stop), _) => Bound::Excluded(stop),
            (None, _) => Bound::Unbounded,
        };
        Entries(Some(self.source().range::<&[u8], _>(&map.0, (start, stop))))
    }

    /// Returns the entries of a table from a key on, up to another one, exclusive.
    fn cells(
        &self,
        cells: &Cells,
        families: Families,
        from: &[u8],
        end: Option<&[u8]>,
    ) -> CellEntries {
        let entries = |map, other| match families == other {
            true => Entries(None),
            false => self.entries(map, from, end),
        };
        CellEntries {
            notifications: entries(&cells.notifications, Families::Others).peekable(),
            others: entries(&cells.others, Families::Notifications).peekable(),
        }
    }

    fn all(&self, map: &Map) -> Entries {
        self.entries(map, &[], None)
    }
}

fn shortened(bound: &[u8]) -> &[u8] {
    bound.get(..MAX_KEY_BYTES).unwrap_or(bound)
}

pub(crate) fn number(value: &[u8]) -> Result<u64, Failure> {
    let number = value.try_into().map(u64::from_be_bytes);
    number.map_err(|_| Failure::damaged("a number does not have 8 bytes"))
}

/// The entries of a map in the order of their keys.
pub(crate) struct Entries(Option<fjall::Iter>);

impl Iterator for Entries {
    type Item = Result<(Slice, Slice), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.0.as_mut()?.next()?;
        Some(entry.into_inner().map_err(Failure::from))
    }
}

impl DoubleEndedIterator for Entries {
    fn next_back(&mut self) -> Option<Self::Item> {
        let entry = self.0.as_mut()?.next_back()?;
        Some(entry.into_inner().map_err(Failure::from))
    }
}

/// Entries of a table in the order of their keys. An error comes in the place of its entry.
pub(crate) struct CellEntries<I: Iterator = Entries> {
    notifications: Peekable<I>,
    others: Peekable<I>,
}

impl<I: Iterator> CellEntries<I> {
    /// Reads the next entry of each map.
    pub(crate) fn peek(&mut self) {
        self.notifications.peek();
        self.others.peek();
    }
}

impl<I, E> Iterator for CellEntries<I>
where
    I: Iterator<Item = Result<(Slice, Slice), E>>,
{
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(notification) = self.notifications.peek() else {
            return self.others.next();
        };
        let is_notification = match (notification, self.others.peek()) {
            (Ok((notification, _)), Some(Ok((other, _)))) => notification < other,
            (Ok(_), Some(Err(_))) => false,
            (Err(_), _) | (_, None) => true,
        };
        match is_notification {
            true => self.notifications.next(),
            false => self.others.next(),
        }
    }
}

/// The maps at one instant.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(super) snapshot: fjall::Snapshot,
    pub(super) maps: Arc<Maps>,
    /// The number of commits since the directory was opened, up to this snapshot, that changed
    /// properties of tables.
    pub(crate) changes: u64,
}

impl Read for Snapshot {
    fn maps(&self) -> &Maps {
        &self.maps
    }

    fn source(&self) -> &impl Readable {
        &self.snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_comes_before_the_entries_of_the_other_map() {
        let entries = |keys: &[&'static str]| {
            let entry = |key: &&'static str| match *key {
                "error" => Err(()),
                key => Ok((Slice::from(key), Slice::from(""))),
            };
            keys.iter().map(entry).collect::<Vec<_>>().into_iter().peekable()
        };
        for (notifications, others, expected) in [
            (&["a", "c", "e"][..], &["b", "d"][..], &["a", "b", "c", "d", "e"][..]),
            (&["a", "c"], &["b", "error", "d"], &["a", "b", "error", "c", "d"]),
            (&["a", "error", "d"], &["b", "c"], &["a", "error", "b", "c", "d"]),
        ] {
            let merged =
                CellEntries { notifications: entries(notifications), others: entries(others) };
            let found: Vec<_> = merged.map(|entry| entry.map(|(key, _)| key)).collect();
            let expected: Vec<_> =
                entries(expected).map(|entry| entry.map(|(key, _)| key)).collect();
            assert_eq!(found, expected);
        }
    }
}
