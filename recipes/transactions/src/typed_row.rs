//! Rows as structures: each field is the value of a typed column.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

use fluo_engine::column::ReadColumn;
use fluo_engine::{Error, RowColumn, Snapshot, Transaction};
use fluo_table::Cell;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::TypedColumn;
use crate::codec::Codec;
use crate::rows::rows;

// For the code that the macro writes.
#[doc(no_inline)]
pub use fluo_engine::{Bytes, Column, Result};

/// A row whose columns are the fields of a structure. [`typed_row!`](macro@crate::typed_row)
/// implements it.
///
/// # Rules
///
/// - **F1, one cell for each field.** A field is the value of its column, written by the column's
///   codec. Two fields have two columns.
/// - **F2, no cell, no row.** A row exists if at least one field has a cell. Other cells of the row
///   are neither read nor written.
/// - **F3, no default.** A field whose type is an `Option` is `None` if its cell is absent. Any
///   other absent cell of a row that exists is an error, as are bytes that cannot be decoded.
/// - **F4, all fields.** [`set`](Self::set) sets the cell of each field, and deletes that of a
///   `None`.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::{TypedColumn, TypedRow, typed_row};
///
/// const OWNER: TypedColumn<String> = TypedColumn::new("account", "owner");
/// const BALANCE: TypedColumn<u64> = TypedColumn::new("account", "balance");
/// const NOTE: TypedColumn<String> = TypedColumn::new("account", "note");
///
/// typed_row! {
///     /// An account of a bank.
///     #[derive(Debug, PartialEq)]
///     struct Account {
///         owner: String = OWNER,
///         balance: u64 = BALANCE,
///         note: Option<String> = NOTE,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("bank").create().await?;
/// let alice = Account { owner: "Alice".into(), balance: 100, note: None };
/// client.run(async |tx| alice.set(&tx, "account:1")).await?;
///
/// // A column is also a column by itself.
/// client.run(async |tx| BALANCE.increment(&tx, "account:1", 5).await).await?;
///
/// let now = client.snapshot().await?;
/// let account = Account::get(&now, "account:1").await?.unwrap();
/// assert_eq!(account, Account { balance: 105, ..alice });
/// assert_eq!(Account::get(&now, "account:2").await?, None);
/// # Ok(())
/// # }
/// ```
pub trait TypedRow: Sized + Send {
    /// Returns the columns of the fields, in their order.
    fn columns() -> Vec<Column>;

    /// Decodes a row that has a cell for at least one field.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](fluo_engine::ErrorKind::Corrupt) for a cell that is absent or cannot be decoded;
    /// the message names it.
    fn from_cells(cells: &RowCells) -> Result<Self>;

    /// Encodes the fields, in their order; `None` for a cell to be deleted.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a value that has no encoding.
    fn to_cells(&self) -> Result<Vec<(Column, Option<Bytes>)>>;

    /// Returns the row at a snapshot or in a transaction, or `None` if no field has a cell.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::get`] and of [`from_cells`](Self::from_cells).
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) if two fields have one column.
    fn get(
        snapshot: &Snapshot,
        row: impl Into<Bytes> + Send,
    ) -> impl Future<Output = Result<Option<Self>>> + Send {
        async move {
            let (row, columns) = (row.into(), distinct_columns::<Self>()?);
            let values = snapshot.get_columns(row.clone(), &columns).await?;
            match values.is_empty() {
                true => Ok(None),
                false => Self::from_cells(&RowCells { row, values }).map(Some),
            }
        }
    }

    /// Returns the rows with a prefix and their keys, in the order of the keys. Reads the columns
    /// of the fields in one scan, a batch at a time.
    ///
    /// # Errors
    ///
    /// The stream ends after its first error. The errors are the same as for [`get`](Self::get).
    fn scan_prefix(
        snapshot: &Snapshot,
        prefix: impl Into<Bytes>,
    ) -> BoxStream<'static, Result<(Bytes, Self)>>
    where
        Self: 'static,
    {
        let columns = match distinct_columns::<Self>() {
            Ok(columns) => columns,
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        let batches = snapshot.scan_prefix(prefix, &columns);
        let decode = move |mut cells: Vec<Cell>| {
            // The scan selects columns of any visibility.
            cells.retain(|cell| columns.contains(&cell.key.column));
            let Some(first) = cells.first() else {
                return ready(Ok(None));
            };
            let row = first.key.row.clone();
            let values = cells.into_iter().map(|cell| (cell.key.column, cell.value)).collect();
            let decoded = Self::from_cells(&RowCells { row: row.clone(), values });
            ready(decoded.map(|decoded| Some((row, decoded))))
        };
        rows(batches).try_filter_map(decode).boxed()
    }

    /// Sets the cells of all fields. Deletes the cells of fields that are `None`.
    ///
    /// # Errors
    ///
    /// Those of [`Transaction::set`] and of [`to_cells`](Self::to_cells).
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) if two fields have one column. No cell of the
    /// row is set after an error of an encoding.
    fn set(&self, tx: &Transaction, row: impl Into<Bytes>) -> Result<()> {
        distinct_columns::<Self>()?;
        let row = row.into();
        let mut cells = self.to_cells()?.into_iter();
        cells.try_for_each(|(column, value)| match value {
            Some(value) => tx.set(row.clone(), &column, value),
            None => tx.delete(row.clone(), &column),
        })
    }

    /// Deletes the cells of all fields.
    ///
    /// # Errors
    ///
    /// Those of [`Transaction::delete`].
    fn delete(tx: &Transaction, row: impl Into<Bytes>) -> Result<()> {
        let row = row.into();
        let mut columns = Self::columns().into_iter();
        columns.try_for_each(|column| tx.delete(row.clone(), &column))
    }
}

