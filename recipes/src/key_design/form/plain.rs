//! A row written as it is.

use std::borrow::Cow;

use fluo_table::Bytes;
use memchr::memmem;

use super::super::error::DesignError;
use super::super::row_selection::RowSelection;
use super::super::salted_part::SaltedPart;
use super::Asked;

pub(super) fn check_part(part: &SaltedPart) -> Result<(), DesignError> {
    match part {
        SaltedPart::Whole => Ok(()),
        SaltedPart::Before(text) if text.is_empty() => Err(DesignError::settings(
            "the salted part ends before an empty text: give the text that ends it, such as `/`",
        )),
        SaltedPart::First(0) => Err(DesignError::settings(
            "the salted part has no bytes, so that all rows would have one salt: give at least 1",
        )),
        SaltedPart::Before(_) | SaltedPart::First(_) => Ok(()),
        SaltedPart::Fields(_) => Err(DesignError::settings(
            "only rows of a composite design have fields: salt over the whole row, its first bytes, or the part \
             before a text",
        )),
        SaltedPart::Entity => Err(DesignError::settings(
            "only rows of a reverse-time design have an entity: salt over the whole row, its first bytes, or the \
             part before a text",
        )),
    }
}

pub(super) fn part_of<'a>(row: &'a [u8], part: &SaltedPart) -> Cow<'a, [u8]> {
    let end = match part {
        SaltedPart::Before(text) => memmem::find(row, text.as_bytes()),
        SaltedPart::First(bytes) => Some(*bytes),
        SaltedPart::Whole | SaltedPart::Fields(_) | SaltedPart::Entity => None,
    };
    end.and_then(|end| row.get(..end)).unwrap_or(row).into()
}

pub(super) fn common_part(rows: &RowSelection, part: &SaltedPart) -> Option<Bytes> {
    if let RowSelection::Row(row) = rows {
        return Some(part_of(row, part).into_owned().into());
    }
    // A longer row has the same part only if the part ends within the common prefix of the set.
    let common = rows.common_prefix();
    let end = match part {
        SaltedPart::Before(text) => memmem::find(&common, text.as_bytes())?,
        SaltedPart::First(bytes) => *bytes,
        SaltedPart::Whole | SaltedPart::Fields(_) | SaltedPart::Entity => return None,
    };
    (end <= common.len()).then(|| common.slice(..end))
}

pub(super) fn scatters(asked: Asked) -> Option<String> {
    match asked {
        Asked::Row | Asked::Prefix | Asked::Range | Asked::Domain => None,
        Asked::Suffix => Some(
            "rows with one suffix are scattered if rows are stored as they are: read all rows, or use the design \
             `reversed`"
                .to_owned(),
        ),
        Asked::Between => Some(
            "rows that are stored as they are have no parts to lie between two values: ask for a range of rows, or \
             use the design `composite` or `reverse-time`"
                .to_owned(),
        ),
    }
}
