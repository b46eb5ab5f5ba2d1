//! Rows of several fields, each with a kind and a direction, from values and as values.
//!
//! The module `bytes` writes fields in keys, and `text` writes them in the user's rows.

use std::slice;

use fluo_table::{Bytes, Escaped, Excerpt, counted, prefix_successor};

use super::field::{Field, FieldOrder, FieldSettings};
use super::{bytes, text};
use crate::error::RecipeError;
use crate::key_design::row_selection::{RowRange, RowSelection};

/// Maximum number of fields, more than a key has any use for.
const MAX_FIELDS: usize = 32;

/// The codec of rows with several fields, ordered by the first field, then by the second, and so
/// on: between values and the rows of a [`KeyDesign`](crate::KeyDesign) with the same settings.
///
/// # Examples
///
/// ```
/// use fluo_keys::{Composite, CompositeRows, Field, FieldKind, FieldSettings, KeyDesign};
///
/// let settings = CompositeRows::new(vec![
///     FieldSettings::new("tenant", FieldKind::Text),
///     FieldSettings::new("at", FieldKind::Time).descending(),
/// ]);
/// let (composite, design) = (settings.composite()?, KeyDesign::new(settings)?);
/// let older = composite.row(&[Field::from("acme"), Field::Time(1)])?;
/// let newer = composite.row(&[Field::from("acme"), Field::Time(2)])?;
/// assert_eq!(older, "acme\t1970-01-01T00:00:00.001Z");
/// assert!(design.encode_row(&newer)? < design.encode_row(&older)?);
/// assert_eq!(composite.fields_of(&older)?, [Field::from("acme"), Field::Time(1)]);
///
/// let since = composite.rows_between(&[Field::from("acme")], Some(&Field::Time(2)), None)?;
/// assert!(design.contains(&since, &newer)? && !design.contains(&since, &older)?);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    pub(super) fields: Vec<FieldSettings>,
    pub(super) separator: u8,
}

impl Composite {
    /// Creates the codec for rows of these fields.
    ///
    /// In the text of a row, the separator stands between the fields: a tab, a space or an ASCII
    /// punctuation character, except those of numbers, times and escapes (`\ + - . :`).
    ///
    /// # Errors
    ///
    /// Fails if there are no fields, more than 32, or two with the same name, or if the separator
    /// could be confused with a part of a field.
    pub fn new(fields: Vec<FieldSettings>, separator: char) -> Result<Self, RecipeError> {
        if fields.is_empty() || fields.len() > MAX_FIELDS {
            return Err(RecipeError::settings(format!(
                "a composite row has 1 to {MAX_FIELDS} fields, not {}",
                fields.len()
            )));
        }
        let names = || fields.iter().map(|field| field.name.as_str());
        let is_given_before = |(index, name): &(usize, &str)| {
            !name.is_empty() && names().take(*index).any(|before| before == *name)
        };
        if let Some((_, name)) = names().enumerate().find(is_given_before) {
            return Err(RecipeError::settings(format!(
                "two fields are called `{name}`: give each a name of its own, or none"
            )));
        }
        let is_mark = separator.is_ascii_punctuation() || matches!(separator, '\t' | ' ');
        let byte = u8::try_from(separator).ok();
        let byte = byte.filter(|_| is_mark && !"\\+-.:".contains(separator));
        let separator = byte.ok_or_else(|| {
            RecipeError::settings(format!(
                "`{}` cannot separate fields: give a tab, a space or punctuation other than `\\ + - . :`",
                separator.escape_debug()
            ))
        })?;
        Ok(Self { fields, separator })
    }

    /// Returns the fields, in order.
    pub fn fields(&self) -> &[FieldSettings] {
        &self.fields
    }

    /// Returns the text of a row's fields, which is the row for
    /// [`KeyDesign::encode_row`](crate::KeyDesign::encode_row).
    ///
    /// # Errors
    ///
    /// Fails if there are too few or too many fields, or if a value is not of its field's kind.
    pub fn row(&self, fields: &[Field]) -> Result<Bytes, RecipeError> {
        self.written_row(fields)?;
        Ok(self.text_of(fields).into())
    }

    /// Parses the fields of a row's text.
    ///
    /// # Errors
    ///
    /// Fails if the text has too few or too many fields, or if a field is not of its kind.
    pub fn fields_of(&self, row: &[u8]) -> Result<Vec<Field>, RecipeError> {
        let pieces: Vec<_> = utf8(row)?.split(char::from(self.separator)).collect();
        if pieces.len() != self.fields.len() {
            return Err(RecipeError::row(format!(
                "{} has {} separated by `{}`, but rows of this composite design have {}",
                Excerpt::new(row),
                counted(pieces.len(), "field"),
                Escaped(&[self.separator]),
                self.fields.len()
            )));
        }
        self.leading_of(&pieces)
    }

    /// Returns the set of all rows with these leading fields.
    ///
    /// # Errors
    ///
    /// As [`row`](Self::row).
    pub fn rows_of(&self, leading: &[Field]) -> Result<RowSelection, RecipeError> {
        if leading.len() == self.fields.len() {
            return self.row(leading).map(RowSelection::Row);
        }
        self.head_of(leading).map(RowSelection::Prefix)
    }

