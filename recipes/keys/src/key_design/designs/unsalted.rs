//! `unsalted`: rows as they are.

use std::borrow::Cow;

use fluo_table::Bytes;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::key_design::encoding::{Contiguity, RowEncoding, RowRange, SelectionKind, downcast};
use crate::key_design::explain::KeyField;
use crate::key_design::hash_input::HashInput;
use crate::key_design::parts::DesignParts;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::salted_part::SaltedPart;
use crate::key_design::scan_cost::KeyOrder;

/// Settings of the design `unsalted`, which has none: the key of a row is the row.
///
/// It is for rows that are already spread, and for a table whose keys must not change. Split points
/// cannot be computed, because the distribution of the rows is unknown: take them from a sample.
///
/// # Examples
///
/// ```
/// use fluo_keys::{KeyDesign, RowSelection, Unsalted};
///
/// let design = KeyDesign::new(Unsalted {})?;
/// assert_eq!(design.encode_row(b"user42/7")?, "user42/7");
/// assert_eq!(design.spans(&RowSelection::Prefix("user42/".into()))?.len(), 1);
/// assert!(design.splits(4).is_err());
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsalted {}

impl Unsalted {
    pub(super) fn parts() -> Result<DesignParts, RecipeError> {
        DesignParts::new("unsalted", None, Self {})
    }
}

impl RowEncoding for Unsalted {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        key.extend_from_slice(row);
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        row.extend_from_slice(written);
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        Ok(vec![KeyField::new(
            "row",
            written.to_vec(),
            "the row as it is",
        )])
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Rows
    }

    fn writes_as(&self, other: &dyn RowEncoding) -> bool {
        downcast::<Self>(other).is_some()
    }

    fn check_part(&self, part: &SaltedPart) -> Result<(), RecipeError> {
        match part {
            SaltedPart::Whole => Ok(()),
            SaltedPart::Before(text) if text.is_empty() => Err(RecipeError::settings(
                "the salted part ends before an empty text: give the text that ends it, such as `/`",
            )),
            SaltedPart::First(0) => Err(RecipeError::settings(
                "the salted part has no bytes, so that all rows would have one salt: give at least 1",
            )),
            SaltedPart::Before(_) | SaltedPart::First(_) => Ok(()),
            SaltedPart::Fields(_) => Err(RecipeError::settings(
                "only rows of a composite design have fields: salt over the whole row, its first bytes, or the part \
                 before a text",
            )),
            SaltedPart::Entity => Err(RecipeError::settings(
                "only rows of a reverse-time design have an entity: salt over the whole row, its first bytes, or the \
                 part before a text",
            )),
        }
    }

    fn check_hash_input(&self, input: HashInput, part: &SaltedPart) -> Result<(), RecipeError> {
        match (input, part) {
            (HashInput::JavaHash, SaltedPart::First(_)) => Err(RecipeError::settings(
                "Java's String.hashCode needs text, but the first bytes of a text can end within a character: salt \
                 over the part before a text, or use a digest-salt, which accepts any bytes",
            )),
            _ => Ok(()),
        }
    }

    fn part_of<'a>(&self, row: &'a [u8], part: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        let end = match part {
            SaltedPart::Before(text) => memmem::find(row, text.as_bytes()),
            SaltedPart::First(bytes) => Some(*bytes),
            SaltedPart::Whole | SaltedPart::Fields(_) | SaltedPart::Entity => None,
        };
        Ok(end.and_then(|end| row.get(..end)).unwrap_or(row).into())
    }

    fn common_part(&self, rows: &RowSelection, part: &SaltedPart) -> Option<Bytes> {
        if let RowSelection::Row(row) = rows {
            return Some(self.part_of(row, part).ok()?.into_owned().into());
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

    fn contiguity(&self, kind: SelectionKind) -> Contiguity {
        match kind {
            SelectionKind::Row | SelectionKind::Prefix | SelectionKind::Range => Contiguity::Always,
            SelectionKind::Domain => Contiguity::NO_DOMAINS,
            SelectionKind::Suffix => Contiguity::Never(
                "rows with one suffix are scattered if rows are stored as they are: read all rows, or use the design \
                 `reversed`",
            ),
            SelectionKind::Between => Contiguity::Never(
                "rows that are stored as they are have no parts to lie between two values: ask for a range of rows, \
                 or use the design `composite` or `reverse-time`",
            ),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        self.check_contiguous(rows)?;
        Ok(vec![RowRange::as_they_are(rows)])
    }
}
