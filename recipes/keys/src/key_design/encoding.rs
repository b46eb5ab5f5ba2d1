//! The encoding: the way a row is written after its salt.

use std::borrow::Cow;
use std::fmt;

use fluo_table::{Bytes, Excerpt, prefix_successor, row_successor};

use super::hash_input::HashInput;
use super::key_field::KeyField;
use super::row_selection::RowSelection;
use super::salt::SaltedPart;
use super::scan_cost::{KeyOrder, ScanCost};
use crate::error::RecipeError;

/// The way a row is written after its salt.
pub(super) trait RowEncoding: fmt::Debug + Send + Sync {
    /// Appends a row in its written form.
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError>;

    /// Appends the row that a written form encodes.
    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError>;

    /// Explains a written form piece by piece.
    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError>;

    fn order(&self) -> KeyOrder;

    /// Returns the settings that distinguish the written forms from others of the same order, or
    /// `None` for the usual ones.
    fn detail(&self) -> Option<String> {
        None
    }

    /// Rejects a salt that rows of this encoding do not have, or that cannot be computed from them.
    fn check_salt(&self, _over: &SaltedPart, _of: Option<HashInput>) -> Result<(), RecipeError> {
        Ok(())
    }

    /// Returns the part of a row from which its salt is computed.
    fn part_of<'a>(&self, row: &'a [u8], _over: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        Ok(row.into())
    }

    /// Returns the salted part that all rows of a set have in common, if there is one.
    fn common_part(&self, _rows: &RowSelection, _over: &SaltedPart) -> Option<Bytes> {
        None
    }

    /// Returns the cost of reading sets of a kind, under one salt.
    fn cost(&self, kind: SelectionKind) -> ScanCost;

    /// Returns the written forms of exactly the rows of a set whose kind is supported, in their
    /// order.
    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError>;

    /// Returns points that cut the space of written forms into this many even pieces, for designs
    /// without a salt.
    fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        Err(RecipeError::no_even_splits(
            "rows without a salt have no even split points: set a salt, or take a sample",
        ))
    }

    /// Returns a row or a key for display in a message.
    fn excerpt(&self, bytes: &[u8]) -> Excerpt {
        Excerpt::new(bytes)
    }
}

pub(super) fn written(encoding: &dyn RowEncoding, row: &[u8]) -> Result<Vec<u8>, RecipeError> {
    let mut written = Vec::with_capacity(row.len());
    encoding.write(row, &mut written)?;
    Ok(written)
}

/// A half-open range of written rows; unbounded if `end` is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowRange {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

impl RowRange {
    pub(super) fn of_row(written: impl Into<Bytes>) -> Self {
        let start = written.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

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
    Row,
    Prefix,
    Range,
    Suffix,
    Between,
    Domain,
}

impl SelectionKind {
    /// Returns the kind of a set, or `None` for all rows, which every encoding stores contiguously.
    pub(super) fn of(rows: &RowSelection) -> Option<Self> {
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

/// The reason why an encoding without domains cannot read those of a domain.
pub(super) const NO_DOMAINS: &str = "only a web table stores domains";
/// The reason why an encoding that stores rows from the front cannot read by suffix.
pub(super) const NO_SUFFIXES: &str =
    "rows with one suffix are scattered; use the design `reversed`";
