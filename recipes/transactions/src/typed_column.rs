//! Columns with a type.

use std::fmt;
use std::marker::PhantomData;

use fluo_engine::column::{ReadColumn, WriteColumn};
use fluo_engine::{Bytes, Column, Error, ErrorKind, Result, RowColumn, Transaction};
use fluo_table::Excerpt;
use num_traits::{CheckedAdd, Zero};

use crate::codec::{Codec, Text};

/// A column whose values have a type. The default codec is [`Text`]: numbers are decimal, as Java
/// applications write them.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::TypedColumn;
/// use fluo_recipes::codec::Ordered;
///
/// const VISITS: TypedColumn<u64> = TypedColumn::new("page", "visits");
/// const SEEN: TypedColumn<i64, Ordered> = TypedColumn::with_codec("page", "seen", Ordered);
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let client = Instance::in_memory().application("web").create().await?;
/// client
///     .run(async |tx| {
///         let visits = tx.get("org.wikipedia", &VISITS).await?.unwrap_or(0);
///         tx.set("org.wikipedia", &VISITS, visits + 1)?;
///         tx.set("org.wikipedia", &SEEN, -7)
///     })
///     .await?;
/// client.run(async |tx| VISITS.increment(&tx, "org.wikipedia", 41).await).await?;
/// let now = client.snapshot().await?;
/// assert_eq!(now.get("org.wikipedia", &VISITS).await?, Some(42));
/// assert_eq!(now.get("org.wikipedia", &VISITS.column()).await?.as_deref(), Some(&b"42"[..]));
/// # Ok(())
/// # }
/// ```
pub struct TypedColumn<T, C = Text> {
    family: &'static str,
    qualifier: &'static str,
    codec: C,
    values: PhantomData<fn(T) -> T>,
}

impl<T> TypedColumn<T> {
    /// Creates a column without a visibility.
    pub const fn new(family: &'static str, qualifier: &'static str) -> Self {
        Self::with_codec(family, qualifier, Text)
    }
}

impl<T, C> TypedColumn<T, C> {
    /// Creates a column without a visibility, with a codec.
    pub const fn with_codec(family: &'static str, qualifier: &'static str, codec: C) -> Self {
        Self { family, qualifier, codec, values: PhantomData }
    }

    /// Returns the column of the table.
    pub const fn column(&self) -> Column {
        Column {
            family: Bytes::from_static(self.family.as_bytes()),
            qualifier: Bytes::from_static(self.qualifier.as_bytes()),
            visibility: Bytes::new(),
        }
    }
}

impl<T: CheckedAdd + Zero + Clone + fmt::Display + Send, C: Codec<T>> TypedColumn<T, C> {
    /// Adds a number to the value of a cell, and returns the new value. An absent cell counts as
    /// zero.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::get`](fluo_engine::Snapshot::get) and of [`Transaction::set`].
    /// [`Invalid`](ErrorKind::Invalid) if the type cannot hold the sum; nothing is set then.
    pub async fn increment(&self, tx: &Transaction, row: impl Into<Bytes>, by: T) -> Result<T> {
        let row = row.into();
        let value = tx.get(row.clone(), self).await?.unwrap_or_else(T::zero);
        let sum = value.checked_add(&by).ok_or_else(|| {
            let cell = RowColumn::new(row.clone(), self.column());
            Error::invalid(format!(
                "`{cell}` is {value}, and its type cannot hold the sum with {by}; use a larger type"
            ))
        })?;
        tx.set(row, self, sum.clone())?;
        Ok(sum)
    }
}

impl<T: Send, C: Codec<T>> ReadColumn for TypedColumn<T, C> {
    type Value = T;

    fn to_column(&self) -> Column {
        self.column()
    }

    fn decode(&self, cell: &RowColumn, value: Bytes) -> Result<T> {
        self.codec.decode(&value).map_err(|error| {
            let shown = Excerpt::new(&value);
            let message = format!("the value {shown} of `{cell}` cannot be read: {error}");
            Error::with_source(ErrorKind::Corrupt, message, error)
        })
    }
}

impl<T: Send, C: Codec<T>> WriteColumn<T> for TypedColumn<T, C> {
    fn encode(&self, value: T) -> Result<Bytes> {
        self.encode_value(&value)
    }
}

impl<T, C: Codec<T>> TypedColumn<T, C> {
    pub(crate) fn encode_value(&self, value: &T) -> Result<Bytes> {
        let mut bytes = Vec::new();
        self.codec.encode(value, &mut bytes).map_err(|error| {
            let column = self.column();
            let message = format!("a value of the column `{column}` cannot be written: {error}");
            Error::with_source(ErrorKind::Invalid, message, error)
        })?;
        Ok(Bytes::from(bytes))
    }
}

impl<C: Codec<String>> WriteColumn<&str> for TypedColumn<String, C> {
    fn encode(&self, value: &str) -> Result<Bytes> {
        WriteColumn::<String>::encode(self, value.to_owned())
    }
}

impl<T, C: Clone> Clone for TypedColumn<T, C> {
    fn clone(&self) -> Self {
        Self::with_codec(self.family, self.qualifier, self.codec.clone())
    }
}

impl<T, C: Copy> Copy for TypedColumn<T, C> {}

impl<T, C> fmt::Debug for TypedColumn<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypedColumn({} {})", self.family, self.qualifier)
    }
}
