//! The traits of columns: [`Column`] of bytes, and columns whose values have a type.
//!
//! [`Snapshot::get`](crate::Snapshot::get) and [`Transaction::set`](crate::Transaction::set) take
//! any of them. `TypedColumn` of the crate `fluo-recipes` has codecs for common types.

use fluo_table::{Bytes, Column, Result, RowColumn};

/// A column that a transaction can read: a [`Column`], which holds bytes, or a typed column, which
/// decodes them.
///
/// # Examples
///
/// ```
/// use fluo_engine::column::{ReadColumn, WriteColumn};
/// use fluo_engine::{Bytes, Column, Error, ErrorKind, Instance, InstanceExt, Result, RowColumn};
///
/// /// The number of visits of a page, as eight bytes.
/// struct Visits;
///
/// impl ReadColumn for Visits {
///     type Value = u64;
///
///     fn to_column(&self) -> Column {
///         Column::new("page", "visits")
///     }
///
///     fn decode(&self, cell: &RowColumn, value: Bytes) -> Result<u64> {
///         let bytes = value.as_ref().try_into().map_err(|_| {
///             Error::new(ErrorKind::Corrupt, format!("`{cell}` has {} bytes instead of 8", value.len()))
///         })?;
///         Ok(u64::from_be_bytes(bytes))
///     }
/// }
///
/// impl WriteColumn<u64> for Visits {
///     fn encode(&self, value: u64) -> Result<Bytes> {
///         Ok(Bytes::copy_from_slice(&value.to_be_bytes()))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("web").create().await?;
/// client.run(async |tx| tx.set("org.wikipedia", &Visits, 7)).await?;
/// assert_eq!(client.snapshot().await?.get("org.wikipedia", &Visits).await?, Some(7));
/// # Ok(())
/// # }
/// ```
pub trait ReadColumn: Sync {
    /// The type of the values.
    type Value: Send;

    /// Returns the column of the table.
    fn to_column(&self) -> Column;

    /// Decodes the value of a cell.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt) if the bytes are no value of the type; the message
    /// names the cell.
    fn decode(&self, cell: &RowColumn, value: Bytes) -> Result<Self::Value>;
}

/// A column to which a transaction can write values of type `V`.
pub trait WriteColumn<V>: ReadColumn {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the value has no encoding.
    fn encode(&self, value: V) -> Result<Bytes>;
}

impl ReadColumn for Column {
    type Value = Bytes;

    fn to_column(&self) -> Column {
        self.clone()
    }

    fn decode(&self, _: &RowColumn, value: Bytes) -> Result<Bytes> {
        Ok(value)
    }
}

impl<V: Into<Bytes>> WriteColumn<V> for Column {
    fn encode(&self, value: V) -> Result<Bytes> {
        Ok(value.into())
    }
}

impl<C: ReadColumn> ReadColumn for &C {
    type Value = C::Value;

    fn to_column(&self) -> Column {
        (**self).to_column()
    }

    fn decode(&self, cell: &RowColumn, value: Bytes) -> Result<Self::Value> {
        (**self).decode(cell, value)
    }
}

impl<V, C: WriteColumn<V>> WriteColumn<V> for &C {
    fn encode(&self, value: V) -> Result<Bytes> {
        (**self).encode(value)
    }
}
