//! Family, qualifier and visibility of a cell.

use std::fmt;

use crate::data::{Bytes, Escaped};

/// A column: family, qualifier and visibility, each of any bytes and each possibly empty.
///
/// Two columns that differ only in visibility are two columns: each has its own versions.
///
/// ```
/// use fluo_core::Column;
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
    /// The visibility expression; empty means that everybody sees the cell.
    pub visibility: Bytes,
}

impl Column {
    /// The column `family:qualifier` that everybody may see.
    pub fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            visibility: Bytes::new(),
        }
    }

    /// The same column under a visibility expression, which a table checks when it is written.
    #[must_use]
    pub fn with_visibility(mut self, visibility: impl Into<Bytes>) -> Self {
        self.visibility = visibility.into();
        self
    }

    /// Bytes of the three parts together.
    pub fn size_bytes(&self) -> usize {
        self.family.len() + self.qualifier.len() + self.visibility.len()
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
