//! The size of a step.

use std::num::NonZeroUsize;

/// Limits on the size of one migration step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationOptions {
    pub(crate) step_cells: NonZeroUsize,
    pub(crate) memory_bytes: usize,
}

impl Default for MigrationOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl MigrationOptions {
    /// Returns the default options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_cells: NonZeroUsize::new(4_096).unwrap_or(NonZeroUsize::MIN),
            memory_bytes: 16 << 20,
        }
    }

    /// Sets the cells after which a step ends, at the end of their row. The default is 4,096.
    #[must_use]
    pub fn step_cells(mut self, step_cells: NonZeroUsize) -> Self {
        self.step_cells = step_cells;
        self
    }

    /// Sets the bytes of cells after which a step ends, at the end of their row. The default is 16
    /// MiB. A column must fit with all of its versions.
    #[must_use]
    pub fn memory_bytes(mut self, memory_bytes: usize) -> Self {
        self.memory_bytes = memory_bytes;
        self
    }
}