/// Returns the columns of a row type, if they are distinct.
fn distinct_columns<R: TypedRow>() -> Result<Vec<Column>> {
    let columns = R::columns();
    let mut seen = BTreeSet::new();
    match columns.iter().find(|column| !seen.insert(*column)) {
        None => Ok(columns),
        Some(column) => Err(Error::invalid(format!(
            "two fields of `{}` have the column `{column}`; give each field a column of its own",
            std::any::type_name::<R>()
        ))),
    }
}

/// The cells of a row, by their columns.
#[derive(Clone, Debug)]
pub struct RowCells {
    row: Bytes,
    values: BTreeMap<Column, Bytes>,
}

impl RowCells {
    /// Decodes a field.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](fluo_engine::ErrorKind::Corrupt) if the cell is absent and the field is no
    /// `Option`, or if its value cannot be decoded.
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

/// The type of a field of a [`TypedRow`] whose column has values of type `T`: `T`, or `Option<T>`
/// if the cell may be absent.
pub trait RowField<T>: Sized {
    /// Makes the field of the value of a cell.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](fluo_engine::ErrorKind::Corrupt) if the cell is absent and the field is no
    /// `Option`.
    fn from_value(cell: &RowColumn, value: Option<T>) -> Result<Self>;

    /// Encodes the field; `None` for a cell to be deleted.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a value that has no encoding.
    fn encode<C: Codec<T>>(&self, column: &TypedColumn<T, C>) -> Result<Option<Bytes>>;
}

impl<T: Send> RowField<T> for T {
    fn from_value(cell: &RowColumn, value: Option<T>) -> Result<Self> {
        value.ok_or_else(|| {
            Error::corrupt(format!(
                "`{cell}` is absent, although the row exists; make its field an `Option` if the cell may be absent"
            ))
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

/// Declares a structure, and implements [`TypedRow`] for it. Each field names its
/// [`TypedColumn`] after an equals sign, best as a constant.
///
/// A field has the type of its column, or an `Option` of it.
#[macro_export]
macro_rules! typed_row {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[$field_attribute:meta])*
                $field_visibility:vis $field:ident: $type:ty = $column:expr
            ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $(
                $(#[$field_attribute])*
                $field_visibility $field: $type,
            )+
        }

        impl $crate::TypedRow for $name {
            fn columns() -> ::std::vec::Vec<$crate::typed_row::Column> {
                ::std::vec![$($column.column()),+]
            }

            fn from_cells(
                cells: &$crate::typed_row::RowCells,
            ) -> $crate::typed_row::Result<Self> {
                ::std::result::Result::Ok(Self { $($field: cells.field(&$column)?),+ })
            }

            fn to_cells(
                &self,
            ) -> $crate::typed_row::Result<
                ::std::vec::Vec<($crate::typed_row::Column, ::std::option::Option<$crate::typed_row::Bytes>)>,
            > {
                ::std::result::Result::Ok(::std::vec![$(
                    ($column.column(), $crate::typed_row::RowField::encode(&self.$field, &$column)?)
                ),+])
            }
        }
    };
}
