//! The ways to count rows.

use fluo_table::Tablets;

/// The way in which [`verify`](crate::TableOptimizations::verify) counts rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCounting {
    /// Reads the first cell of every row if the tablets together have at most this many entries.
    /// For a larger table the tablets' own counts of entries are used.
    UpTo(u64),
    /// Reads the first cell of every row.
    All,
    /// Reads the first cell of every row if the tablets' own counts of entries show a tablet or a
    /// server that is too full, and are together at most this many. Entries of deleted cells belong
    /// to no row, so entries alone can show a skew that rows do not have.
    IfUneven(u64),
    /// Counts no rows: the tablets' own counts of entries are used.
    Skip,
}

impl Default for RowCounting {
    /// Returns `UpTo` ten million entries, which takes seconds on an embedded table.
    fn default() -> Self {
        Self::UpTo(10_000_000)
    }
}

impl RowCounting {
    /// Checks whether the rows of these tablets are counted in any case.
    pub(super) fn is_for(self, tablets: &Tablets) -> bool {
        match self {
            Self::All => true,
            Self::UpTo(most) => tablets.entries() <= most,
            Self::IfUneven(_) | Self::Skip => false,
        }
    }

    /// Checks whether the rows of these tablets are counted if their entries are uneven.
    pub(super) fn is_for_uneven(self, tablets: &Tablets) -> bool {
        matches!(self, Self::IfUneven(most) if tablets.entries() <= most)
    }
}
