//! A column that an observer watches.

use std::fmt;
use std::str::FromStr;

use crate::data::Column;
use crate::error::{Error, Result};

/// How an observer is told of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObserverKind {
    /// By every write to its column; one that two transactions saw at once runs once.
    Strong,
    /// By a notification that a transaction sets by itself; it takes part in no conflict.
    Weak,
}

impl ObserverKind {
    /// Its name in what is stored, as Fluo writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strong => "STRONG",
            Self::Weak => "WEAK",
        }
    }
}

impl fmt::Display for ObserverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
        })
    }
}

impl FromStr for ObserverKind {
    type Err = Error;

    /// Reads the name, in either case.
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
    /// How its observer is told of a change.
    pub kind: ObserverKind,
    /// The name of its observer; empty where a Java application wrote it.
    pub id: String,
}

impl ObservedColumn {
    /// A column whose observer has a name.
    pub fn new(column: Column, kind: ObserverKind, id: impl Into<String>) -> Self {
        Self {
            column,
            kind,
            id: id.into(),
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
    fn a_kind_is_read_in_either_case() {
        for kind in [ObserverKind::Strong, ObserverKind::Weak] {
            assert_eq!(kind.name().parse::<ObserverKind>().unwrap(), kind);
            assert_eq!(kind.to_string().parse::<ObserverKind>().unwrap(), kind);
        }
        let error = "loud\n".parse::<ObserverKind>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`loud\\n` is not a kind of observer; it is strong or weak"
        );
    }

    #[test]
    fn a_column_is_shown_with_its_kind_and_its_observer() {
        let column = Column::new("page", "links");
        let named = ObservedColumn::new(column.clone(), ObserverKind::Strong, "count");
        assert_eq!(named.to_string(), "page:links (strong, `count`)");
        let bare = ObservedColumn::new(column, ObserverKind::Weak, "");
        assert_eq!(bare.to_string(), "page:links (weak)");
    }
}
