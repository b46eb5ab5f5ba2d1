//! The room that the notifications of a worker have to wait in.

use crate::data::RowColumn;
use crate::observer::WorkerSettings;

/// How much may wait, in number and in bytes, and how much does.
#[derive(Debug)]
pub(super) struct Room {
    max_cells: usize,
    max_bytes: usize,
    cells: usize,
    bytes: usize,
    /// The bytes of the cell at which a look has come to its end, because there was no room for it. Until the next part
    /// of the look has met it, or the look is over, nobody else gets the room that it needs.
    promised_bytes: Option<usize>,
}

impl Room {
    pub(super) fn new(settings: &WorkerSettings) -> Self {
        Self {
            max_cells: settings.max_queued_notifications,
            max_bytes: settings.max_queued_bytes,
            cells: 0,
            bytes: 0,
            promised_bytes: None,
        }
    }

    /// Takes room for a cell, beside what is promised; says whether there is so much.
    pub(super) fn take(&mut self, cell: &RowColumn) -> bool {
        let bytes = size_bytes(cell);
        let (promised_cells, promised_bytes) =
            self.promised_bytes.map_or((0, 0), |bytes| (1, bytes));
        let has_room = self.has(1 + promised_cells, bytes + promised_bytes);
        if has_room {
            self.cells += 1;
            self.bytes += bytes;
        }
        has_room
    }

    /// A cell waits no longer.
    pub(super) fn give_back(&mut self, cell: &RowColumn) {
        self.cells -= 1;
        self.bytes -= size_bytes(cell);
    }

    /// Keeps room for a cell, as soon as there is some.
    pub(super) fn promise(&mut self, cell: &RowColumn) {
        self.promised_bytes = Some(size_bytes(cell));
    }

    /// Room is kept for nobody any more.
    pub(super) fn end_promise(&mut self) {
        self.promised_bytes = None;
    }

    /// Whether a look is worth its while, and does not end where the one before it has ended.
    pub(super) fn is_enough_for_look(&self) -> bool {
        self.cells <= self.max_cells / 2
            && self.bytes <= self.max_bytes / 2
            && self.promised_bytes.is_none_or(|bytes| self.has(1, bytes))
    }

    /// Whether so many cells can wait beside those that do. One that is too large waits alone.
    fn has(&self, cells: usize, bytes: usize) -> bool {
        let is_alone = self.cells == 0 && cells == 1;
        let is_in_bounds =
            self.cells + cells <= self.max_cells && self.bytes + bytes <= self.max_bytes;
        is_alone || is_in_bounds
    }
}

fn size_bytes(cell: &RowColumn) -> usize {
    cell.row.len() + cell.column.size_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn room(max_queued_notifications: usize, max_queued_bytes: usize) -> Room {
        Room::new(&WorkerSettings {
            max_queued_notifications,
            max_queued_bytes,
            ..WorkerSettings::default()
        })
    }

    /// Its column has two bytes.
    fn cell(row: &'static str) -> RowColumn {
        RowColumn::new(row, Column::new("f", "q"))
    }

    #[test]
    fn it_is_bounded_in_number_and_in_bytes_and_one_that_is_too_large_waits_alone() {
        for mut room in [room(2, 1_000), room(10, 7)] {
            assert_eq!(
                ["a", "b", "c"].map(|row| room.take(&cell(row))),
                [true, true, false]
            );
            room.give_back(&cell("a"));
            assert!(room.take(&cell("c")));
            assert!(!room.take(&cell("d")));
        }
        let mut room = room(10, 7);
        let large = cell("a row that is larger than everything that may wait");
        assert!(room.take(&large), "it waits alone");
        assert!(!room.take(&cell("d")));
        room.give_back(&large);
        assert!(room.take(&cell("d")) && !room.take(&large));
    }

    #[test]
    fn what_is_promised_is_given_to_nobody_else() {
        let mut room = room(10, 20);
        assert!(room.take(&cell("a")) && room.is_enough_for_look());
        room.promise(&cell("sixteen bytes .."));
        assert!(!room.is_enough_for_look() && !room.take(&cell("b")));
        room.give_back(&cell("a"));
        assert!(room.is_enough_for_look() && !room.take(&cell("b")));
        room.end_promise();
        assert!(room.take(&cell("b")));
    }
}
