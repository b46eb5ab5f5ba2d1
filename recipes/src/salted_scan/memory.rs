//! How much a scan holds, and how much it may still ask for.

use fluo_core::Cell;

/// Most cells of one read: beyond, longer reads make nothing faster.
const MOST_CELLS: usize = 1_024;
/// Cells of one read of every piece together: what is merged soon after it was read is still in the processor's cache.
const CELLS_OF_ALL: usize = 16_384;
/// Cells below which more pieces make no shorter reads, where memory allows: a read has a cost of its own.
const WORTH_A_READ: usize = 128;
/// Fewest cells for which it is worth to read ahead of the merge.
const FEWEST_AHEAD: usize = 32;
/// Bytes of a cell as long as none was seen.
const ASSUMED_CELL_BYTES: usize = 512;
/// Most bytes of what is yielded at a time, give or take a row.
const MOST_YIELDED_BYTES: usize = 1 << 20;

/// What is held against the bound of a scan.
///
/// Reads are sized to fill half of the bound, by the size of the cells seen so far: the other half is for cells that
/// are larger than those.
#[derive(Debug)]
pub(super) struct Memory {
    bound: usize,
    held: usize,
    cell_bytes: usize,
}

impl Memory {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            held: 0,
            cell_bytes: ASSUMED_CELL_BYTES,
        }
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.held > self.bound
    }

    /// Cells of one read, with this many pieces that each hold one read and have one under way.
    pub(super) fn share(&self, pieces: usize) -> usize {
        let each = self.bound / 4 / pieces.max(1);
        let most = (CELLS_OF_ALL / pieces.max(1)).clamp(WORTH_A_READ, MOST_CELLS);
        (each / self.cell_bytes).clamp(1, most)
    }

    /// Whether this many cells may be read before they are needed.
    pub(super) fn has_room_for(&self, cells: usize) -> bool {
        let filled = self
            .held
            .saturating_add(cells.saturating_mul(self.cell_bytes));
        cells >= FEWEST_AHEAD && filled <= self.bound / 2
    }

    /// Cells to be yielded at a time.
    pub(super) fn yielded_cells(&self) -> usize {
        (MOST_YIELDED_BYTES / self.cell_bytes).clamp(1, MOST_CELLS)
    }

    /// Takes note of so many cells that were read, and of their bytes.
    pub(super) fn hold(&mut self, cells: usize, bytes: usize) {
        if let Some(average) = usize::checked_div(bytes, cells) {
            // Up at once, down slowly: large cells come in runs.
            self.cell_bytes = average.max((3 * self.cell_bytes + average) / 4).max(1);
        }
        self.held = self.held.saturating_add(bytes);
    }

    /// Takes note that bytes are held no more.
    pub(super) fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }
}

/// Bytes of a cell in memory.
pub(crate) fn size_bytes(cell: &Cell) -> usize {
    size_of::<Cell>() + cell.key.row.len() + cell.key.column.size_bytes() + cell.value.len()
}

#[cfg(test)]
mod tests {
    use fluo_core::{Cell, Column, Key};

    use super::*;

    #[test]
    fn more_pieces_and_larger_cells_make_shorter_reads() {
        let mut memory = Memory::new(64 << 20);
        assert_eq!(memory.share(1), MOST_CELLS);
        assert_eq!(memory.share(64), 256);
        assert_eq!(memory.share(256), 128);
        assert_eq!(memory.share(65_536), 1);
        let large = Cell::new(Key::new("r", Column::default(), 0), vec![0; 64 << 10]);
        memory.hold(1, size_bytes(&large));
        assert_eq!(memory.share(64), 3);
        assert_eq!(memory.yielded_cells(), 15);
    }

    #[test]
    fn what_is_released_is_held_no_more() {
        let mut memory = Memory::new(1_000);
        let cell = Cell::new(Key::new("r", Column::default(), 0), vec![0; 900]);
        let bytes = size_bytes(&cell);
        memory.hold(1, bytes);
        assert!(memory.is_exceeded() && memory.held() == bytes);
        memory.release(bytes);
        assert!(!memory.is_exceeded() && memory.held() == 0);
    }
}
