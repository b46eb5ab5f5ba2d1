//! Rows of several fields, each with a kind and a direction.
//!
//! The module `bytes` writes fields in keys, and `text` writes them in the user's rows.

use std::borrow::Cow;

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::field::{Field, FieldKind, FieldOrder, FieldSettings};
use super::{bytes, text};
use crate::error::RecipeError;
use crate::key_design::encoding::{Contiguity, RowEncoding, RowRange, SelectionKind, downcast};
use crate::key_design::explain::KeyField;
use crate::key_design::hash_input::HashInput;
use crate::key_design::row_selection::RowSelection;
use crate::key_design::salted_part::SaltedPart;
use crate::key_design::scan_cost::KeyOrder;

/// Maximum number of fields, more than a key has any use for.
const MOST_FIELDS: usize = 32;

/// The codec of rows with several fields, ordered by the first field, then by the second, and so
/// on.
///
/// It converts fields to the bytes of a key ([`encode`](Self::encode)) and to the text of a row of
/// a [`KeyDesign`](crate::KeyDesign) with the same settings ([`row`](Self::row)), and both back to
/// fields.
///
/// # Examples
///
/// ```
/// use fluo_keys::{Composite, Field, FieldKind, FieldSettings};
///
/// let composite = Composite::new(
///     vec![
///         FieldSettings::new("tenant", FieldKind::Text),
///         FieldSettings::new("at", FieldKind::Time).descending(),
///     ],
///     '\t',
/// )?;
/// let (older, newer) = ([Field::from("acme"), Field::Time(1)], [Field::from("acme"), Field::Time(2)]);
/// assert!(composite.encode(&newer)? < composite.encode(&older)?);
/// assert_eq!(composite.decode(&composite.encode(&older)?)?, older);
/// assert_eq!(composite.row(&older)?, "acme\t1970-01-01T00:00:00.001Z");
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
        if fields.is_empty() || fields.len() > MOST_FIELDS {
            return Err(RecipeError::settings(format!(
                "a composite row has 1 to {MOST_FIELDS} fields, not {}",
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
        let separator = u8::try_from(separator)
            .ok()
            .filter(|_| is_mark && !"\\+-.:".contains(separator))
            .ok_or_else(|| {
                RecipeError::settings(format!(
                    "`{}` cannot separate the fields of a row: give a tab, a space or an ASCII punctuation character \
                     other than `\\ + - . :`, which occur in fields",
                    separator.escape_debug()
                ))
            })?;
        Ok(Self { fields, separator })
    }

    /// Returns the fields, in order.
    #[must_use]
    pub fn fields(&self) -> &[FieldSettings] {
        &self.fields
    }

    /// Rejects a salt that applies a modulus to anything but one number.
    fn check_number(&self, part: &SaltedPart) -> Result<(), RecipeError> {
        let count = match part {
            SaltedPart::Fields(count) => *count,
            _ => self.fields.len(),
        };
        let kinds = || self.fields.iter().take(count).map(|field| field.kind);
        let is_fraction = |kind| matches!(kind, FieldKind::Float | FieldKind::Time);
        if count == 1 && !kinds().any(is_fraction) {
            return Ok(());
        }
        let salted = if count == 1 {
            kinds().map(|kind| kind.to_string()).collect()
        } else {
            format!("{count} fields")
        };
        Err(RecipeError::settings(format!(
            "the modulus is taken of a whole number, and the salt is over {salted}: salt over the first field alone, \
             where that is a whole number, with over = {{ fields = 1 }}, or take the modulus of a hash with of = \
             \"java-hash\""
        )))
    }

    /// Returns the label of a field for messages: its number, counted from 1, and its name.
    pub(super) fn label(&self, number: usize) -> String {
        let place = number + 1;
        match self.fields.get(number) {
            Some(field) if !field.name.is_empty() => format!("field {place} ({})", field.name),
            _ => format!("field {place}"),
        }
    }

    /// Returns the text of leading fields.
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

    /// Parses the fields of a row's text.
    ///
    /// # Errors
    ///
    /// Fails if the text has too few or too many fields, or if a field is not of its kind.
    pub fn fields_of(&self, row: &[u8]) -> Result<Vec<Field>, RecipeError> {
        let text = utf8(row)?;
        let pieces: Vec<_> = text.split(char::from(self.separator)).collect();
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

    /// Parses the values of the leading fields.
    pub(super) fn leading_of(&self, pieces: &[&str]) -> Result<Vec<Field>, RecipeError> {
        let values = pieces.iter().zip(&self.fields).enumerate();
        let values = values.map(|(number, (piece, field))| {
            text::read(field.kind, piece)
                .map_err(|reason| RecipeError::row(format!("{}: {reason}", self.label(number))))
        });
        values.collect()
    }
}

impl RowEncoding for Composite {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        self.encode_to(&self.fields_of(row)?, key)
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        row.extend_from_slice(self.text_of(&self.decode(written)?).as_bytes());
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let mut rest = Bytes::copy_from_slice(written);
        let mut explained = Vec::with_capacity(self.fields.len());
        for (number, value) in self.decode(written)?.iter().enumerate() {
            let mut stored = Vec::new();
            let Some(field) = self.fields.get(number) else {
                break;
            };
            bytes::write(value, field.mask(), &mut stored);
            let mut text = String::new();
            text::write(value, self.separator, &mut text);
            let meaning = format!("{}, {}: `{text}`", field.kind, field.order);
            let stored = rest.split_to(stored.len().min(rest.len()));
            explained.push(KeyField::new(self.label(number), stored, meaning));
        }
        Ok(explained)
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Fields
    }

    fn writes_as(&self, other: &dyn RowEncoding) -> bool {
        let written = |field: &FieldSettings| (field.kind, field.order);
        downcast::<Self>(other).is_some_and(|other| {
            let fields = self.fields.iter().map(written);
            self.separator == other.separator && fields.eq(other.fields.iter().map(written))
        })
    }

    fn check_part(&self, part: &SaltedPart) -> Result<(), RecipeError> {
        let count = self.fields.len();
        match part {
            SaltedPart::Whole => Ok(()),
            SaltedPart::Fields(leading) if (1..=count).contains(leading) => Ok(()),
            SaltedPart::Fields(leading) => Err(RecipeError::settings(format!(
                "the salt is over the {leading} leading fields of rows that have {count}: give 1 to {count}"
            ))),
            _ => Err(RecipeError::settings(
                "a composite row is salted over its leading fields, such as `fields = 1`, or over the whole row",
            )),
        }
    }

    fn check_hash_input(&self, input: HashInput, part: &SaltedPart) -> Result<(), RecipeError> {
        match input {
            HashInput::Number => self.check_number(part),
            HashInput::JavaHash => Ok(()),
        }
    }

    fn part_of<'a>(&self, row: &'a [u8], part: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        let fields = self.fields_of(row)?;
        let leading = match part {
            SaltedPart::Fields(leading) => fields.get(..*leading).unwrap_or(&fields),
            _ => &fields,
        };
        Ok(self.text_of(leading).into_bytes().into())
    }

    fn common_part(&self, rows: &RowSelection, part: &SaltedPart) -> Option<Bytes> {
        let (prefix, count) = match (rows, part) {
            (RowSelection::Row(row), part) => {
                return Some(self.part_of(row, part).ok()?.into_owned().into());
            }
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

    fn contiguity(&self, kind: SelectionKind) -> Contiguity {
        match kind {
            SelectionKind::Row | SelectionKind::Between => Contiguity::Always,
            SelectionKind::Domain => Contiguity::NO_DOMAINS,
            SelectionKind::Prefix => Contiguity::Only(
                "prefixes that end with a whole field and the separator, or within a text or bytes",
            ),
            SelectionKind::Range => Contiguity::Never(
                "a range of composite rows is scattered, because the order of their text is not that of their fields: \
                 ask for the rows with given leading fields, whose next field may lie between two values",
            ),
            SelectionKind::Suffix => Contiguity::Never(
                "rows with one suffix are scattered if rows are ordered by their leading fields: put the field to \
                 search by first",
            ),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        self.check_contiguous(rows)?;
        Ok(vec![self.range(rows)?])
    }

    fn detail(&self) -> Option<String> {
        let field = |field: &FieldSettings| match field.order {
            FieldOrder::Ascending => field.kind.to_string(),
            FieldOrder::Descending => format!("{} descending", field.kind),
        };
        let fields: Vec<_> = self.fields.iter().map(field).collect();
        let separator = Escaped(&[self.separator]).to_string();
        Some(format!(
            "fields separated by `{separator}`: {}",
            fields.join(", ")
        ))
    }

    fn split_points(&self, _tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        Err(RecipeError::no_even_splits(
            "the leading fields of rows have no alphabet to split evenly: set a salt, or take the points from a \
             sample",
        ))
    }
}

pub(super) fn utf8(row: &[u8]) -> Result<&str, RecipeError> {
    std::str::from_utf8(row).map_err(|_| {
        RecipeError::row(format!(
            "{} is not UTF-8 text, which the fields of a row must be: write bytes in hexadecimal digits",
            Excerpt::new(row)
        ))
    })
}
