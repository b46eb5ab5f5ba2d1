//! Fields as bytes and as rows, for those who have values and no text.

use fluo_core::{Bytes, Span, prefix_successor};

use super::super::super::error::DesignError;
use super::super::super::rows::Rows;
use super::super::FormRange;
use super::{Composite, Field, bytes};
use crate::number::counted;
use crate::row_hasher::Excerpt;

impl Composite {
    /// The bytes of a row's fields: what a key of an unsalted design is. Keys compare as their fields do.
    ///
    /// # Errors
    /// Fewer or more fields, and a value that is not of its field's kind.
    pub fn encode(&self, fields: &[Field]) -> Result<Bytes, DesignError> {
        let mut key = Vec::new();
        self.encode_to(fields, &mut key)?;
        Ok(key.into())
    }

    pub(super) fn encode_to(&self, fields: &[Field], key: &mut Vec<u8>) -> Result<(), DesignError> {
        if fields.len() < self.fields.len() {
            return Err(DesignError::row(format!(
                "a row of this composite design has {}, not {}",
                counted(self.fields.len(), "field"),
                fields.len()
            )));
        }
        self.encode_leading(fields, key)
    }

    /// The fields that the bytes were made of.
    ///
    /// # Errors
    /// Bytes that [`encode`](Self::encode) cannot have made.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<Field>, DesignError> {
        let mut rest = key;
        let mut values = Vec::with_capacity(self.fields.len());
        for (number, field) in self.fields.iter().enumerate() {
            let (value, behind) = bytes::read(field, rest).map_err(|reason| {
                let (excerpt, label) = (Excerpt::new(key), self.label(number));
                DesignError::key(format!(
                    "{excerpt} is no composite row: {label}, {}: {reason}",
                    field.kind
                ))
            })?;
            values.push(value);
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(DesignError::key(format!(
                "{} is no composite row: behind its {} there is more, {}",
                Excerpt::new(key),
                counted(self.fields.len(), "field"),
                counted(rest.len(), "byte")
            )));
        }
        Ok(values)
    }

    /// The keys, of an unsalted design, of all rows with these leading fields, and of no others.
    ///
    /// # Errors
    /// More fields than rows have, and a value that is not of its field's kind.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_core::Key;
    /// use fluo_recipes::{Composite, Field, FieldKind, FieldSettings};
    ///
    /// let number = |name| FieldSettings::new(name, FieldKind::Unsigned).descending();
    /// let composite = Composite::new(vec![number("a"), number("b")], '\t')?;
    /// // Descending, 0 is eight bytes ff: no byte string is the end of its range, and none is needed.
    /// let zeros = composite.range_of(&[Field::Unsigned(0)])?;
    /// let key = |a, b| composite.encode(&[Field::Unsigned(a), Field::Unsigned(b)]).map(Key::first_of_row);
    /// assert!(zeros.contains(&key(0, u64::MAX)?) && zeros.contains(&key(0, 0)?));
    /// assert!(!zeros.contains(&key(1, 0)?));
    /// # Ok::<(), fluo_recipes::DesignError>(())
    /// ```
    pub fn range_of(&self, leading: &[Field]) -> Result<Span, DesignError> {
        let mut start = Vec::new();
        self.encode_leading(leading, &mut start)?;
        let end = prefix_successor(&start);
        Ok(Span::rows(start, end))
    }

    /// The keys, of an unsalted design, of all rows with these leading fields whose next field is at least `from`
    /// and below `to`, by its value, whatever the direction of the field is. None is no bound.
    ///
    /// # Errors
    /// As [`range_of`](Self::range_of).
    pub fn range_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<Span, DesignError> {
        let FormRange { start, end } = self.written_between(leading, from, to)?;
        Ok(Span::rows(start, end))
    }

    /// The text of a row's fields: what [`KeyDesign::add`](crate::KeyDesign::add) takes.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn row(&self, fields: &[Field]) -> Result<Bytes, DesignError> {
        self.encode(fields)?;
        Ok(self.text_of(fields).into())
    }

    /// The set of all rows with these leading fields, for a design of any salt.
    ///
    /// # Errors
    /// As [`range_of`](Self::range_of).
    pub fn rows_of(&self, leading: &[Field]) -> Result<Rows, DesignError> {
        let head = self.head_of(leading)?;
        if leading.len() == self.fields.len() {
            return Ok(Rows::Row(self.text_of(leading).into()));
        }
        Ok(Rows::Prefix(head))
    }

    /// The set of all rows with these leading fields whose next field is at least `from` and below `to`, for a
    /// design of any salt.
    ///
    /// # Errors
    /// As [`range_between`](Self::range_between).
    pub fn rows_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<Rows, DesignError> {
        self.range_between(leading, from, to)?;
        let text = |value: &Field| Bytes::from(self.text_of(std::slice::from_ref(value)));
        Ok(Rows::Between {
            prefix: self.head_of(leading)?,
            from: from.map(text),
            to: to.map(text),
        })
    }

    /// The text of leading fields, with the separator behind each.
    fn head_of(&self, leading: &[Field]) -> Result<Bytes, DesignError> {
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
    ) -> Result<(), DesignError> {
        if leading.len() > self.fields.len() {
            return Err(DesignError::row(format!(
                "a row of this composite design has {}, not {}",
                counted(self.fields.len(), "field"),
                leading.len()
            )));
        }
        for (number, (value, field)) in leading.iter().zip(&self.fields).enumerate() {
            if value.kind() != field.kind {
                let (label, found) = (self.label(number), value.kind());
                return Err(DesignError::row(format!(
                    "{label} is {}, not {found}",
                    field.kind
                )));
            }
            bytes::write(value, field.mask(), key);
        }
        Ok(())
    }

    /// See [`range_between`](Self::range_between).
    pub(super) fn written_between(
        &self,
        leading: &[Field],
        from: Option<&Field>,
        to: Option<&Field>,
    ) -> Result<FormRange, DesignError> {
        let Some(field) = self.fields.get(leading.len()) else {
            return Err(DesignError::scan(format!(
                "after {} no other comes, to lie between two values: rows of this composite design have {}",
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
            return Ok(FormRange { start, end });
        }
        // The larger a value, the earlier its key: the range begins behind `to` and ends behind `from`.
        let end = prefix_successor(from.as_ref().unwrap_or(&head));
        Ok(match to.map(|to| prefix_successor(&to)) {
            None => FormRange {
                start: head.into(),
                end,
            },
            Some(Some(start)) => FormRange { start, end },
            // Nothing comes behind a key of bytes ff only: the largest values are left out, and no others are below.
            Some(None) => FormRange {
                end: Some(Bytes::new()),
                start: Bytes::new(),
            },
        })
    }
}
