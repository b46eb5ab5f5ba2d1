//! `unsalted`: rows as they are.

use std::borrow::Cow;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::key_design::encoding::RowEncoding;
use crate::key_design::{HashInput, KeyField, KeyOrder, RowSelection, SaltedPart};

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
        Ok(vec![KeyField::new("row", written.to_vec(), "the row as it is")])
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Rows
    }

    fn check_salt(&self, over: &SaltedPart, of: Option<HashInput>) -> Result<(), RecipeError> {
        let reason = match (over, of) {
            (SaltedPart::Before(text), _) if text.is_empty() => {
                "the salted part ends before an empty text: give the text that ends it, such as `/`"
            }
            (SaltedPart::First(0), _) => "the salted part has no bytes: give at least 1",
            (SaltedPart::First(_), Some(HashInput::JavaHash)) => {
                "the first bytes of a row can end within a character, which has no Java hash: use a digest-salt"
            }
            (SaltedPart::Fields(_), _) => "only rows of a composite design have fields",
            (SaltedPart::Entity, _) => "only rows of a reverse-time design have an entity",
            (SaltedPart::Whole | SaltedPart::Before(_) | SaltedPart::First(_), _) => return Ok(()),
        };
        Err(RecipeError::settings(reason))
    }

    fn part_of<'a>(&self, row: &'a [u8], over: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        let end = end_of(row, over).and_then(|end| row.get(..end));
        Ok(end.unwrap_or(row).into())
    }

    fn common_part(&self, rows: &RowSelection, over: &SaltedPart) -> Option<Vec<u8>> {
        // A longer row has the same part only if the part ends within the common prefix of the set.
        let common = rows.common_prefix();
        Some(common.get(..end_of(&common, over)?)?.to_vec())
    }
}

/// Returns the end of the salted part of a row, or `None` for the whole row.
fn end_of(row: &[u8], over: &SaltedPart) -> Option<usize> {
    match over {
        SaltedPart::Before(text) => memmem::find(row, text.as_bytes()),
        SaltedPart::First(bytes) => Some(*bytes),
        SaltedPart::Whole | SaltedPart::Fields(_) | SaltedPart::Entity => None,
    }
}
