//! A time counted down, before or after the entity of the row.
//!
//! ```text
//!  row, time last      <entity><separator><t>        stored   <entity><separator><MAX - t>
//!  row, time first     <t><separator><entity>        stored   <MAX - t><separator><entity>
//!
//!  decimal             t without leading zeros        MAX - t in 19 decimal digits
//!  binary              t in 8 bytes, big-endian       MAX - t in 8 bytes, big-endian
//! ```
//!
//! `t` is 0 to `MAX`, which is `i64::MAX`; usually milliseconds since 1970. `MAX - t` has a fixed
//! width and decreases over time, so the newest row of an entity comes first. If the time is last,
//! the entity cannot contain the separator: otherwise rows of `a` would be interleaved with rows of
//! an entity that begins with `a` and the separator.

use std::borrow::Cow;

use fluo_table::{Bytes, Escaped, Excerpt};
use memchr::memmem;

use super::time::{DIGITS, TimeEncoding};
use super::{ReverseTime, TimePosition};
use crate::error::RecipeError;
use crate::key_design::encoding::{Contiguity, RowEncoding, RowRange, SelectionKind, downcast};
use crate::key_design::explain::KeyField;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::salted_part::SaltedPart;
use crate::key_design::scan_cost::KeyOrder;

/// A row, split into its parts.
struct Parts<'a> {
    entity: &'a [u8],
    time: i64,
}

impl ReverseTime {
    /// Splits a row into its entity and its time.
    fn split<'a>(&self, row: &'a [u8]) -> Result<Parts<'a>, RecipeError> {
        let (entity, time) = self.halves_of_row(row).ok_or_else(|| {
            RecipeError::row(format!(
                "{} has no time: {}",
                Excerpt::new(row),
                self.shape()
            ))
        })?;
        let time = self.encoding.read(time).map_err(|reason| {
            RecipeError::row(format!("the time of {}: {reason}", Excerpt::new(row)))
        })?;
        Ok(Parts { entity, time })
    }

    fn halves_of_row<'a>(&self, row: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let separator = self.separator.as_bytes();
        if (self.time, self.encoding) == (TimePosition::First, TimeEncoding::Binary) {
            let (time, rest) = row.split_at_checked(self.encoding.counted_down_len())?;
            return Some((rest.strip_prefix(separator)?, time));
        }
        let (before, found) = row.split_at_checked(memmem::find(row, separator)?)?;
        let behind = found.get(separator.len()..)?;
        Some(match self.time {
            TimePosition::Last => (before, behind),
            TimePosition::First => (behind, before),
        })
    }

    /// Splits a written row into its entity and its time.
    fn split_written<'a>(&self, written: &'a [u8]) -> Result<Parts<'a>, RecipeError> {
        let parts = self.halves_of_written(written).and_then(|(entity, text)| {
            let time = self.encoding.counted_up(text)?;
            Some(Parts { entity, time })
        });
        parts.ok_or_else(|| {
            let excerpt = Excerpt::new(written);
            RecipeError::key(format!("{excerpt} is not {}", self.written_shape()))
        })
    }

    fn halves_of_written<'a>(&self, written: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let separator = self.separator.as_bytes();
        match self.time {
            TimePosition::First => {
                let (time, rest) = written.split_at_checked(self.encoding.counted_down_len())?;
                Some((rest.strip_prefix(separator)?, time))
            }
            TimePosition::Last => {
                let end = written
                    .len()
                    .checked_sub(self.encoding.counted_down_len())?;
                let (head, time) = written.split_at_checked(end)?;
                let entity = head.strip_suffix(separator)?;
                (memmem::find(head, separator)? == entity.len()).then_some((entity, time))
            }
        }
    }

    fn salted<'a>(&self, row: &'a [u8], part: &SaltedPart) -> Result<&'a [u8], RecipeError> {
        match part {
            SaltedPart::Entity => Ok(self.split(row)?.entity),
            _ => Ok(row),
        }
    }

    /// Describes the shape of a row.
    pub(super) fn shape(&self) -> String {
        let separator = Escaped(self.separator.as_bytes());
        match (self.time, self.encoding) {
            (TimePosition::Last, TimeEncoding::Decimal) => {
                format!("a row is `<entity>{separator}<time in decimal digits>`")
            }
            (TimePosition::Last, TimeEncoding::Binary) => {
                format!("a row is `<entity>{separator}<time in 8 bytes>`")
            }
            (TimePosition::First, TimeEncoding::Decimal) => {
                format!("a row is `<time in decimal digits>{separator}<entity>`")
            }
            (TimePosition::First, TimeEncoding::Binary) => {
                format!("a row is `<time in 8 bytes>{separator}<entity>`")
            }
        }
    }

    fn written_shape(&self) -> String {
        let separator = Escaped(self.separator.as_bytes());
        let left = match self.encoding {
            TimeEncoding::Decimal => format!("{DIGITS} digits of at most {}", i64::MAX),
            TimeEncoding::Binary => "8 bytes of a number that is not negative".to_owned(),
        };
        match self.time {
            TimePosition::Last => format!("an entity, the first `{separator}` and {left}"),
            TimePosition::First => format!("{left}, `{separator}` and an entity"),
        }
    }
}

