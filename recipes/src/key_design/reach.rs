//! Which scans a design leaves possible.

use std::fmt;

/// Into how many pieces of the table a read falls apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// One contiguous piece.
    OnePiece,
    /// At most so many, one for each salt that can hold a row.
    FanOut(u64),
    /// At most so many pieces, but of some sets only; of others as the sentence says, or they are refused.
    Partly {
        /// Into how many pieces each of those sets falls at most.
        pieces: u64,
        /// Which sets these are.
        only: String,
    },
    /// It cannot be done, for this reason, and this is what to use instead.
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

/// The order in which a scan over one piece yields rows, and a merged scan all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyOrder {
    /// The byte order of the user's rows.
    Rows,
    /// The byte order of the rows read backwards.
    ReversedRows,
    /// By what the row is about, and within it the newest first.
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
            Self::NewestFirst => "by what the row is about, the newest first",
            Self::NewestFirstOfAll => "the newest first",
            Self::Fields => "field by field",
            Self::Domains => "by domain from the top level down, then by path",
        })
    }
}

/// What can still be read of a table whose keys have a design, and at what cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scans {
    /// One row whose bytes are known.
    pub by_row: Reach,
    /// All rows with a prefix that is known.
    pub by_prefix: Reach,
    /// All rows between two, in the order of their bytes.
    pub by_range: Reach,
    /// All rows with a suffix that is known.
    pub by_suffix: Reach,
    /// All rows with given leading parts, whose next part lies between two values.
    pub between: Reach,
    /// All pages of a domain, in a [web table](crate::WebTable).
    pub by_domain: Reach,
    /// The order in which they come.
    pub order: KeyOrder,
}
