//! The cells of a row, and the fields that they are read into.

use std::collections::BTreeMap;

use fluo_engine::column::ReadColumn;
use fluo_engine::{Bytes, Column, Error, ErrorKind, Result, RowColumn};

use crate::TypedColumn;
use crate::codec::Codec;

/// The cells of a row, by their columns.
#[derive(Clone, Debug)]
pub struct RowCells {
    pub(super) row: Bytes,
    pub(super) values: BTreeMap<Column, Bytes>,
}

impl RowCells {
    /// Decodes a field.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](ErrorKind::Corrupt) if the cell is absent and the field is no `Option`, or if
    /// its value cannot be decoded.
    pub fn field<F: RowField<T>, T: Send, C: Codec<T>>(
        &self,
        column: &TypedColumn<T, C>,
    ) -> Result<F> {
        let cell = RowColumn::new(self.row.clone(), column.column());
        let value = self.values.get(&cell.column).cloned();
        let value = value.map(|value| column.decode(&cell, value));
        F::from_value(&cell, value.transpose()?)
    }
}

/// The type of a field of a [`TypedRow`](crate::TypedRow) whose column has values of type `T`: `T`,
/// or `Option<T>` if the cell may be absent.
pub trait RowField<T>: Sized {
    /// Makes the field of the value of a cell.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](ErrorKind::Corrupt) if the cell is absent and the field is no `Option`.
    fn from_value(cell: &RowColumn, value: Option<T>) -> Result<Self>;

    /// Encodes the field; `None` for a cell to be deleted.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) for a value that has no encoding.
    fn encode<C: Codec<T>>(&self, column: &TypedColumn<T, C>) -> Result<Option<Bytes>>;
}

impl<T: Send> RowField<T> for T {
    fn from_value(cell: &RowColumn, value: Option<T>) -> Result<Self> {
        value.ok_or_else(|| {
            let message = format!(
                "`{cell}` is absent, although the row exists; make its field an `Option` if the cell may be absent"
            );
            Error::new(ErrorKind::Corrupt, message)
        })
    }

    fn encode<C: Codec<T>>(&self, column: &TypedColumn<T, C>) -> Result<Option<Bytes>> {
        column.encode_value(self).map(Some)
    }
}

impl<T: Send> RowField<T> for Option<T> {
    fn from_value(_: &RowColumn, value: Self) -> Result<Self> {
        Ok(value)
    }

    fn encode<C: Codec<T>>(&self, column: &TypedColumn<T, C>) -> Result<Option<Bytes>> {
        self.as_ref().map(|value| column.encode_value(value)).transpose()
    }
}
