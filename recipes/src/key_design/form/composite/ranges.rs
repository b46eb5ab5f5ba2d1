//! The location of sets of composite rows, requested by the text of their fields.

use fluo_table::{Bytes, Escaped};

use super::super::super::error::DesignError;
use super::super::super::row_selection::RowSelection;
use super::super::super::salted_part::SaltedPart;
use super::super::{Asked, FormRange};
use super::{Composite, Field, bytes, text, utf8};
use crate::number::counted;
use crate::row_hasher::Excerpt;

impl Composite {
    pub(in super::super) fn range(&self, rows: &RowSelection) -> Result<FormRange, DesignError> {
        match rows {
            RowSelection::Row(row) => {
                let mut start = Vec::new();
                self.write(row, &mut start)?;
                Ok(FormRange::of_row(start))
            }
            RowSelection::Prefix(prefix) => self.beginning(prefix).map(FormRange::of_prefix),
            RowSelection::Between { prefix, from, to } => {
                let leading = self.whole_fields(prefix)?;
                let value = |bound: &Bytes| self.value_of(leading.len(), bound);
                let from = from.as_ref().map(value).transpose()?;
                let to = to.as_ref().map(value).transpose()?;
                self.written_between(&leading, from.as_ref(), to.as_ref())
            }
            RowSelection::All
            | RowSelection::Range { .. }
            | RowSelection::Suffix(_)
            | RowSelection::Domain { .. } => Ok(FormRange::as_they_are(rows)),
        }
    }

    /// Returns the reason why sets of this kind are scattered, or `None` if they are contiguous.
    pub(in super::super) fn scatters(asked: Asked) -> Option<String> {
        match asked {
            Asked::Row | Asked::Prefix | Asked::Between | Asked::Domain => None,
            Asked::Range => Some(
                "a range of composite rows is scattered, because the order of their text is not that of their \
                 fields: ask for the rows with given leading fields, whose next field may lie between two values"
                    .to_owned(),
            ),
            Asked::Suffix => Some(
                "rows with one suffix are scattered if rows are ordered by their leading fields: put the field to \
                 search by first"
                    .to_owned(),
            ),
        }
    }

    /// Returns a description of the sets of a kind that can be read, or `None` if all can.
    pub(in super::super) fn only(asked: Asked) -> Option<String> {
        (asked == Asked::Prefix).then(|| {
            "prefixes that end with a whole field and the separator, or within a text or bytes"
                .to_owned()
        })
    }

    /// Returns the text from which the salts of all rows in a set are computed, if it is the same
    /// for all.
    pub(in super::super) fn common_part(
        &self,
        rows: &RowSelection,
        part: &SaltedPart,
    ) -> Option<Bytes> {
        let (prefix, count) = match (rows, part) {
            (RowSelection::Row(row), part) => return self.part_of(row, part).ok().map(Bytes::from),
            (
                RowSelection::Prefix(prefix) | RowSelection::Between { prefix, .. },
                SaltedPart::Fields(count),
            ) => (prefix, *count),
            _ => return None,
        };
        let (leading, _) = self.cut(prefix).ok()?;
        let salted = leading.get(..count)?;
        Some(self.text_of(salted).into())
    }

    /// Splits the beginning of a row into its whole fields, each followed by the separator, and the
    /// rest.
    fn cut<'a>(&self, prefix: &'a [u8]) -> Result<(Vec<Field>, &'a str), DesignError> {
        let mut pieces: Vec<_> = utf8(prefix)?.split(char::from(self.separator)).collect();
        let rest = pieces.pop().unwrap_or_default();
        if pieces.len() >= self.fields.len() {
            return Err(DesignError::scan(format!(
                "no row begins with {}: rows of this composite design have {}, and `{}` only between them",
                Excerpt::new(prefix),
                counted(self.fields.len(), "field"),
                Escaped(&[self.separator])
            )));
        }
        Ok((self.leading_of(&pieces)?, rest))
    }

    /// Returns the common beginning of the keys of all rows that begin with a text.
    fn beginning(&self, prefix: &[u8]) -> Result<Bytes, DesignError> {
        let (leading, rest) = self.cut(prefix)?;
        let mut written = Vec::new();
        self.encode_leading(&leading, &mut written)?;
        if let (false, Some(field)) = (rest.is_empty(), self.fields.get(leading.len())) {
            let beginning = text::read_beginning(field.kind, rest).map_err(|reason| {
                DesignError::scan(format!("{}: {reason}", self.label(leading.len())))
            })?;
            bytes::write_beginning(&beginning, field.mask(), &mut written);
        }
        Ok(written.into())
    }

    /// Returns the fields before the one with bounds.
    fn whole_fields(&self, prefix: &[u8]) -> Result<Vec<Field>, DesignError> {
        let (leading, rest) = self.cut(prefix)?;
        if rest.is_empty() {
            return Ok(leading);
        }
        Err(DesignError::scan(format!(
            "{} does not end with a whole field: give the leading fields, `{}` after each",
            Excerpt::new(prefix),
            Escaped(&[self.separator])
        )))
    }

    fn value_of(&self, number: usize, bound: &[u8]) -> Result<Field, DesignError> {
        let refused = |reason: String| {
            let label = self.label(number);
            DesignError::scan(format!("{label}, between two values: {reason}"))
        };
        let Some(field) = self.fields.get(number) else {
            return Err(refused("there is no such field".to_owned()));
        };
        text::read(field.kind, utf8(bound)?).map_err(refused)
    }
}
