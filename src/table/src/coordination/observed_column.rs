//! A column that an observer watches.

use std::fmt;
use std::str::FromStr;

use crate::data::Column;
use crate::error::{Error, Result};
use crate::layout::NOTIFICATION_FAMILY;

/// The way in which an observer is notified of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObserverKind {
    /// By every write to its column. If two transactions process the same notification, only one of
    /// them takes effect.
    Strong,
    /// By a notification that a transaction sets explicitly. Weak notifications never conflict.
    Weak,
}

impl ObserverKind {
    /// Returns its name in the stored form, as Fluo writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strong => "STRONG",
            Self::Weak => "WEAK",
        }
    }
}

impl fmt::Display for ObserverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name().to_ascii_lowercase())
    }
}

impl FromStr for ObserverKind {
    type Err = Error;

    /// Reads the name, in upper or lower case.
    fn from_str(text: &str) -> Result<Self> {
        [Self::Strong, Self::Weak]
            .into_iter()
            .find(|kind| text.eq_ignore_ascii_case(kind.name()))
            .ok_or_else(|| {
                Error::invalid(format!(
                    "`{}` is not a kind of observer; it is strong or weak",
                    text.escape_default()
                ))
            })
    }
}

/// A column that an observer of an application watches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservedColumn {
    /// The column.
    pub column: Column,
    /// The way in which its observer is notified of a change.
    pub kind: ObserverKind,
    /// The name of its observer; empty if a Java application wrote it.
    pub id: String,
}

impl ObservedColumn {
    /// Creates an observed column whose observer has a name.
    pub fn new(column: Column, kind: ObserverKind, id: impl Into<String>) -> Self {
        Self { column, kind, id: id.into() }
    }

    /// Checks that the column can be observed.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for an empty column, the family of notifications and
    /// a column with a visibility.
    pub fn check(&self) -> Result<()> {
        let column = &self.column;
        if column.family.is_empty() && column.qualifier.is_empty() {
            return Err(Error::invalid(format!(
                "{self} cannot be observed: the column is empty, and no transaction can write it"
            )));
        }
        if column.family == NOTIFICATION_FAMILY {
            return Err(Error::invalid(format!(
                "{self} cannot be observed: the family `{NOTIFICATION_FAMILY}` is reserved for notifications"
            )));
        }
        if !column.visibility.is_empty() {
            return Err(Error::invalid(format!(
                "{self} cannot be observed because it has a visibility; observe a column without one, written together with it"
            )));
        }
        Ok(())
    }

    /// Checks that no other observed column has the same column or observer name. Several may have
    /// no name.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid), with the other observed column.
    pub fn check_beside<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> Result<()> {
        let is_taken = |other: &Self| {
            other.column == self.column || (!self.id.is_empty() && other.id == self.id)
        };
        match others.into_iter().find(|other| is_taken(other)) {
            None => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "{self} cannot be observed beside {other}; a column has one observer, and an id is used once"
            ))),
        }
    }
}

impl fmt::Display for ObservedColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.column, self.kind)?;
        if !self.id.is_empty() {
            write!(f, ", `{}`", self.id.escape_default())?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_kind_in_upper_and_lower_case() {
        for kind in [ObserverKind::Strong, ObserverKind::Weak] {
            assert_eq!(kind.name().parse::<ObserverKind>().unwrap(), kind);
            assert_eq!(kind.to_string().parse::<ObserverKind>().unwrap(), kind);
        }
        let error = "loud\n".parse::<ObserverKind>().unwrap_err();
        assert_eq!(error.to_string(), "`loud\\n` is not a kind of observer; it is strong or weak");
    }

    #[test]
    fn displays_a_column_with_its_kind_and_its_observer() {
        let column = Column::new("page", "links");
        let named = ObservedColumn::new(column.clone(), ObserverKind::Strong, "count");
        assert_eq!(named.to_string(), "page:links (strong, `count`)");
        let bare = ObservedColumn::new(column, ObserverKind::Weak, "");
        assert_eq!(bare.to_string(), "page:links (weak)");
    }
}
