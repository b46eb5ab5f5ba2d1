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

use std::iter;

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::alphabet::RowAlphabet;
use super::{Reversed, ReversedUnit, RowLength};
use crate::error::RecipeError;
use crate::key_design::encoding::{Contiguity, RowEncoding, RowRange, SelectionKind, downcast};
use crate::key_design::escape;
use crate::key_design::explain::KeyField;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::scan_cost::KeyOrder;

/// Maximum length in bytes of a row whose length is stored, so that the first byte of the length
/// stays below `ff`.
const LONGEST: u32 = 0xfeff_ffff;

/// Describes sets whose rows a reversal scatters.
macro_rules! scattered {
    ($rows:literal) => {
        Contiguity::Never(concat!(
            $rows,
            " are scattered if rows are reversed, because their last bytes decide where they are stored: read them \
             one by one or by suffix, or use a digest-salt, which keeps such reads"
        ))
    };
}

impl Reversed {
    /// Returns the reversed row, without its stored length.
    fn unwrapped(&self, written: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let refused = |reason: String| {
            let excerpt = Excerpt::new(written);
            RecipeError::key(format!("{excerpt} is not a reversed row: {reason}"))
        };
        match self.length {
            RowLength::Fixed(length) => {
                let found = self.units(written);
                if found == length {
                    return Ok(written.to_vec());
                }
                let found = self.counted(found);
                Err(refused(format!("it has {found}, not {length}")))
            }
            RowLength::Stored => {
                let mut reversed = Vec::with_capacity(written.len());
                let stored = escape::read(written, 0, &mut reversed).ok_or_else(|| {
                    refused("it does not end with the byte 00 and 4 bytes of length".into())
                })?;
                let right = u32::try_from(reversed.len()).ok().map(u32::to_be_bytes);
                if right.is_some_and(|right| right == stored) {
                    return Ok(reversed);
                }
                let (found, stored) = (counted(reversed.len(), "byte"), Excerpt::new(stored));
                Err(refused(format!(
                    "it has {found}, but the stored length is {stored}"
                )))
            }
        }
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

    /// Returns the number of bytes, or of characters of UTF-8 text.
    fn units(&self, bytes: &[u8]) -> usize {
        let starts = |byte: &&u8| self.unit == ReversedUnit::Bytes || **byte & 0xc0 != 0x80;
        bytes.iter().filter(starts).count()
    }

    /// Formats a number of bytes or characters.
    fn counted(&self, count: usize) -> String {
        match self.unit {
            ReversedUnit::Bytes => counted(count, "byte"),
            ReversedUnit::Characters => counted(count, "character"),
        }
    }

    /// Returns the common beginning of the keys of all rows with a suffix.
    fn beginning(&self, suffix: &[u8]) -> Result<Bytes, RecipeError> {
        let reversed = self.reverse(suffix).ok_or_else(|| not_text(suffix))?;
        if let RowLength::Fixed(length) = self.length {
            if self.units(&reversed) > length {
                return Err(RecipeError::scan(format!(
                    "no row ends with {}: rows have {}, fewer than that",
                    Excerpt::new(suffix),
                    self.counted(length)
                )));
            }
            return Ok(reversed.into());
        }
        Ok(escaped(&reversed))
    }

    fn split_alphabet(&self) -> Result<RowAlphabet, RecipeError> {
        self.alphabet.ok_or_else(|| {
            RecipeError::no_even_splits(
                "split points of reversed rows need their alphabet: set `alphabet` to `digits`, `hex`, `lower`, \
                 `printable` or `bytes`, or take the points from a sample",
            )
        })
    }

    fn longest(&self) -> usize {
        match self.length {
            RowLength::Fixed(length) => length,
            RowLength::Stored => usize::MAX,
        }
    }
}

impl RowEncoding for Reversed {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        let reversed = self.reverse(row).ok_or_else(|| not_text(row))?;
        match self.length {
            RowLength::Fixed(length) => {
                let found = self.units(&reversed);
                if found != length {
                    return Err(RecipeError::row(format!(
                        "{} has {}, but all rows of this reversed design have {length}: pad rows to one length, or \
                         store the length",
                        Excerpt::new(row),
                        self.counted(found)
                    )));
                }
                key.extend_from_slice(&reversed);
            }
            RowLength::Stored => {
                let length = u32::try_from(row.len()).ok().filter(|len| *len <= LONGEST);
                let length = length.ok_or_else(|| {
                    RecipeError::row(format!(
                        "a row has at most {LONGEST} bytes, not {}",
                        row.len()
                    ))
                })?;
                escape::write(&reversed, key);
                key.push(0);
                key.extend_from_slice(&length.to_be_bytes());
            }
        }
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        let reversed = self.unwrapped(written)?;
        let found = self.reverse(&reversed).ok_or_else(|| {
            RecipeError::key(format!(
                "{} is not a reversed row: it is not UTF-8 text, which is reversed by characters",
                Excerpt::new(written)
            ))
        })?;
        row.extend_from_slice(&found);
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let mut row = Vec::with_capacity(written.len());
        self.read(written, &mut row)?;
        let end = match self.length {
            RowLength::Fixed(_) => 0,
            RowLength::Stored => 1 + size_of::<u32>(),
        };
        let (stored, end) = written
            .split_at_checked(written.len().saturating_sub(end))
            .unwrap_or((written, &[]));
        let meaning = format!("`{}` read backwards", Escaped(&row));
        let of_row = KeyField::new("row", stored.to_vec(), meaning);
        let length = (!end.is_empty()).then(|| {
            let meaning = format!("the end, and the length: {}", counted(row.len(), "byte"));
            KeyField::new("length", end.to_vec(), meaning)
        });
        Ok(iter::once(of_row).chain(length).collect())
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::ReversedRows
    }

