//! Conversions of field values to keys and rows, for callers that have values and not text.

use fluo_table::{Bytes, Excerpt, Span, counted, prefix_successor};

use super::bytes;
use super::encoding::Composite;
use super::field::Field;
use crate::error::RecipeError;
use crate::key_design::encoding::RowRange;
use crate::key_design::row_selection::RowSelection;

impl Composite {
    /// Returns the bytes of a row's fields, which are its key in an unsalted design. Keys compare
    /// as their fields do.
    ///
    /// # Errors
    ///
    /// Fails if there are too few or too many fields, or if a value is not of its field's kind.
    pub fn encode(&self, fields: &[Field]) -> Result<Bytes, RecipeError> {
        let mut key = Vec::new();
        self.encode_to(fields, &mut key)?;
        Ok(key.into())
    }

    pub(super) fn encode_to(&self, fields: &[Field], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        if fields.len() < self.fields.len() {
            return Err(RecipeError::row(format!(
                "a row of this composite design has {}, not {}",
                counted(self.fields.len(), "field"),
                fields.len()
            )));
        }
        self.encode_leading(fields, key)
    }

    /// Returns the fields that were encoded in the bytes.
    ///
    /// # Errors
    ///
    /// Fails if [`encode`](Self::encode) cannot have made the bytes.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Field>, RecipeError> {
        let mut rest = key;
        let mut values = Vec::with_capacity(self.fields.len());
        for (number, field) in self.fields.iter().enumerate() {
            let (value, behind) = bytes::read(field, rest).map_err(|reason| {
                let (excerpt, label) = (Excerpt::new(key), self.label(number));
                RecipeError::key(format!(
                    "{excerpt} is not a composite row: {label}, {}: {reason}",
                    field.kind
                ))
            })?;
            values.push(value);
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(RecipeError::key(format!(
                "{} is not a composite row: after its {} there is more, {}",
                Excerpt::new(key),
                counted(self.fields.len(), "field"),
                counted(rest.len(), "byte")
            )));
        }
        Ok(values)
    }

    /// Returns the span of the keys, in an unsalted design, of exactly the rows with these leading
    /// fields.
    ///
    /// # Errors
    ///
    /// Fails if there are more fields than rows have, or if a value is not of its field's kind.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_table::Key;
    /// use fluo_keys::{Composite, Field, FieldKind, FieldSettings};
    ///
    /// let number = |name| FieldSettings::new(name, FieldKind::Unsigned).descending();
    /// let composite = Composite::new(vec![number("a"), number("b")], '\t')?;
    /// // Descending, 0 is eight bytes ff: no byte string can end its range, so the range has no end.
    /// let zeros = composite.range_of(&[Field::Unsigned(0)])?;
    /// let key = |a, b| composite.encode(&[Field::Unsigned(a), Field::Unsigned(b)]).map(Key::first_of_row);
    /// assert!(zeros.contains(&key(0, u64::MAX)?) && zeros.contains(&key(0, 0)?));
    /// assert!(!zeros.contains(&key(1, 0)?));
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn range_of(&self, leading: &[Field]) -> Result<Span, RecipeError> {
        let mut start = Vec::new();
        self.encode_leading(leading, &mut start)?;
        let end = prefix_successor(&start);
        Ok(Span::rows(start, end))
    }

    /// Returns the span of the keys, in an unsalted design, of the rows with these leading fields
    /// whose next field is at least `from` and less than `to`.
    ///
    /// The bounds are values, whatever the direction of the field. A bound of `None` is no bound.
    ///
    /// # Errors
    ///
    /// As [`range_of`](Self::range_of).
    pub fn range_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<Span, RecipeError> {
        let RowRange { start, end } = self.written_between(leading, from, to)?;
        Ok(Span::rows(start, end))
    }

    /// Returns the text of a row's fields, which is the row for
    /// [`KeyDesign::encode_row`](crate::KeyDesign::encode_row).
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    pub fn row(&self, fields: &[Field]) -> Result<Bytes, RecipeError> {
        self.encode(fields)?;
        Ok(self.text_of(fields).into())
    }

    /// Returns the set of all rows with these leading fields, for a design with any salt.
    ///
    /// # Errors
    ///
    /// As [`range_of`](Self::range_of).
    pub fn rows_of(&self, leading: &[Field]) -> Result<RowSelection, RecipeError> {
        let head = self.head_of(leading)?;
        if leading.len() == self.fields.len() {
            return Ok(RowSelection::Row(self.text_of(leading).into()));
        }
        Ok(RowSelection::Prefix(head))
    }

    /// Returns the set of all rows with these leading fields whose next field is at least `from`
    /// and less than `to`, for a design with any salt.
    ///
    /// # Errors
    ///
    /// As [`range_between`](Self::range_between).
    pub fn rows_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<RowSelection, RecipeError> {
        self.range_between(leading, from, to)?;
        let text = |value: &Field| Bytes::from(self.text_of(std::slice::from_ref(value)));
        Ok(RowSelection::Between {
            prefix: self.head_of(leading)?,
            from: from.map(text),
            to: to.map(text),
        })
    }

    /// Returns the text of leading fields, with the separator after each.
    fn head_of(&self, leading: &[Field]) -> Result<Bytes, RecipeError> {
        self.encode_leading(leading, &mut Vec::new())?;
        let mut head = self.text_of(leading);
        if !leading.is_empty() {
            head.push(char::from(self.separator));
        }
        Ok(head.into())
    }

    pub(super) fn encode_leading(
        &self,
        leading: &[Field],
        key: &mut Vec<u8>,
    ) -> Result<(), RecipeError> {
        if leading.len() > self.fields.len() {
            return Err(RecipeError::row(format!(
                "a row of this composite design has {}, not {}",
                counted(self.fields.len(), "field"),
                leading.len()
            )));
        }
        for (number, (value, field)) in leading.iter().zip(&self.fields).enumerate() {
            if value.kind() != field.kind {
                let (label, found) = (self.label(number), value.kind());
                return Err(RecipeError::row(format!(
                    "{label} is {}, not {found}",
                    field.kind
                )));
            }
            bytes::write(value, field.mask(), key);
        }
        Ok(())
    }

    /// Returns the written forms for [`range_between`](Self::range_between).
    pub(super) fn written_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<RowRange, RecipeError> {
        let Some(field) = self.fields.get(leading.len()) else {
            return Err(RecipeError::scan(format!(
                "no field after {} can lie between two values: rows of this composite design have {}",
                counted(leading.len(), "field"),
                self.fields.len()
            )));
        };
        let mut head = Vec::new();
        self.encode_leading(leading, &mut head)?;
        let bound = |value: Option<&Field>| {
            let with_value = value.map(|value| [leading, std::slice::from_ref(value)].concat());
            with_value
                .map(|fields| {
                    let mut key = Vec::new();
                    self.encode_leading(&fields, &mut key).map(|()| key)
                })
                .transpose()
        };
        let (from, to) = (bound(from)?, bound(to)?);
        if field.mask() == 0 {
            let end = to.map(Bytes::from).or_else(|| prefix_successor(&head));
            let start = from.unwrap_or(head).into();
            return Ok(RowRange { start, end });
        }
        // Larger values have smaller keys, so the range begins after `to` and ends after `from`.
        let end = prefix_successor(from.as_ref().unwrap_or(&head));
        Ok(match to.map(|to| prefix_successor(&to)) {
            None => RowRange {
                start: head.into(),
                end,
            },
            Some(Some(start)) => RowRange { start, end },
            // No key sorts after a key of bytes ff only: `to` excludes the largest values, which
            // are the first keys, and no smaller values remain.
            Some(None) => RowRange {
                end: Some(Bytes::new()),
                start: Bytes::new(),
            },
        })
    }
}