impl RowEncoding for ReverseTime {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        let Parts { entity, time } = self.split(row)?;
        let separator = self.separator.as_bytes();
        match self.time {
            TimePosition::Last => {
                key.extend_from_slice(entity);
                key.extend_from_slice(separator);
                self.encoding.write_counted_down(time, key);
            }
            TimePosition::First => {
                self.encoding.write_counted_down(time, key);
                key.extend_from_slice(separator);
                key.extend_from_slice(entity);
            }
        }
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        let Parts { entity, time } = self.split_written(written)?;
        let separator = self.separator.as_bytes();
        match self.time {
            TimePosition::Last => {
                row.extend_from_slice(entity);
                row.extend_from_slice(separator);
                self.encoding.write(time, row);
            }
            TimePosition::First => {
                self.encoding.write(time, row);
                row.extend_from_slice(separator);
                row.extend_from_slice(entity);
            }
        }
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let Parts { entity, time } = self.split_written(written)?;
        let mut counted_down = Vec::with_capacity(self.encoding.counted_down_len());
        self.encoding.write_counted_down(time, &mut counted_down);
        let of_entity = KeyField::new("entity", entity.to_vec(), "what the row is about");
        let meaning = format!("{} - {time}: the time is {time}", i64::MAX);
        let of_time = KeyField::new("time", counted_down, meaning);
        let separator = self.separator.clone().into_bytes();
        let separator = KeyField::new("separator", separator, "always the same");
        let mut fields = match self.time {
            TimePosition::Last => vec![of_entity, separator, of_time],
            TimePosition::First => vec![of_time, separator, of_entity],
        };
        fields.retain(|field| field.name != "separator" || !field.stored.is_empty());
        Ok(fields)
    }

    fn order(&self) -> KeyOrder {
        match self.time {
            TimePosition::Last => KeyOrder::NewestFirst,
            TimePosition::First => KeyOrder::NewestFirstOfAll,
        }
    }

    fn writes_as(&self, other: &dyn RowEncoding) -> bool {
        downcast::<Self>(other).is_some_and(|other| {
            (self.time, self.encoding, &self.separator)
                == (other.time, other.encoding, &other.separator)
        })
    }

    fn check_part(&self, part: &SaltedPart) -> Result<(), RecipeError> {
        match part {
            SaltedPart::Whole | SaltedPart::Entity => Ok(()),
            _ => Err(RecipeError::settings(
                "a row with a time is salted over its entity (`entity`), which keeps the rows of an entity in one \
                 piece, or over the whole row",
            )),
        }
    }

    fn part_of<'a>(&self, row: &'a [u8], part: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        Ok(self.salted(row, part)?.into())
    }

    fn common_part(&self, rows: &RowSelection, part: &SaltedPart) -> Option<Bytes> {
        match (rows, part) {
            (RowSelection::Row(row), part) => Some(row.slice_ref(self.salted(row, part).ok()?)),
            (
                RowSelection::Prefix(prefix) | RowSelection::Between { prefix, .. },
                SaltedPart::Entity,
            ) => {
                let separator = self.separator.as_bytes();
                let entity = prefix.strip_suffix(separator)?;
                let is_whole = self.time == TimePosition::Last;
                (is_whole && memmem::find(prefix, separator)? == entity.len())
                    .then(|| prefix.slice_ref(entity))
            }
            _ => None,
        }
    }

    fn contiguity(&self, kind: SelectionKind) -> Contiguity {
        match (kind, self.time) {
            (SelectionKind::Row | SelectionKind::Between, _) => Contiguity::Always,
            (SelectionKind::Domain, _) => Contiguity::NO_DOMAINS,
            (SelectionKind::Suffix, _) => Contiguity::Never(
                "rows with one suffix are scattered if a time is counted down: read all rows, or use the design \
                 `reversed` for rows that are read by their end",
            ),
            (SelectionKind::Prefix, TimePosition::Last) => {
                Contiguity::Only("prefixes that end before the time")
            }
            (SelectionKind::Prefix, TimePosition::First) => {
                Contiguity::Only("prefixes that hold the whole time")
            }
            (SelectionKind::Range, TimePosition::Last) => {
                Contiguity::Only("ranges whose bounds end before the time")
            }
            (SelectionKind::Range, TimePosition::First) => Contiguity::Never(
                "a range of rows that begin with a time is scattered, because the order of decimal digits is not that \
                 of time, and time is counted down: ask for the rows between two times",
            ),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        self.check_contiguous(rows)?;
        Ok(vec![self.range(rows)?])
    }

    fn detail(&self) -> Option<String> {
        let usual = (self.time, self.encoding) == (TimePosition::Last, TimeEncoding::Decimal);
        (!usual || self.separator != "|").then(|| self.shape())
    }

    fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        Err(match self.time {
            TimePosition::Last => RecipeError::no_even_splits(
                "the entities of rows have no alphabet to split evenly: set a salt over the entity, or take the \
                 points from a sample",
            ),
            TimePosition::First => RecipeError::splits(
                "rows that begin with their time come one before the other, all new ones into the first tablet, \
                 whatever the points are: set a salt",
            ),
        })
    }
}
