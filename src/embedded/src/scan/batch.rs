//! The cells of one batch, which share one allocation.

use std::ops::Range;

use fluo_table::{Bytes, Cell, Column, Key, KeyRef};

/// A builder that gathers the bytes of cells in one buffer, and splits it into cells at the end.
///
/// A part that is equal to that of the previous cell (the row of a wide row, the family and
/// qualifier of most tables) is not copied again.
#[derive(Debug, Default)]
pub(super) struct BatchBuilder {
    bytes: Vec<u8>,
    cells: Vec<Parts>,
    last: Parts,
}

#[derive(Clone, Debug, Default)]
struct Parts {
    row: Range<usize>,
    family: Range<usize>,
    qualifier: Range<usize>,
    visibility: Range<usize>,
    value: Range<usize>,
    timestamp: i64,
}

impl BatchBuilder {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ..Self::default() }
    }

    pub(super) fn push(&mut self, key: KeyRef<'_>, value: &[u8]) {
        let parts = Parts {
            row: self.part(self.last.row.clone(), key.row),
            family: self.part(self.last.family.clone(), key.family),
            qualifier: self.part(self.last.qualifier.clone(), key.qualifier),
            visibility: self.part(self.last.visibility.clone(), key.visibility),
            value: self.append(value),
            timestamp: key.timestamp,
        };
        self.last = parts.clone();
        self.cells.push(parts);
    }

    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn byte_count(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn finish(self) -> Vec<Cell> {
        let bytes = Bytes::from(self.bytes);
        let cell = |parts: Parts| {
            let column = Column {
                family: bytes.slice(parts.family),
                qualifier: bytes.slice(parts.qualifier),
                visibility: bytes.slice(parts.visibility),
            };
            let key = Key::new(bytes.slice(parts.row), column, parts.timestamp);
            Cell::new(key, bytes.slice(parts.value))
        };
        self.cells.into_iter().map(cell).collect()
    }

    fn part(&mut self, last: Range<usize>, part: &[u8]) -> Range<usize> {
        match self.bytes.get(last.clone()) {
            Some(same) if same == part => last,
            _ => self.append(part),
        }
    }

    fn append(&mut self, part: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(part);
        start..self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_are_stored_once() {
        let column = Column::new("page", "uri");
        let keys = [Key::new("a", column.clone(), 2), Key::new("b", column, 1)];
        let mut batch = BatchBuilder::default();
        for key in &keys {
            batch.push(key.as_ref(), b"v");
        }
        assert_eq!(batch.byte_count(), "apageuriv".len() + "bv".len());
        let cells = batch.finish();
        assert_eq!(cells, keys.map(|key| Cell::new(key, "v")));
    }
}