    /// Returns the set of all rows with these leading fields whose next field is at least `from`
    /// and less than `to`.
    ///
    /// The bounds are values, whatever the direction of the field. A bound of `None` is no bound.
    ///
    /// # Errors
    ///
    /// As [`row`](Self::row).
    pub fn rows_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<RowSelection, RecipeError> {
        self.range_between(leading, from, to)?;
        let text = |value: &Field| self.text_of(slice::from_ref(value)).into();
        let (from, to) = (from.map(text), to.map(text));
        Ok(RowSelection::Between { prefix: self.head_of(leading)?, from, to })
    }

    /// Returns the text of leading fields, with the separator after each.
    fn head_of(&self, leading: &[Field]) -> Result<Bytes, RecipeError> {
        self.written(leading)?;
        let mut head = self.text_of(leading);
        if !leading.is_empty() {
            head.push(char::from(self.separator));
        }
        Ok(head.into())
    }

    pub(super) fn text_of(&self, fields: &[Field]) -> String {
        let mut row = String::new();
        for (number, value) in fields.iter().enumerate() {
            if number > 0 {
                row.push(char::from(self.separator));
            }
            text::write(value, self.separator, &mut row);
        }
        row
    }

    pub(super) fn leading_of(&self, pieces: &[&str]) -> Result<Vec<Field>, RecipeError> {
        let values = pieces.iter().zip(&self.fields).enumerate();
        let values = values.map(|(number, (piece, field))| {
            text::read(field.kind, piece)
                .map_err(|reason| RecipeError::row(format!("{}: {reason}", self.label(number))))
        });
        values.collect()
    }

    pub(super) fn written_row(&self, fields: &[Field]) -> Result<Vec<u8>, RecipeError> {
        if fields.len() < self.fields.len() {
            return Err(self.miscounted(fields.len()));
        }
        self.written(fields)
    }

    pub(super) fn written(&self, leading: &[Field]) -> Result<Vec<u8>, RecipeError> {
        if leading.len() > self.fields.len() {
            return Err(self.miscounted(leading.len()));
        }
        let mut written = Vec::new();
        for (number, (value, field)) in leading.iter().zip(&self.fields).enumerate() {
            if value.kind() != field.kind {
                let (label, kind, found) = (self.label(number), field.kind, value.kind());
                return Err(RecipeError::row(format!("{label} is {kind}, not {found}")));
            }
            bytes::write(value, field.mask(), &mut written);
        }
        Ok(written)
    }

    fn miscounted(&self, found: usize) -> RecipeError {
        let expected = counted(self.fields.len(), "field");
        RecipeError::row(format!("a row of this composite design has {expected}, not {found}"))
    }

    pub(super) fn decode(&self, key: &[u8]) -> Result<Vec<Field>, RecipeError> {
        let refused = |reason: String| {
            let key = Excerpt::new(key);
            RecipeError::key(format!("{key} is not a composite row: {reason}"))
        };
        let mut rest = key;
        let mut values = Vec::with_capacity(self.fields.len());
        for (number, field) in self.fields.iter().enumerate() {
            let (value, behind) = bytes::read(field, rest).map_err(|reason| {
                refused(format!("{}, {}: {reason}", self.label(number), field.kind))
            })?;
            values.push(value);
            rest = behind;
        }
        match rest.len() {
            0 => Ok(values),
            more => Err(refused(format!("{} follow its fields", counted(more, "byte")))),
        }
    }

    /// Returns the written forms of the rows with these leading fields whose next field is at least
    /// `from` and less than `to`.
    pub(super) fn range_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<RowRange, RecipeError> {
        let Some(field) = self.fields.get(leading.len()) else {
            let count = counted(leading.len(), "field");
            return Err(RecipeError::scan(format!("rows have no field after the first {count}")));
        };
        let head = self.written(leading)?;
        let bound = |value: &Field| self.written(&[leading, slice::from_ref(value)].concat());
        let (from, to) = (from.map(bound).transpose()?, to.map(bound).transpose()?);
        if field.order == FieldOrder::Ascending {
            let end = to.map(Bytes::from).or_else(|| prefix_successor(&head));
            return Ok(RowRange { start: from.unwrap_or(head).into(), end });
        }
        // Larger values have smaller keys, so the range begins after `to` and ends after `from`.
        let end = prefix_successor(from.as_ref().unwrap_or(&head));
        let start = to.map_or_else(|| Some(head.into()), |to| prefix_successor(&to));
        // No key sorts after a key of bytes ff only: `to` excludes the largest values, which are
        // the first keys, and no smaller values remain.
        let nothing = || RowRange { start: Bytes::new(), end: Some(Bytes::new()) };
        Ok(start.map_or_else(nothing, |start| RowRange { start, end }))
    }

    /// Returns the label of a field for messages: its number, counted from 1, and its name.
    pub(super) fn label(&self, number: usize) -> String {
        let place = number + 1;
        match self.fields.get(number) {
            Some(field) if !field.name.is_empty() => format!("field {place} ({})", field.name),
            _ => format!("field {place}"),
        }
    }
}

pub(super) fn utf8(row: &[u8]) -> Result<&str, RecipeError> {
    std::str::from_utf8(row).map_err(|_| {
        RecipeError::row(format!(
            "{} is not UTF-8 text, as the fields of a row are: write bytes in hexadecimal digits",
            Excerpt::new(row)
        ))
    })
}
