//! The location of rows with a time counted down.
//!
//! A row and its written form differ only in the time. So a bound that ends before the time of a
//! row is the same in both. A bound that ends within the digits of a time is rejected:
//! `RowSelection::Between` takes times as numbers.

use fluo_table::{Bytes, Escaped, Excerpt, prefix_successor};
use memchr::memmem;

use super::{ReverseTime, TimeEncoding, TimePosition};
use crate::error::RecipeError;
use crate::key_design::encoding::{RowRange, written};
use crate::key_design::row_selection::RowSelection;

impl ReverseTime {
    pub(super) fn range(&self, rows: &RowSelection) -> Result<RowRange, RecipeError> {
        match rows {
            RowSelection::Row(row) => Ok(RowRange::of_row(written(self, row)?)),
            RowSelection::Prefix(prefix) => self.written_prefix(prefix).map(RowRange::of_prefix),
            RowSelection::Between { prefix, from, to } => {
                self.between(prefix, from.as_ref(), to.as_ref())
            }
            RowSelection::Range { start, end } => {
                self.check_before_time(start)?;
                self.check_before_time(end.as_deref().unwrap_or_default())?;
                Ok(RowRange::as_they_are(rows))
            }
            _ => Ok(RowRange::as_they_are(rows)),
        }
    }

    /// Returns the common beginning of the written forms of all rows that begin with a prefix.
    fn written_prefix(&self, prefix: &Bytes) -> Result<Bytes, RecipeError> {
        if prefix.is_empty() || self.time == TimePosition::Last {
            self.check_before_time(prefix)?;
            return Ok(prefix.clone());
        }
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let length = match self.encoding {
            TimeEncoding::Decimal => prefix.iter().take_while(is_digit).count(),
            TimeEncoding::Binary => self.encoding.counted_down_len(),
        };
        let (time, rest) = prefix
            .split_at_checked(length)
            .filter(|(_, rest)| !rest.is_empty() || self.encoding == TimeEncoding::Binary)
            .ok_or_else(|| cut_time(prefix))?;
        let separator = self.separator.as_bytes();
        if !separator.starts_with(rest) && !rest.starts_with(separator) {
            let (prefix, shape) = (Excerpt::new(prefix), self.shape());
            return Err(RecipeError::scan(format!("no row begins with {prefix}: {shape}")));
        }
        let mut written = self.counted_down(time)?;
        written.extend_from_slice(rest);
        Ok(written.into())
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
        self.check_whole(prefix)?;
        let behind = |time: &Bytes| {
            let written = [prefix.as_ref(), &self.counted_down(time)?].concat();
            Ok::<_, RecipeError>(prefix_successor(&written))
        };
        // Later times have smaller keys, so the range begins after `to`, which is excluded.
        // `MAX - t` never begins with ff, so a successor always exists.
        let start = to.map_or_else(|| Ok(Some(prefix.clone())), behind)?;
        let end = from.map_or_else(|| Ok(prefix_successor(prefix)), behind)?;
        let start = start.unwrap_or_default();
        Ok(RowRange { start, end })
    }

    /// Rejects a prefix that does not end right before a time.
    fn check_whole(&self, prefix: &[u8]) -> Result<(), RecipeError> {
        let separator = self.separator.as_bytes();
        let excerpt = Excerpt::new(prefix);
        match self.time {
            TimePosition::First if prefix.is_empty() => Ok(()),
            TimePosition::First => Err(RecipeError::scan(format!(
                "rows begin with their time, so the prefix must be empty, not {excerpt}"
            ))),
            TimePosition::Last
                if memmem::find(prefix, separator)
                    .is_some_and(|found| found + separator.len() == prefix.len()) =>
            {
                Ok(())
            }
            TimePosition::Last => Err(RecipeError::scan(format!(
                "{excerpt} does not end before a time: give the entity and `{}`",
                Escaped(separator)
            ))),
        }
    }

    fn counted_down(&self, time: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let time = self.encoding.read(time);
        let time = time.map_err(|reason| RecipeError::scan(format!("the time to read: {reason}")));
        time.map(|time| self.encoding.counted_down(time))
    }
}

fn cut_time(bound: &[u8]) -> RecipeError {
    RecipeError::scan(format!(
        "{} reaches into a time: end it before the time, or read the rows between two times",
        Excerpt::new(bound)
    ))
}
