//! Rows of several fields, each with a kind and a direction, from values and as values.
//!
//! The module `bytes` writes fields in keys, and `text` writes them in the user's rows.

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::field::{Field, FieldSettings};
use super::{bytes, text};
use crate::error::RecipeError;

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
/// assert_eq!(composite.prefix(&[Field::from("acme")])?, "acme\t");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    pub(in crate::key_design) fields: Vec<FieldSettings>,
    pub(super) separator: u8,
}

impl Composite {
    pub(super) fn new(fields: Vec<FieldSettings>, separator: char) -> Result<Self, RecipeError> {
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

    /// Returns the text of a row's fields, which is the row for
    /// [`KeyDesign::encode_row`](crate::KeyDesign::encode_row).
    ///
    /// # Errors
    ///
    /// Fails if there are too few or too many fields, or if a value is not of its field's kind.
    pub fn row(&self, fields: &[Field]) -> Result<Bytes, RecipeError> {
        let expected = self.fields.len();
        if fields.len() != expected {
            let (expected, found) = (counted(expected, "field"), fields.len());
            return Err(RecipeError::row(format!(
                "a row of this composite design has {expected}, not {found}"
            )));
        }
        self.check_kinds(fields)?;
        Ok(self.text_of(fields).into())
    }

    /// Returns the text of leading fields with the separator after each: the common prefix of all
    /// rows with these fields, for [`RowSelection::Prefix`](crate::RowSelection::Prefix) and
    /// [`RowSelection::Between`](crate::RowSelection::Between).
    ///
    /// # Errors
    ///
    /// Fails if there are as many fields as in a row, or if a value is not of its field's kind.
    pub fn prefix(&self, leading: &[Field]) -> Result<Bytes, RecipeError> {
        let most = self.fields.len() - 1;
        if leading.len() > most {
            let (most, found) = (counted(most, "field"), leading.len());
            return Err(RecipeError::row(format!(
                "a prefix of this composite design has at most {most}, not {found}"
            )));
        }
        self.check_kinds(leading)?;
        let mut prefix = self.text_of(leading);
        if !leading.is_empty() {
            prefix.push(char::from(self.separator));
        }
        Ok(prefix.into())
    }

    fn check_kinds(&self, leading: &[Field]) -> Result<(), RecipeError> {
        let mut pairs = leading.iter().zip(&self.fields).enumerate();
        let wrong = pairs.find(|(_, (value, field))| value.kind() != field.kind);
        let Some((number, (value, field))) = wrong else { return Ok(()) };
        let (label, kind, found) = (self.label(number), field.kind, value.kind());
        Err(RecipeError::row(format!("{label} is {kind}, not {found}")))
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

    /// Returns the written form of leading fields of the right kinds.
    pub(super) fn written(&self, leading: &[Field]) -> Vec<u8> {
        let mut written = Vec::new();
        for (value, field) in leading.iter().zip(&self.fields) {
            bytes::write(value, field.mask(), &mut written);
        }
        written
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