    /// Ignores the alphabet of the split points.
    fn writes_as(&self, other: &dyn RowEncoding) -> bool {
        downcast::<Self>(other)
            .is_some_and(|other| (self.length, self.unit) == (other.length, other.unit))
    }

    fn contiguity(&self, kind: SelectionKind) -> Contiguity {
        match kind {
            SelectionKind::Row | SelectionKind::Suffix => Contiguity::Always,
            SelectionKind::Domain => Contiguity::NO_DOMAINS,
            SelectionKind::Prefix => scattered!("rows with one prefix"),
            SelectionKind::Range => scattered!("the rows of a range"),
            SelectionKind::Between => scattered!("rows with a part between two values"),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        self.check_contiguous(rows)?;
        let range = match rows {
            RowSelection::Row(row) => RowRange::of_row(self.written(row)?),
            RowSelection::Suffix(suffix) => RowRange::of_prefix(self.beginning(suffix)?),
            _ => RowRange::as_they_are(rows),
        };
        Ok(vec![range])
    }

    fn detail(&self) -> Option<String> {
        Some(match (self.length, self.unit) {
            (RowLength::Fixed(length), _) => format!("rows of {}", self.counted(length)),
            (RowLength::Stored, ReversedUnit::Bytes) => {
                "bytes, with their length stored".to_owned()
            }
            (RowLength::Stored, ReversedUnit::Characters) => {
                "characters, with their length stored".to_owned()
            }
        })
    }

    fn split_points(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        let points = self.split_alphabet()?.points(tablets, self.longest())?;
        Ok(match self.length {
            RowLength::Fixed(_) => points,
            RowLength::Stored => points.iter().map(|point| escaped(point)).collect(),
        })
    }

    fn check_split(&self, tablets: u32) -> Result<(), RecipeError> {
        let alphabet = self.split_alphabet()?;
        alphabet.beginnings(tablets, self.longest()).map(drop)
    }
}

fn escaped(bytes: &[u8]) -> Bytes {
    let mut written = Vec::with_capacity(bytes.len());
    escape::write(bytes, &mut written);
    written.into()
}

fn not_text(row: &[u8]) -> RecipeError {
    RecipeError::row(format!(
        "{} is not UTF-8 text, so its characters cannot be reversed: reverse bytes instead",
        Excerpt::new(row)
    ))
}
