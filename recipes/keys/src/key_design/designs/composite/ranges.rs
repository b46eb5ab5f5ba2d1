//! The location of sets of composite rows, requested by the text of their fields.

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::encoding::{Composite, utf8};
use super::field::Field;
use super::{bytes, text};
use crate::error::RecipeError;
use crate::key_design::encoding::{RowEncoding as _, RowRange};
use crate::key_design::row_selection::RowSelection;

impl Composite {
    /// Returns the written forms of the rows of a contiguous set.
    pub(super) fn range(&self, rows: &RowSelection) -> Result<RowRange, RecipeError> {
        match rows {
            RowSelection::Row(row) => Ok(RowRange::of_row(self.written(row)?)),
            RowSelection::Prefix(prefix) => self.beginning(prefix).map(RowRange::of_prefix),
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
            | RowSelection::Domain { .. } => Ok(RowRange::as_they_are(rows)),
        }
    }

    /// Splits the beginning of a row into its whole fields, each followed by the separator, and the
    /// rest.
    pub(super) fn cut<'a>(&self, prefix: &'a [u8]) -> Result<(Vec<Field>, &'a str), RecipeError> {
        let mut pieces: Vec<_> = utf8(prefix)?.split(char::from(self.separator)).collect();
        let rest = pieces.pop().unwrap_or_default();
        if pieces.len() >= self.fields.len() {
            return Err(RecipeError::scan(format!(
                "no row begins with {}: rows of this composite design have {}, and `{}` only between them",
                Excerpt::new(prefix),
                counted(self.fields.len(), "field"),
                Escaped(&[self.separator])
            )));
        }
        Ok((self.leading_of(&pieces)?, rest))
    }

    /// Returns the common beginning of the keys of all rows that begin with a text.
    fn beginning(&self, prefix: &[u8]) -> Result<Bytes, RecipeError> {
        let (leading, rest) = self.cut(prefix)?;
        let mut written = Vec::new();
        self.encode_leading(&leading, &mut written)?;
        if let (false, Some(field)) = (rest.is_empty(), self.fields.get(leading.len())) {
            let beginning = text::read_beginning(field.kind, rest).map_err(|reason| {
                RecipeError::scan(format!("{}: {reason}", self.label(leading.len())))
            })?;
            bytes::write_beginning(&beginning, field.mask(), &mut written);
        }
        Ok(written.into())
    }

    /// Returns the fields before the one with bounds.
    fn whole_fields(&self, prefix: &[u8]) -> Result<Vec<Field>, RecipeError> {
        let (leading, rest) = self.cut(prefix)?;
        if rest.is_empty() {
            return Ok(leading);
        }
        Err(RecipeError::scan(format!(
            "{} does not end with a whole field: give the leading fields, `{}` after each",
            Excerpt::new(prefix),
            Escaped(&[self.separator])
        )))
    }

    fn value_of(&self, number: usize, bound: &[u8]) -> Result<Field, RecipeError> {
        let refused = |reason: String| {
            let label = self.label(number);
            RecipeError::scan(format!("{label}, between two values: {reason}"))
        };
        let Some(field) = self.fields.get(number) else {
            return Err(refused("there is no such field".to_owned()));
        };
        text::read(field.kind, utf8(bound)?).map_err(refused)
    }
}
