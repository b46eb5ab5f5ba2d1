//! The size of a step.

use std::num::NonZeroUsize;

/// Limits on the size of one migration step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrateSettings {
    /// Cells after which a step ends, at the end of their row. The default is 4,096.
    pub step_cells: NonZeroUsize,
    /// Bytes of cells after which a step ends, at the end of their row. The default is 16 MiB. A
    /// column must fit with all of its versions.
    pub memory_bytes: usize,
}

impl Default for MigrateSettings {
    fn default() -> Self {
        Self {
            step_cells: NonZeroUsize::new(4_096).unwrap_or(NonZeroUsize::MIN),
            memory_bytes: 16 << 20,
        }
    }
}
