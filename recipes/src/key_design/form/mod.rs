//! The form: how a row is written behind its salt.

mod plain;

use std::borrow::Cow;

use fluo_core::Bytes;

use super::error::DesignError;
use super::explain::KeyField;
use super::part::SaltedPart;
use super::reach::KeyOrder;
use super::rows::Rows;

/// How a row is written behind its salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Plain,
}

/// A half-open range of written rows; no end is no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormRange {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

/// What a set of rows is asked for, where all of a kind are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// One row.
    Row,
    /// All rows with a prefix.
    Prefix,
    /// All rows between two.
    Range,
}

impl Form {
    /// Refuses a part that rows of this form do not have.
    pub(super) fn check_part(&self, part: &SaltedPart) -> Result<(), DesignError> {
        match self {
            Self::Plain => plain::check_part(part),
        }
    }

    /// Appends the written form of a row.
    pub(super) fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => key.extend_from_slice(row),
        }
        Ok(())
    }

    /// Appends the row of a written form.
    pub(super) fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => row.extend_from_slice(written),
        }
        Ok(())
    }

    /// The part of a row that its salt is made of.
    pub(super) fn part_of<'a>(
        &self,
        row: &'a [u8],
        part: &SaltedPart,
    ) -> Result<Cow<'a, [u8]>, DesignError> {
        match self {
            Self::Plain => Ok(plain::part_of(row, part)),
        }
    }

    /// The one part that all rows of a set have, if they all have the same.
    pub(super) fn common_part(&self, rows: &Rows, part: &SaltedPart) -> Option<Bytes> {
        match self {
            Self::Plain => plain::common_part(rows, part),
        }
    }

    /// The written forms of exactly the rows of a set.
    ///
    /// # Errors
    /// A set whose rows do not lie together in this form, with the reason.
    pub(super) fn range(&self, rows: &Rows) -> Result<FormRange, DesignError> {
        match self {
            Self::Plain => Ok(plain::range(rows)),
        }
    }

    /// Why such sets of rows do not lie together, if they do not.
    pub(super) fn scatters(&self, _asked: Asked) -> Option<String> {
        match self {
            Self::Plain => None,
        }
    }

    /// The order of the written forms.
    pub(super) fn order(&self) -> KeyOrder {
        match self {
            Self::Plain => KeyOrder::Rows,
        }
    }

    /// Points that cut the space of written forms into this many even pieces, for designs without a salt.
    pub(super) fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, DesignError> {
        match self {
            Self::Plain => Err(DesignError::splits(
                "rows that are written as they are have no alphabet to split evenly: take the points from a sample \
                 with `fluo advise`",
            )),
        }
    }

    /// What a written form means.
    pub(super) fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, DesignError> {
        match self {
            Self::Plain => Ok(vec![KeyField::new(
                "row",
                written.to_vec(),
                "the row as it is",
            )]),
        }
    }
}
