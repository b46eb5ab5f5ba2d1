//! The encoding: the way a row is written after its salt.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use fluo_table::{Bytes, Excerpt, prefix_successor, row_successor};

use super::explain::KeyField;
use super::hash_input::HashInput;
use super::row_selection::RowSelection;
use super::salted_part::SaltedPart;
use super::scan_cost::{KeyOrder, ScanCost};
use crate::error::RecipeError;

/// The way a row is written after its salt.
pub(super) trait RowEncoding: Any + fmt::Debug + Send + Sync {
    /// Appends a row in its written form.
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError>;

    /// Returns the written form of a row.
    fn written(&self, row: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let mut written = Vec::with_capacity(row.len());
        self.write(row, &mut written)?;
        Ok(written)
    }

    /// Appends the row that a written form encodes.
    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError>;

    /// Explains a written form piece by piece.
    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError>;

    /// Returns the order of the written forms.
    fn order(&self) -> KeyOrder;

    /// Checks whether another encoding writes each row in the same way. Only the written bytes
    /// count, not the names of fields.
    fn writes_as(&self, other: &dyn RowEncoding) -> bool;

    /// Rejects a part that rows of this encoding do not have. The default is for encodings that
    /// choose the salted part themselves, or are never salted.
    fn check_part(&self, _part: &SaltedPart) -> Result<(), RecipeError> {
        Ok(())
    }

    /// Returns the part of a row from which its salt is computed.
    fn part_of<'a>(&self, row: &'a [u8], _part: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        Ok(row.into())
    }

    /// Returns the salted part that all rows of a set have in common, if there is one.
    fn common_part(&self, _rows: &RowSelection, _part: &SaltedPart) -> Option<Bytes> {
        None
    }

    /// Returns the sets of a kind whose written forms are contiguous.
    fn contiguity(&self, kind: SelectionKind) -> Contiguity;

    /// Returns the written forms of exactly the rows of a set, in their order.
    ///
    /// # Errors
    ///
    /// Fails if the rows of the set are not contiguous; the error gives the reason.
    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError>;

    /// Rejects a salt that cannot be computed from this part of some or all rows.
    fn check_hash_input(&self, _input: HashInput, _part: &SaltedPart) -> Result<(), RecipeError> {
        Ok(())
    }

    /// Checks whether several rows can have the same salted part.
    fn shares_parts(&self, part: &SaltedPart) -> bool {
        *part != SaltedPart::Whole
    }

    /// Describes the salted part; empty for the usual one.
    fn part_text(&self, part: &SaltedPart) -> String {
        part.to_string()
    }

    /// Returns the cost of reading sets of a kind under this number of salts, if it is not one
    /// range for each salt.
    fn salted_cost(&self, _kind: SelectionKind, _salts: u64) -> Option<ScanCost> {
        None
    }

    /// Returns the settings that distinguish the encoding from others of the same name, if there
    /// are any.
    fn detail(&self) -> Option<String> {
        None
    }

    /// Returns a row or a key for display in a message.
    fn excerpt(&self, bytes: &[u8]) -> Excerpt {
        Excerpt::new(bytes)
    }

    /// Returns points that cut the space of written forms into this many even pieces, for designs
    /// without a salt.
    fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        Err(RecipeError::no_even_splits(
            "rows that are written as they are have no alphabet to split evenly: take the points from a sample",
        ))
    }

    /// Checks for the errors of [`split_points`](Self::split_points).
    fn check_split(&self, tablets: u32) -> Result<(), RecipeError> {
        self.split_points(tablets).map(drop)
    }

    /// Rejects a set of a kind that this encoding scatters.
    fn check_contiguous(&self, rows: &RowSelection) -> Result<(), RecipeError> {
        match SelectionKind::of(rows).map(|kind| self.contiguity(kind)) {
            Some(Contiguity::Never(reason)) => Err(RecipeError::scan(reason)),
            _ => Ok(()),
        }
    }
}

/// Returns an encoding as a concrete type, or `None` if it is of another type.
pub(super) fn downcast<T: RowEncoding>(encoding: &dyn RowEncoding) -> Option<&T> {
    let encoding: &dyn Any = encoding;
    encoding.downcast_ref()
}

/// A half-open range of written rows; unbounded if `end` is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowRange {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

impl RowRange {
    /// Returns the range of one written row.
    pub(super) fn of_row(written: impl Into<Bytes>) -> Self {
        let start = written.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

    /// Returns the range of all written rows with this prefix.
    pub(super) fn of_prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        let end = prefix_successor(&start);
        Self { start, end }
    }

    /// Returns the range of rows that are written as they are.
    pub(super) fn as_they_are(rows: &RowSelection) -> Self {
        let (start, end) = rows.bounds();
        Self { start, end }
    }

    pub(super) fn contains(&self, written: &[u8]) -> bool {
        let is_before = |end: &Bytes| written < end.as_ref();
        written >= self.start.as_ref() && self.end.as_ref().is_none_or(is_before)
    }
}

/// The kind of a set of rows, for answers that are the same for all sets of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectionKind {
    /// One row.
    Row,
    /// All rows with a prefix.
    Prefix,
    /// All rows between two.
    Range,
    /// All rows with a suffix.
    Suffix,
    /// All rows with given leading parts, and with a next part between two values.
    Between,
    /// The pages of a domain.
    Domain,
}

impl SelectionKind {
    /// Returns the kind of a set, or `None` for all rows, which every encoding stores contiguously.
    fn of(rows: &RowSelection) -> Option<Self> {
        match rows {
            RowSelection::All => None,
            RowSelection::Domain { .. } => Some(Self::Domain),
            RowSelection::Row(_) => Some(Self::Row),
            RowSelection::Prefix(_) => Some(Self::Prefix),
            RowSelection::Range { .. } => Some(Self::Range),
            RowSelection::Suffix(_) => Some(Self::Suffix),
            RowSelection::Between { .. } => Some(Self::Between),
        }
    }
}

/// The sets of a kind whose written forms are contiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contiguity {
    /// All sets of the kind.
    Always,
    /// The sets of this description.
    Only(&'static str),
    /// No set of the kind, for this reason.
    Never(&'static str),
}

impl Contiguity {
    /// The pages of a domain, in an encoding without domains.
    pub(super) const NO_DOMAINS: Self = Self::Never(
        "only the keys of a web-table design hold domains: ask for a row, a prefix or a range",
    );
}
