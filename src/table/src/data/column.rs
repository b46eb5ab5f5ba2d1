//! Columns, and the positions of cells.

use std::fmt;

use crate::data::{Bytes, Escaped};

/// A column: family, qualifier and visibility. Each may contain any bytes, and may be empty.
///
/// Two columns that differ only in visibility are different columns: each has its own versions.
///
/// # Examples
///
/// ```
/// use fluo_table::Column;
///
/// let column = Column::new("page", "uri").with_visibility("public|admin");
/// assert_eq!(column.to_string(), "page:uri [public|admin]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// The family. Locality groups are sets of families.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The visibility expression; an empty one means that every reader sees the cell.
    pub visibility: Bytes,
}

impl Column {
    /// Creates the column `family:qualifier` with an empty visibility.
    pub fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: qualifier.into(), visibility: Bytes::new() }
    }

    /// Creates the column `family:qualifier` as a constant, with an empty visibility.
    pub const fn from_static(family: &'static str, qualifier: &'static str) -> Self {
        Self {
            family: Bytes::from_static(family.as_bytes()),
            qualifier: Bytes::from_static(qualifier.as_bytes()),
            visibility: Bytes::new(),
        }
    }

    /// Sets the visibility expression. A table checks the expression when the column is written.
    #[must_use]
    pub fn with_visibility(self, visibility: impl Into<Bytes>) -> Self {
        Self { visibility: visibility.into(), ..self }
    }

    /// Returns the total number of bytes of the three parts.
    pub fn size_bytes(&self) -> usize {
        self.family.len() + self.qualifier.len() + self.visibility.len()
    }
}

impl From<&Column> for Column {
    fn from(column: &Column) -> Self {
        column.clone()
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Escaped(&self.family), Escaped(&self.qualifier))?;
        if !self.visibility.is_empty() {
            write!(f, " [{}]", Escaped(&self.visibility))?;
        }
        Ok(())
    }
}

/// Row and column: the position of a cell, whatever its versions.
///
/// # Examples
///
/// ```
/// use fluo_table::{Column, RowColumn};
///
/// let column = Column::new("page", "uri").with_visibility("eu");
/// let cell = RowColumn::new("org.wikipedia", column);
/// assert_eq!(cell.to_string(), "org.wikipedia page:uri [eu]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowColumn {
    /// The row.
    pub row: Bytes,
    /// The column, visibility included.
    pub column: Column,
}

impl RowColumn {
    /// Creates the position of a column in a row.
    pub fn new(row: impl Into<Bytes>, column: Column) -> Self {
        Self { row: row.into(), column }
    }
}

impl fmt::Display for RowColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Escaped(&self.row), self.column)
    }
}
