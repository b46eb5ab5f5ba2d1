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
//!
//! A row and its written form differ only in the time. So a bound that ends before the time of a
//! row is the same in both. A bound that ends within the digits of a time is rejected:
//! `RowSelection::Between` takes times as numbers.

use std::borrow::Cow;

use fluo_table::{Bytes, Escaped, Excerpt, prefix_successor};
use memchr::memmem;

use super::{ReverseTime, TimeEncoding, TimePosition};
use crate::error::RecipeError;
use crate::key_design::encoding::RowEncoding;
use crate::key_design::{
    HashInput, KeyField, KeyOrder, RowRange, RowSelection, SaltedPart, ScanCost,
};

impl ReverseTime {
    fn split<'a>(&self, row: &'a [u8]) -> Result<(&'a [u8], i64), RecipeError> {
        let (entity, time) = self.halves(row).ok_or_else(|| {
            RecipeError::row(format!("{} has no time: {}", Excerpt::new(row), self.shape()))
        })?;
        let time = self.encoding.read(time).map_err(|reason| {
            RecipeError::row(format!("the time of {}: {reason}", Excerpt::new(row)))
        })?;
        Ok((entity, time))
    }

    fn split_written<'a>(&self, written: &'a [u8]) -> Result<(&'a [u8], i64), RecipeError> {
        let counted_up = |(entity, time)| Some((entity, self.encoding.counted_up(time)?));
        self.halves(written).and_then(counted_up).ok_or_else(|| {
            let (excerpt, shape) = (Excerpt::new(written), self.shape());
            RecipeError::key(format!("{excerpt} is not a row with its time counted down; {shape}"))
        })
    }

    fn halves<'a>(&self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let separator = self.separator.as_bytes();
        let end = match (self.time, self.encoding) {
            // The bytes of a time may contain the separator.
            (TimePosition::First, TimeEncoding::Binary) => size_of::<i64>(),
            _ => memmem::find(bytes, separator)?,
        };
        let (before, rest) = bytes.split_at_checked(end)?;
        let behind = rest.strip_prefix(separator)?;
        Some(match self.time {
            TimePosition::Last => (before, behind),
            TimePosition::First => (behind, before),
        })
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

    fn shape(&self) -> String {
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

    /// Returns the common beginning of the written forms of all rows that begin with a prefix.
    fn written_prefix(&self, prefix: &Bytes) -> Result<Bytes, RecipeError> {
        if prefix.is_empty() || self.time == TimePosition::Last {
            self.check_before_time(prefix)?;
            return Ok(prefix.clone());
        }
        let is_decimal = self.encoding == TimeEncoding::Decimal;
        let length = match self.encoding {
            TimeEncoding::Decimal => prefix.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            TimeEncoding::Binary => size_of::<i64>(),
        };
        let parts = prefix.split_at_checked(length);
        let is_whole = |(_, rest): &(&[u8], &[u8])| !rest.is_empty() || !is_decimal;
        let (time, rest) = parts.filter(is_whole).ok_or_else(|| cut_time(prefix))?;
        let separator = self.separator.as_bytes();
        if !separator.starts_with(rest) && !rest.starts_with(separator) {
            let (prefix, shape) = (Excerpt::new(prefix), self.shape());
            return Err(RecipeError::scan(format!("no row begins with {prefix}: {shape}")));
        }
        Ok([&self.counted_down(time)?, rest].concat().into())
    }

    /// Rejects a bound that extends into the time of rows whose time is last.
    fn check_before_time(&self, bound: &[u8]) -> Result<(), RecipeError> {
        let separator = self.separator.as_bytes();
        match memmem::find(bound, separator) {
            Some(found) if found + separator.len() < bound.len() => Err(cut_time(bound)),
            _ => Ok(()),
        }
    }

    fn between(
        &self,
        prefix: &Bytes,
        from: Option<&Bytes>,
        to: Option<&Bytes>,
    ) -> Result<RowRange, RecipeError> {
        let excerpt = Excerpt::new(prefix);
        if self.time == TimePosition::First && !prefix.is_empty() {
            return Err(RecipeError::scan(format!(
                "rows begin with their time, so the prefix must be empty, not {excerpt}"
            )));
        }
        if self.time == TimePosition::Last && self.entity_of(prefix).is_none() {
            return Err(RecipeError::scan(format!(
                "{excerpt} does not end before a time: give the entity and `{}`",
                Escaped(self.separator.as_bytes())
            )));
        }
        let behind = |time: &Bytes| {
            let written = [prefix.as_ref(), &self.counted_down(time)?].concat();
            Ok::<_, RecipeError>(prefix_successor(&written))
        };
        // Later times have smaller keys, so the range begins after `to`, which is excluded.
        let start = to.map_or_else(|| Ok(Some(prefix.clone())), behind)?;
        let end = from.map_or_else(|| Ok(prefix_successor(prefix)), behind)?;
        let start = start.expect("`MAX - t` never begins with ff, so it has a successor");
        Ok(RowRange { start, end })
    }

    /// Returns the entity of a prefix that ends right before a time.
    fn entity_of<'a>(&self, prefix: &'a [u8]) -> Option<&'a [u8]> {
        let separator = self.separator.as_bytes();
        let entity = prefix.strip_suffix(separator)?;
        let is_whole = memmem::find(prefix, separator)? == entity.len();
        (self.time == TimePosition::Last && is_whole).then_some(entity)
    }

    fn counted_down(&self, time: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let time = self.encoding.read(time);
        let time = time.map_err(|reason| RecipeError::scan(format!("the time to read: {reason}")));
        time.map(|time| self.encoding.counted_down(time))
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
        self.join(entity, &self.encoding.write(time), row);
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

    fn common_part(&self, rows: &RowSelection, over: &SaltedPart) -> Option<Vec<u8>> {
        match rows {
            RowSelection::Prefix(prefix) | RowSelection::Between { prefix, .. }
                if *over == SaltedPart::Entity =>
            {
                Some(self.entity_of(prefix)?.to_vec())
            }
            _ => None,
        }
    }

    fn cost(&self, rows: &RowSelection) -> ScanCost {
        match (rows, self.time) {
            (RowSelection::Between { .. }, _) => ScanCost::SingleRange,
            (RowSelection::Prefix(_), TimePosition::Last) => {
                ScanCost::only("prefixes that end before the time")
            }
            (RowSelection::Prefix(_), TimePosition::First) => {
                ScanCost::only("prefixes that hold the whole time")
            }
            (RowSelection::Range { .. }, TimePosition::Last) => {
                ScanCost::only("ranges whose bounds end before the time")
            }
            (RowSelection::Range { .. }, TimePosition::First) => ScanCost::unsupported(
                "rows that begin with a time are scattered; read the rows between two times",
            ),
            _ => ScanCost::usual(rows),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        Ok(vec![match rows {
            RowSelection::Prefix(prefix) => RowRange::of_prefix(self.written_prefix(prefix)?),
            RowSelection::Between { prefix, from, to } => {
                self.between(prefix, from.as_ref(), to.as_ref())?
            }
            RowSelection::Range { start, end } => {
                self.check_before_time(start)?;
                self.check_before_time(end.as_deref().unwrap_or_default())?;
                rows.bounds()
            }
            _ => rows.bounds(),
        }])
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

fn cut_time(bound: &[u8]) -> RecipeError {
    RecipeError::scan(format!(
        "{} reaches into a time: end it before the time, or read the rows between two times",
        Excerpt::new(bound)
    ))
}
