//! The memory of a scan: bytes held, and the sizes of further reads.

/// Maximum number of cells in one read; longer reads are not faster.
pub(super) const MAX_CELLS: usize = 512;
/// Minimum number of cells for which reading ahead of the merge pays off.
const MIN_AHEAD: usize = 32;
/// Assumed size of a cell in bytes, until the first cells have been read.
const ASSUMED_CELL_BYTES: usize = 512;
/// Maximum number of cells and of bytes in a yielded batch, give or take a row. A batch refers to
/// the reads of all pieces, so a short one costs more for each reference than for its rows.
const MAX_YIELDED_CELLS: usize = 4_096;
const MAX_YIELDED_BYTES: usize = 1 << 20;

/// The bytes held, and the bound of a scan.
///
/// Reads are sized to fill two thirds of the bound, estimated from the cells seen so far. The rest
/// is reserved for larger cells.
#[derive(Debug)]
pub(super) struct Memory {
    bound: usize,
    pub(super) held: usize,
    cell_bytes: usize,
}

impl Memory {
    pub(super) fn new(bound: usize) -> Self {
        Self { bound, held: 0, cell_bytes: ASSUMED_CELL_BYTES }
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.held > self.bound
    }

    /// Returns the number of cells per read if this many pieces each hold one read and wait for
    /// another.
    pub(super) fn share(&self, pieces: usize) -> usize {
        let each = self.bound / 3 / pieces.max(1);
        (each / self.cell_bytes).clamp(1, MAX_CELLS)
    }

    pub(super) fn has_room_for(&self, cells: usize) -> bool {
        let filled = self.held.saturating_add(cells.saturating_mul(self.cell_bytes));
        cells >= MIN_AHEAD && filled <= self.bound / 3 * 2
    }

    pub(super) fn yielded_cells(&self) -> usize {
        (MAX_YIELDED_BYTES / self.cell_bytes).clamp(1, MAX_YIELDED_CELLS)
    }

    pub(super) fn hold(&mut self, cells: usize, bytes: usize) {
        if let Some(average) = usize::checked_div(bytes, cells) {
            // The estimate rises at once and falls slowly, because large cells come in runs.
            self.cell_bytes = average.max((3 * self.cell_bytes + average) / 4).max(1);
        }
        self.held = self.held.saturating_add(bytes);
    }

    pub(super) fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Cell, Column, Key};

    use super::*;
    use crate::cells::size_bytes;

    #[test]
    fn more_pieces_and_larger_cells_shorten_reads() {
        let mut memory = Memory::new(64 << 20);
        assert_eq!(memory.share(1), MAX_CELLS);
        assert_eq!(memory.share(64), 512);
        assert_eq!(memory.share(256), 170);
        assert_eq!(memory.share(65_536), 1);
        let large = Cell::new(Key::new("r", Column::default(), 0), vec![0; 64 << 10]);
        memory.hold(1, size_bytes(&large));
        assert_eq!(memory.share(64), 5);
        assert_eq!(memory.yielded_cells(), 15);
    }

    #[test]
    fn a_batch_has_more_small_cells_than_a_read() {
        let mut memory = Memory::new(64 << 20);
        let small = Cell::new(Key::new("r", Column::default(), 0), "");
        for _ in 0..20 {
            memory.hold(1, size_bytes(&small));
        }
        assert_eq!(memory.yielded_cells(), 4_096);
    }

    #[test]
    fn releases_what_it_held() {
        let mut memory = Memory::new(1_000);
        let cell = Cell::new(Key::new("r", Column::default(), 0), vec![0; 900]);
        let bytes = size_bytes(&cell);
        memory.hold(1, bytes);
        assert!(memory.is_exceeded() && memory.held == bytes);
        memory.release(bytes);
        assert!(!memory.is_exceeded() && memory.held == 0);
    }
}
