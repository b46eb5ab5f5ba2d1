//! The parts of a design: a salt, and the encoding of the row after it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, Excerpt};

use super::hash_input::HashInput;
use super::row_selection::{RowRange, RowSelection};
use super::salt::{Salt, SaltKind, SaltedPart};
use super::scan_cost::{KeyOrder, ScanCost};
use crate::error::RecipeError;

/// One piece of a stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// The name of the piece, such as `salt` or `row`.
    pub name: String,
    /// The bytes of the piece as they are stored.
    pub stored: Bytes,
    /// The meaning of these bytes.
    pub meaning: String,
}

impl KeyField {
    pub(super) fn new(
        name: impl Into<String>,
        stored: impl Into<Bytes>,
        meaning: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), stored: stored.into(), meaning: meaning.into() }
    }
}

/// The way a row is written after its salt.
pub(super) trait RowEncoding: fmt::Debug + Send + Sync {
    /// Appends a row in its written form.
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError>;

    /// Appends the row that a written form encodes.
    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError>;

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

    /// Returns the salted part that all rows of a set of several have in common, if there is one.
    fn common_part(&self, _rows: &RowSelection, _over: &SaltedPart) -> Option<Vec<u8>> {
        None
    }

    /// Returns the cost of reading sets of the kind of this one, under one salt. A single row is
    /// always one range.
    fn cost(&self, rows: &RowSelection) -> ScanCost {
        ScanCost::usual(rows)
    }

    /// Returns the written forms of exactly the rows of a set of several whose kind is supported,
    /// in their order.
    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        Ok(vec![rows.bounds()])
    }

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

/// The two parts of a design, and the settings that combine them.
#[derive(Clone, Debug)]
pub(super) struct DesignParts {
    pub(super) name: &'static str,
    pub(super) salt: Option<Salt>,
    /// `true` if there is a split point at the first salt, which leaves an empty tablet before it.
    pub(super) leading_point: bool,
    pub(super) encoding: Arc<dyn RowEncoding>,
}

impl DesignParts {
    /// Combines a salt and an encoding. Fails if rows of this encoding do not have the salted part,
    /// or if the salt cannot be computed from it.
    pub(super) fn new(
        name: &'static str,
        salt: Option<Salt>,
        encoding: impl RowEncoding + 'static,
    ) -> Result<Self, RecipeError> {
        if let Some(salt) = &salt {
            let of = match salt.kind {
                SaltKind::Bucket { of, .. } => of,
                _ => None,
            };
            encoding.check_salt(&salt.over, of)?;
        }
        Ok(Self { name, salt, leading_point: false, encoding: Arc::new(encoding) })
    }
}
