//! How much a step does.

use std::num::NonZeroUsize;

/// How much a step of a migration does, and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrateSettings {
    /// Cells after which a step ends, at the end of their row; 4,096 unless given.
    pub step_cells: NonZeroUsize,
    /// Bytes of cells after which a step ends, likewise; 16 MiB unless given. A column has to fit with all of its
    /// versions.
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
