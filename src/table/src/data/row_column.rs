//! The position of a cell.

use std::fmt;

use crate::data::{Bytes, Column, Escaped};

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
