//! Rows read backwards.
//!
//! ```text
//!  fixed length    the row, its last byte or character first
//!  stored length   the same, each byte 00 written 00 ff; then 00 and the length of the row,
//!                  4 bytes, big-endian
//! ```
//!
//! With a stored length `ab 00` is `00 ff 62 61 00 00 00 00 03`. The `00` before the length ends
//! the row. The first byte of a length is never `ff`, so it is not read as an escaped zero, and a
//! row sorts before longer rows that begin with it.
//!
//! The length prevents a truncated key, or bytes that this design never wrote, from being read as a
//! row. Without it, every byte string would be the key of some row of variable length.

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::{Reversed, ReversedUnit, RowLength};
use crate::error::RecipeError;
use crate::key_design::encoding::RowEncoding;
use crate::key_design::{KeyField, KeyOrder, RowRange, RowSelection, ScanCost, escape};

/// Maximum length in bytes of a row whose length is stored, so that the first byte of the length
/// stays below `ff`.
const LONGEST: u32 = 0xfeff_ffff;

impl Reversed {
    /// Returns the row of a written form, or the reason why it has none.
    fn row_of(&self, written: &[u8]) -> Result<Vec<u8>, String> {
        let mut reversed = Vec::with_capacity(written.len());
        match self.length {
            RowLength::Fixed(length) => {
                let found = self.units(written);
                if found != length {
                    return Err(format!("it has {}, not {length}", self.counted(found)));
                }
                reversed.extend_from_slice(written);
            }
            RowLength::Stored => {
                let stored = escape::read(written, 0, &mut reversed)
                    .ok_or("it does not end with the byte 00 and 4 bytes of length")?;
                let right = u32::try_from(reversed.len()).ok().map(u32::to_be_bytes);
                if right.is_none_or(|right| right != stored) {
                    let (found, stored) = (counted(reversed.len(), "byte"), Excerpt::new(stored));
                    return Err(format!("it has {found}, but the stored length is {stored}"));
                }
            }
        }
        let row = self.reverse(&reversed);
        row.ok_or_else(|| "it is not UTF-8 text, which is reversed by characters".to_owned())
    }

    /// Returns the bytes or characters in reverse order, or `None` if the characters are not valid
    /// text.
    fn reverse(&self, row: &[u8]) -> Option<Vec<u8>> {
        match self.unit {
            ReversedUnit::Bytes => Some(row.iter().rev().copied().collect()),
            ReversedUnit::Characters => {
                let text = std::str::from_utf8(row).ok()?;
                Some(text.chars().rev().collect::<String>().into_bytes())
            }
        }
    }

    fn reversed(&self, row: &[u8]) -> Result<Vec<u8>, RecipeError> {
        self.reverse(row).ok_or_else(|| {
            RecipeError::row(format!(
                "{} is not UTF-8 text, so its characters cannot be reversed: reverse bytes",
                Excerpt::new(row)
            ))
        })
    }

    /// Returns the number of bytes, or of characters of UTF-8 text.
    fn units(&self, bytes: &[u8]) -> usize {
        let starts = |byte: &&u8| self.unit == ReversedUnit::Bytes || **byte & 0xc0 != 0x80;
        bytes.iter().filter(starts).count()
    }

    fn counted(&self, count: usize) -> String {
        match self.unit {
            ReversedUnit::Bytes => counted(count, "byte"),
            ReversedUnit::Characters => counted(count, "character"),
        }
    }

    /// Returns the common beginning of the keys of all rows with a suffix.
    fn beginning(&self, suffix: &[u8]) -> Result<Bytes, RecipeError> {
        let reversed = self.reversed(suffix)?;
        match self.length {
            RowLength::Stored => Ok(escaped(&reversed)),
            RowLength::Fixed(length) if self.units(&reversed) <= length => Ok(reversed.into()),
            RowLength::Fixed(length) => Err(RecipeError::scan(format!(
                "no row ends with {}: rows have only {}",
                Excerpt::new(suffix),
                self.counted(length)
            ))),
        }
    }
}

impl RowEncoding for Reversed {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        let reversed = self.reversed(row)?;
        match self.length {
            RowLength::Fixed(length) => {
                let found = self.units(&reversed);
                if found != length {
                    return Err(RecipeError::row(format!(
                        "{} has {}, but all rows of this reversed design have {length}: store the length",
                        Excerpt::new(row),
                        self.counted(found)
                    )));
                }
                key.extend_from_slice(&reversed);
            }
            RowLength::Stored => {
                let length = u32::try_from(row.len()).ok().filter(|len| *len <= LONGEST);
                let length = length.ok_or_else(|| {
                    let found = row.len();
                    RecipeError::row(format!("a row has at most {LONGEST} bytes, not {found}"))
                })?;
                escape::write(&reversed, key);
                key.push(0);
                key.extend_from_slice(&length.to_be_bytes());
            }
        }
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        let found = self.row_of(written).map_err(|reason| {
            let excerpt = Excerpt::new(written);
            RecipeError::key(format!("{excerpt} is not a reversed row: {reason}"))
        })?;
        row.extend_from_slice(&found);
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let mut row = Vec::with_capacity(written.len());
        self.read(written, &mut row)?;
        let meaning = format!("`{}` read backwards", Escaped(&row));
        let field = |stored: &[u8]| KeyField::new("row", stored.to_vec(), meaning);
        let (stored, end) = match self.length {
            RowLength::Fixed(_) => return Ok(vec![field(written)]),
            RowLength::Stored => {
                let end = written.len().saturating_sub(1 + size_of::<u32>());
                written.split_at_checked(end).unwrap_or_default()
            }
        };
        let meaning = format!("the end, and the length: {}", counted(row.len(), "byte"));
        Ok(vec![field(stored), KeyField::new("length", end.to_vec(), meaning)])
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::ReversedRows
    }

    fn detail(&self) -> Option<String> {
        Some(match (self.length, self.unit) {
            (RowLength::Fixed(length), _) => format!("rows of {}", self.counted(length)),
            (_, ReversedUnit::Bytes) => "bytes, with their length stored".to_owned(),
            (_, ReversedUnit::Characters) => "characters, with their length stored".to_owned(),
        })
    }

    fn cost(&self, rows: &RowSelection) -> ScanCost {
        match rows {
            RowSelection::Suffix(_) => ScanCost::SingleRange,
            RowSelection::Domain { .. } => ScanCost::usual(rows),
            _ => ScanCost::unsupported(
                "reversed rows are read one by one or by suffix; use the design `digest-salt`",
            ),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        Ok(vec![match rows {
            RowSelection::Suffix(suffix) => RowRange::of_prefix(self.beginning(suffix)?),
            _ => rows.bounds(),
        }])
    }

    fn split_points(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        let alphabet = self.alphabet.ok_or_else(|| {
            RecipeError::no_even_splits(
                "split points of reversed rows need their `alphabet`, such as `digits` or `printable`",
            )
        })?;
        match self.length {
            RowLength::Fixed(length) => alphabet.points(tablets, length),
            RowLength::Stored => {
                let points = alphabet.points(tablets, usize::MAX)?;
                Ok(points.iter().map(|point| escaped(point)).collect())
            }
        }
    }
}

fn escaped(bytes: &[u8]) -> Bytes {
    let mut written = Vec::with_capacity(bytes.len());
    escape::write(bytes, &mut written);
    written.into()
}
