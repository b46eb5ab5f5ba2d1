//! The memory for the waiting notifications of a worker.

use fluo_table::RowColumn;

use crate::observer::options::WorkerLimits;

/// The bounds of the waiting notifications, in number and in bytes, and their current use.
#[derive(Debug, Default)]
pub(super) struct Room {
    max_cells: usize,
    max_bytes: usize,
    cells: usize,
    bytes: usize,
    /// The bytes of the cell at which a scan stopped because there was no room for it. The room is
    /// reserved for this cell until the next part of the scan meets it, or the scan ends.
    reserved_bytes: Option<usize>,
}

impl Room {
    pub(super) fn new(limits: &WorkerLimits) -> Self {
        Self {
            max_cells: limits.max_queued_notifications,
            max_bytes: limits.max_queued_bytes,
            ..Self::default()
        }
    }

    /// Takes room for a cell, except the reserved room. Returns `false` if there is not enough.
    pub(super) fn take(&mut self, cell: &RowColumn) -> bool {
        let bytes = size_bytes(cell);
        let (reserved_cells, reserved_bytes) =
            self.reserved_bytes.map_or((0, 0), |bytes| (1, bytes));
        let has_room = self.has(1 + reserved_cells, bytes + reserved_bytes);
        if has_room {
            self.cells += 1;
            self.bytes += bytes;
        }
        has_room
    }

    pub(super) fn release(&mut self, cell: &RowColumn) {
        self.cells -= 1;
        self.bytes -= size_bytes(cell);
    }

    pub(super) fn reserve(&mut self, cell: &RowColumn) {
        self.reserved_bytes = Some(size_bytes(cell));
    }

    pub(super) fn end_reservation(&mut self) {
        self.reserved_bytes = None;
    }

    /// Checks whether a scan can make progress: enough room is free, and the next part does not
    /// stop where the last one did.
    pub(super) fn is_enough_for_scan(&self) -> bool {
        self.cells <= self.max_cells / 2
            && self.bytes <= self.max_bytes / 2
            && self.reserved_bytes.is_none_or(|bytes| self.has(1, bytes))
    }

    /// Checks whether this number of cells can wait in addition to the current ones. A cell that is
    /// too large waits alone.
    fn has(&self, cells: usize, bytes: usize) -> bool {
        let is_alone = self.cells == 0 && cells == 1;
        is_alone || self.cells + cells <= self.max_cells && self.bytes + bytes <= self.max_bytes
    }
}

fn size_bytes(cell: &RowColumn) -> usize {
    cell.row.len() + cell.column.size_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluo_table::Column;

    fn room(max_queued_notifications: usize, max_queued_bytes: usize) -> Room {
        let defaults = WorkerLimits::default();
        Room::new(&WorkerLimits { max_queued_notifications, max_queued_bytes, ..defaults })
    }

    /// Its column has two bytes.
    fn cell(row: &'static str) -> RowColumn {
        RowColumn::new(row, Column::new("f", "q"))
    }

    #[test]
    fn is_bounded_in_number_and_bytes_and_a_large_cell_waits_alone() {
        for mut room in [room(2, 1_000), room(10, 7)] {
            assert_eq!(["a", "b", "c"].map(|row| room.take(&cell(row))), [true, true, false]);
            room.release(&cell("a"));
            assert!(room.take(&cell("c")));
            assert!(!room.take(&cell("d")));
        }
        let mut room = room(10, 7);
        let large = cell("a row that is larger than everything that may wait");
        assert!(room.take(&large), "it waits alone");
        assert!(!room.take(&cell("d")));
        room.release(&large);
        assert!(room.take(&cell("d")) && !room.take(&large));
    }

    #[test]
    fn gives_reserved_room_to_no_other_cell() {
        let mut room = room(10, 20);
        assert!(room.take(&cell("a")) && room.is_enough_for_scan());
        room.reserve(&cell("sixteen bytes .."));
        assert!(!room.is_enough_for_scan() && !room.take(&cell("b")));
        room.release(&cell("a"));
        assert!(room.is_enough_for_scan() && !room.take(&cell("b")));
        room.end_reservation();
        assert!(room.take(&cell("b")));
    }
}
