//! The scans that a design allows.

use std::fmt;

/// The number of pieces of the table that a read needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// One contiguous piece.
    OnePiece,
    /// At most this number of pieces, one for each salt that can hold a row.
    FanOut(u64),
    /// At most a number of pieces, but only for the sets of rows in `only`. Other sets are read as
    /// that text says, or are rejected.
    Partly {
        /// The maximum number of pieces for one of those sets.
        pieces: u64,
        /// A description of those sets.
        only: String,
    },
    /// The read is impossible; the text gives the reason and the alternative.
    Impossible(String),
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnePiece => f.write_str("in one piece"),
            Self::FanOut(pieces) => write!(f, "fanned out over up to {pieces} pieces"),
            Self::Partly { pieces: 1, only } => write!(f, "in one piece, but only {only}"),
            Self::Partly { pieces, only } => {
                write!(f, "fanned out over up to {pieces} pieces, but only {only}")
            }
            Self::Impossible(reason) => write!(f, "impossible: {reason}"),
        }
    }
}

/// The order in which a scan of one piece, or a merged scan of all pieces, yields rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyOrder {
    /// The byte order of the user's rows.
    Rows,
    /// The byte order of the rows read backwards.
    ReversedRows,
    /// By the entity of the row, and within one entity the newest first.
    NewestFirst,
    /// The newest first, over all rows.
    NewestFirstOfAll,
    /// Field by field, each in its own direction.
    Fields,
    /// By domain read from its top level down, then by path.
    Domains,
}

impl fmt::Display for KeyOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "the order of the rows",
            Self::ReversedRows => "the order of the rows read backwards",
            Self::NewestFirst => "by entity, the newest first",
            Self::NewestFirstOfAll => "the newest first",
            Self::Fields => "field by field",
            Self::Domains => "by domain from the top level down, then by path",
        })
    }
}

/// The reads that a table with keys of a design allows, and their cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scans {
    /// One row whose bytes are known.
    pub by_row: Reach,
    /// All rows with a known prefix.
    pub by_prefix: Reach,
    /// All rows between two, in byte order.
    pub by_range: Reach,
    /// All rows with a known suffix.
    pub by_suffix: Reach,
    /// All rows with given leading parts, and with a next part between two values.
    pub between: Reach,
    /// All pages of a domain, in a [web table](crate::WebTable).
    pub by_domain: Reach,
    /// The order in which rows are yielded.
    pub order: KeyOrder,
}
