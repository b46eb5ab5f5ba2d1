//! The location of rows with a time counted down.
//!
//! A row and its written form differ only in the time. So a bound that ends before the time of a
//! row is the same in both. A bound that ends within the digits of a time is rejected:
//! `RowSelection::Between` takes times as numbers.

use fluo_table::{Bytes, Escaped, Excerpt, prefix_successor};
use memchr::memmem;

use super::{ReverseTime, TimeEncoding, TimePosition};
use crate::error::RecipeError;
use crate::key_design::encoding::{RowEncoding as _, RowRange};
use crate::key_design::row_selection::RowSelection;

impl ReverseTime {
    /// Returns the written forms of the rows of a contiguous set.
    pub(super) fn range(&self, rows: &RowSelection) -> Result<RowRange, RecipeError> {
        match rows {
            RowSelection::Row(row) => Ok(RowRange::of_row(self.written(row)?)),
            RowSelection::Prefix(prefix) => self.written_prefix(prefix).map(RowRange::of_prefix),
            RowSelection::Between { prefix, from, to } => {
                self.between(prefix, from.as_ref(), to.as_ref())
            }
            RowSelection::Range { start, end } => {
                self.check_before_time(start)?;
                end.as_ref()
                    .map_or(Ok(()), |end| self.check_before_time(end))?;
                Ok(RowRange::as_they_are(rows))
            }
            RowSelection::All | RowSelection::Suffix(_) | RowSelection::Domain { .. } => {
                Ok(RowRange::as_they_are(rows))
            }
        }
    }

    /// Returns the common beginning of the written forms of all rows that begin with a prefix.
    fn written_prefix(&self, prefix: &Bytes) -> Result<Bytes, RecipeError> {
        if prefix.is_empty() {
            return Ok(Bytes::new());
        }
        if self.time == TimePosition::Last {
            self.check_before_time(prefix)?;
            return Ok(prefix.clone());
        }
        let length = match self.encoding {
            TimeEncoding::Decimal => prefix
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count(),
            TimeEncoding::Binary => self.encoding.counted_down_len(),
        };
        let cut = prefix.split_at_checked(length);
        let (time, rest) = cut.ok_or_else(|| self.cut_time(prefix))?;
        let separator = self.separator.as_bytes();
        if rest.is_empty() && self.encoding == TimeEncoding::Decimal {
            return Err(self.cut_time(prefix));
        }
        if !separator.starts_with(rest) && !rest.starts_with(separator) {
            let shape = self.shape();
            return Err(RecipeError::scan(format!(
                "no row begins with {}: {shape}",
                Excerpt::new(prefix)
            )));
        }
        let mut written = self.counted_down(time)?;
        written.extend_from_slice(rest);
        Ok(written.into())
    }

    /// Rejects a bound that extends into the time of rows whose time is last.
    fn check_before_time(&self, bound: &[u8]) -> Result<(), RecipeError> {
        let separator = self.separator.as_bytes();
        match memmem::find(bound, separator) {
            Some(found) if found + separator.len() < bound.len() => Err(self.cut_time(bound)),
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
        let head = prefix.as_ref();
        let behind = |time: &Bytes| {
            let written = [head, &self.counted_down(time)?].concat();
            Ok::<_, RecipeError>(prefix_successor(&written))
        };
        // Later times have smaller keys, so the range begins after `to`, which is excluded.
        let start = match to {
            Some(to) => behind(to)?,
            None => Some(prefix.clone()),
        };
        let end = match from {
            Some(from) => behind(from)?,
            None => prefix_successor(head),
        };
        // `MAX - t` never begins with ff, so a successor always exists.
        let start = start.unwrap_or_default();
        Ok(RowRange { start, end })
    }

    /// Rejects a prefix that does not end right before a time.
    fn check_whole(&self, prefix: &[u8]) -> Result<(), RecipeError> {
        let separator = self.separator.as_bytes();
        let is_whole = match self.time {
            TimePosition::First => prefix.is_empty(),
            TimePosition::Last => memmem::find(prefix, separator)
                .is_some_and(|found| found + separator.len() == prefix.len()),
        };
        if is_whole {
            return Ok(());
        }
        let excerpt = Excerpt::new(prefix);
        Err(RecipeError::scan(match self.time {
            TimePosition::First => format!(
                "rows begin with their time, so the prefix before the times must be empty, not {excerpt}"
            ),
            TimePosition::Last => format!(
                "{excerpt} does not end where a time begins: give the entity and the separator `{}`, once",
                Escaped(separator)
            ),
        }))
    }

    fn counted_down(&self, time: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let time = self.encoding.read(time);
        let time =
            time.map_err(|reason| RecipeError::scan(format!("the time to read: {reason}")))?;
        let mut written = Vec::with_capacity(self.encoding.counted_down_len());
        self.encoding.write_counted_down(time, &mut written);
        Ok(written)
    }

    fn cut_time(&self, bound: &[u8]) -> RecipeError {
        let shape = self.shape();
        RecipeError::scan(format!(
            "{} reaches into a time, and the order of its bytes is not that of the keys: end it before the time, or \
             ask for the rows between two times; {shape}",
            Excerpt::new(bound)
        ))
    }
}
