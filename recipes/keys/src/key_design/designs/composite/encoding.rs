//! Composite rows as text: their keys, and the location of sets of them.

use std::borrow::Cow;

use fluo_table::{Bytes, Escaped, Excerpt, counted, prefix_successor};

use super::codec::{Composite, utf8};
use super::field::{Field, FieldKind, FieldOrder, FieldSettings};
use super::{bytes, text};
use crate::error::RecipeError;
use crate::key_design::encoding::RowEncoding;
use crate::key_design::{
    HashInput, KeyField, KeyOrder, RowRange, RowSelection, SaltedPart, ScanCost,
};

impl RowEncoding for Composite {
    fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        key.extend(self.written(&self.fields_of(row)?));
        Ok(())
    }

    fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        row.extend_from_slice(self.text_of(&self.decode(written)?).as_bytes());
        Ok(())
    }

    fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        let values = self.decode(written)?;
        let fields = self.fields.iter().zip(&values).enumerate();
        let explained = fields.map(|(number, (field, value))| {
            let mut stored = Vec::new();
            bytes::write(value, field.mask(), &mut stored);
            let (kind, text) = (field.kind, self.text_of(std::slice::from_ref(value)));
            let order = match field.order {
                FieldOrder::Ascending => "ascending",
                FieldOrder::Descending => "descending",
            };
            KeyField::new(self.label(number), stored, format!("{kind}, {order}: `{text}`"))
        });
        Ok(explained.collect())
    }

    fn order(&self) -> KeyOrder {
        KeyOrder::Fields
    }

    fn detail(&self) -> Option<String> {
        let field = |field: &FieldSettings| match field.order {
            FieldOrder::Ascending => field.kind.to_string(),
            FieldOrder::Descending => format!("{} descending", field.kind),
        };
        let fields: Vec<_> = self.fields.iter().map(field).collect();
        let (separator, fields) = (Escaped(&[self.separator]), fields.join(", "));
        Some(format!("fields separated by `{separator}`: {fields}"))
    }

    fn check_salt(&self, over: &SaltedPart, of: Option<HashInput>) -> Result<(), RecipeError> {
        let count = self.fields.len();
        let leading = match over {
            SaltedPart::Whole => count,
            SaltedPart::Fields(leading) if (1..=count).contains(leading) => *leading,
            SaltedPart::Fields(leading) => {
                return Err(RecipeError::settings(format!(
                    "the salt is over {leading} leading fields of rows that have {count}: give 1 to {count}"
                )));
            }
            _ => {
                return Err(RecipeError::settings(
                    "a composite row is salted over its leading fields, such as `fields = 1`, or whole",
                ));
            }
        };
        let first = self.fields.first().map(|field| field.kind);
        let is_number = leading == 1 && !matches!(first, Some(FieldKind::Float | FieldKind::Time));
        if of != Some(HashInput::Number) || is_number {
            return Ok(());
        }
        let salted = match first {
            Some(kind) if leading == 1 => kind.to_string(),
            _ => format!("{leading} fields"),
        };
        Err(RecipeError::settings(format!(
            "the salt covers {salted}, which is not a whole number; use `of = \"java-hash\"`"
        )))
    }

    fn part_of<'a>(&self, row: &'a [u8], over: &SaltedPart) -> Result<Cow<'a, [u8]>, RecipeError> {
        let fields = self.fields_of(row)?;
        let leading = match over {
            SaltedPart::Fields(leading) => fields.get(..*leading).unwrap_or(&fields),
            _ => &fields,
        };
        Ok(self.text_of(leading).into_bytes().into())
    }

    fn common_part(&self, rows: &RowSelection, over: &SaltedPart) -> Option<Vec<u8>> {
        let (RowSelection::Prefix(prefix) | RowSelection::Between { prefix, .. }) = rows else {
            return None;
        };
        let SaltedPart::Fields(count) = over else { return None };
        let (leading, _) = self.cut(prefix).ok()?;
        Some(self.text_of(leading.get(..*count)?).into())
    }

    fn cost(&self, rows: &RowSelection) -> ScanCost {
        match rows {
            RowSelection::Between { .. } => ScanCost::SingleRange,
            RowSelection::Prefix(_) => ScanCost::only(
                "prefixes that end with a whole field and the separator, or within text or bytes",
            ),
            RowSelection::Range { .. } => ScanCost::unsupported(
                "composite rows do not have the order of their text; read by leading fields",
            ),
            _ => ScanCost::usual(rows),
        }
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        let range = match rows {
            RowSelection::Prefix(prefix) => RowRange::of_prefix(self.beginning(prefix)?),
            RowSelection::Between { prefix, from, to } => {
                self.between(prefix, from.as_ref(), to.as_ref())?
            }
            _ => rows.bounds(),
        };
        Ok(vec![range])
    }
}

impl Composite {
    /// Splits the beginning of a row into its whole fields, each followed by the separator, and the
    /// beginning of the field after them.
    fn cut<'a>(&self, prefix: &'a [u8]) -> Result<(Vec<Field>, &'a str), RecipeError> {
        let mut pieces: Vec<_> = utf8(prefix)?.split(char::from(self.separator)).collect();
        let rest = pieces.pop().unwrap_or_default();
        if pieces.len() >= self.fields.len() {
            return Err(RecipeError::scan(format!(
                "no row begins with {}: rows of this composite design have only {}",
                Excerpt::new(prefix),
                counted(self.fields.len(), "field")
            )));
        }
        Ok((self.leading_of(&pieces)?, rest))
    }

    /// Returns the common beginning of the keys of all rows that begin with a text.
    fn beginning(&self, prefix: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let (leading, rest) = self.cut(prefix)?;
        let mut written = self.written(&leading);
        if !rest.is_empty() {
            let field = self.field(leading.len());
            let beginning = text::read_beginning(field.kind, rest).map_err(|reason| {
                RecipeError::scan(format!("{}: {reason}", self.label(leading.len())))
            })?;
            bytes::write_beginning(&beginning, field.mask(), &mut written);
        }
        Ok(written)
    }

    /// Returns the written forms of the rows with the leading fields of a prefix whose next field
    /// is at least `from` and less than `to`.
    fn between(
        &self,
        prefix: &[u8],
        from: Option<&Bytes>,
        to: Option<&Bytes>,
    ) -> Result<RowRange, RecipeError> {
        let (leading, rest) = self.cut(prefix)?;
        if !rest.is_empty() {
            return Err(RecipeError::scan(format!(
                "{} does not end with a whole field: give the leading fields, `{}` after each",
                Excerpt::new(prefix),
                Escaped(&[self.separator])
            )));
        }
        let (field, head) = (self.field(leading.len()), self.written(&leading));
        let bound = |bound: &Bytes| {
            let value = text::read(field.kind, utf8(bound)?).map_err(|reason| {
                let label = self.label(leading.len());
                RecipeError::scan(format!("{label}, between two values: {reason}"))
            })?;
            let mut written = head.clone();
            bytes::write(&value, field.mask(), &mut written);
            Ok::<_, RecipeError>(written)
        };
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

    /// Returns the field after the whole fields of [`cut`](Self::cut).
    fn field(&self, number: usize) -> &FieldSettings {
        self.fields.get(number).expect("fewer fields than all are whole")
    }
}
