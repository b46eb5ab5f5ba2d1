//! The ways to count rows.

use fluo_core::Tablets;

/// The way in which [`verify`](crate::TableOptimizations::verify) counts rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowCounting {
    /// By reading the first cell of every row, if the tablets have at most this many entries together; of a
    /// larger table the tablets' own counts of entries take the place of rows.
    UpTo(u64),
    /// By reading the first cell of every row, however many there are.
    All,
    /// By reading the first cell of every row if the tablets' own counts of entries show a tablet or a server that is too
    /// full, and are at most this many together. Entries of deleted cells make no row, so entries alone can show a skew
    /// that rows do not have.
    IfUneven(u64),
    /// Not at all: the tablets' own counts of entries take the place of rows.
    Skip,
}

impl Default for RowCounting {
    /// Up to ten million entries: seconds on an embedded table.
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
