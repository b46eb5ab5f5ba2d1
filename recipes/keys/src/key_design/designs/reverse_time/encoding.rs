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

use super::{ReverseTime, TimeEncoding, TimePosition};
use crate::error::RecipeError;
use crate::key_design::encoding::{NO_DOMAINS, NO_SUFFIXES, RowEncoding, RowRange, SelectionKind};
use crate::key_design::hash_input::HashInput;
use crate::key_design::key_field::KeyField;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::salt::SaltedPart;
use crate::key_design::scan_cost::{KeyOrder, ScanCost};

impl ReverseTime {
    fn split<'a>(&self, row: &'a [u8]) -> Result<(&'a [u8], i64), RecipeError> {
        let halves = self.halves_of_row(row);
        let (entity, time) = halves.ok_or_else(|| {
            let (row, shape) = (Excerpt::new(row), self.shape());
            RecipeError::row(format!("{row} has no time: {shape}"))
        })?;
        let time = self.encoding.read(time).map_err(|reason| {
            RecipeError::row(format!("the time of {}: {reason}", Excerpt::new(row)))
        })?;
        Ok((entity, time))
    }

    fn halves_of_row<'a>(&self, row: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let separator = self.separator.as_bytes();
        let end = match (self.time, self.encoding) {
            // The bytes of a time may contain the separator.
            (TimePosition::First, TimeEncoding::Binary) => self.encoding.counted_down_len(),
            _ => memmem::find(row, separator)?,
        };
        let (before, rest) = row.split_at_checked(end)?;
        let behind = rest.strip_prefix(separator)?;
        Some(match self.time {
            TimePosition::Last => (before, behind),
            TimePosition::First => (behind, before),
        })
    }

    fn split_written<'a>(&self, written: &'a [u8]) -> Result<(&'a [u8], i64), RecipeError> {
        let halves = self.halves_of_written(written);
        let parts =
            halves.and_then(|(entity, text)| Some((entity, self.encoding.counted_up(text)?)));
        parts.ok_or_else(|| {
            let (excerpt, shape) = (Excerpt::new(written), self.shape());
            RecipeError::key(format!("{excerpt} is not a row with its time counted down; {shape}"))
        })
    }

    fn halves_of_written<'a>(&self, written: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let separator = self.separator.as_bytes();
        let len = self.encoding.counted_down_len();
        match self.time {
            TimePosition::First => {
                let (time, rest) = written.split_at_checked(len)?;
                Some((rest.strip_prefix(separator)?, time))
            }
            TimePosition::Last => {
                let (head, time) = written.split_at_checked(written.len().checked_sub(len)?)?;
                let entity = head.strip_suffix(separator)?;
                (memmem::find(head, separator)? == entity.len()).then_some((entity, time))
            }
        }
    }

    fn join(&self, entity: &[u8], time: &[u8], joined: &mut Vec<u8>) {
        let (first, last) = match self.time {
            TimePosition::Last => (entity, time),
            TimePosition::First => (time, entity),
        };
        for part in [first, self.separator.as_bytes(), last] {
            joined.extend_from_slice(part);
        }
    }

    pub(super) fn shape(&self) -> String {
        let separator = Escaped(self.separator.as_bytes());
        let time = match self.encoding {
            TimeEncoding::Decimal => "<time in decimal digits>",
            TimeEncoding::Binary => "<time in 8 bytes>",
        };
        match self.time {
            TimePosition::Last => format!("a row is `<entity>{separator}{time}`"),
            TimePosition::First => format!("a row is `{time}{separator}<entity>`"),
        }
    }
}

impl RowEncoding for ReverseTime {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        let (entity, time) = self.split(row)?;
        self.join(entity, &self.encoding.counted_down(time), key);
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        let (entity, time) = self.split_written(written)?;
        let mut text = Vec::new();
        self.encoding.write(time, &mut text);
        self.join(entity, &text, row);
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let (entity, time) = self.split_written(written)?;
        let meaning = format!("{} - {time}: the time is {time}", i64::MAX);
        let mut fields = vec![
            KeyField::new("entity", entity.to_vec(), "what the row is about"),
            KeyField::new("separator", self.separator.clone(), "always the same"),
            KeyField::new("time", self.encoding.counted_down(time), meaning),
        ];
        if self.time == TimePosition::First {
            fields.reverse();
        }
        fields.retain(|field| field.name != "separator" || !field.stored.is_empty());
        Ok(fields)
    }

    fn order(&self) -> KeyOrder {
        match self.time {
            TimePosition::Last => KeyOrder::NewestFirst,
            TimePosition::First => KeyOrder::NewestFirstOfAll,
        }
    }

    fn detail(&self) -> Option<String> {
        let usual = (self.time, self.encoding) == (TimePosition::Last, TimeEncoding::Decimal);
        (!usual || self.separator != "|").then(|| self.shape())
    }

    fn check_salt(&self, over: &SaltedPart, _of: Option<HashInput>) -> Result<(), RecipeError> {
        match over {
            SaltedPart::Whole | SaltedPart::Entity => Ok(()),
            _ => Err(RecipeError::settings(
                "a row with a time is salted over its entity (`entity`) or over the whole row",
            )),
        }
    }

    fn part_of<'a>(&self, row: &'a [u8], over: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        match over {
            SaltedPart::Entity => Ok(self.split(row)?.0.into()),
            _ => Ok(row.into()),
        }
    }

    fn common_part(&self, rows: &RowSelection, over: &SaltedPart) -> Option<Bytes> {
        match (rows, over) {
            (RowSelection::Row(row), over) => {
                Some(self.part_of(row, over).ok()?.into_owned().into())
            }
            (
                RowSelection::Prefix(prefix) | RowSelection::Between { prefix, .. },
                SaltedPart::Entity,
            ) if self.time == TimePosition::Last => {
                let separator = self.separator.as_bytes();
                let entity = prefix.strip_suffix(separator)?;
                let is_whole = memmem::find(prefix, separator)? == entity.len();
                is_whole.then(|| prefix.slice_ref(entity))
            }
            _ => None,
        }
    }

    fn cost(&self, kind: SelectionKind) -> ScanCost {
        match (kind, self.time) {
            (SelectionKind::Row | SelectionKind::Between, _) => ScanCost::SingleRange,
            (SelectionKind::Domain, _) => ScanCost::unsupported(NO_DOMAINS),
            (SelectionKind::Suffix, _) => ScanCost::unsupported(NO_SUFFIXES),
            (SelectionKind::Prefix, TimePosition::Last) => {
                ScanCost::only("prefixes that end before the time")
            }
            (SelectionKind::Prefix, TimePosition::First) => {
                ScanCost::only("prefixes that hold the whole time")
            }
            (SelectionKind::Range, TimePosition::Last) => {
                ScanCost::only("ranges whose bounds end before the time")
            }
            (SelectionKind::Range, TimePosition::First) => ScanCost::unsupported(
                "rows that begin with a time are scattered; read the rows between two times",
            ),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        Ok(vec![self.range(rows)?])
    }

    fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        Err(match self.time {
            TimePosition::Last => RecipeError::no_even_splits(
                "entities have no even split points: set a salt over the entity, or take a sample",
            ),
            TimePosition::First => RecipeError::splits(
                "new rows that begin with their time all go into the first tablet: set a salt",
            ),
        })
    }
}
