//! What a key design refuses.

use std::fmt;

/// What was refused, and so what to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DesignErrorKind {
    /// The settings: such a design does not exist.
    Settings,
    /// The row: the design has no key for it.
    Row,
    /// The key: the design cannot have made it.
    Key,
    /// The number of tablets, or that split points were asked for at all.
    Splits,
    /// The rows that were to be read: the design scatters them.
    Scan,
}

/// What a key design refuses, in a sentence that says what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignError {
    kind: DesignErrorKind,
    message: String,
}

impl DesignError {
    /// What was refused.
    #[must_use]
    pub fn kind(&self) -> DesignErrorKind {
        self.kind
    }

    pub(crate) fn settings(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::Settings, message)
    }

    pub(crate) fn row(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::Row, message)
    }

    pub(crate) fn key(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::Key, message)
    }

    pub(crate) fn splits(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::Splits, message)
    }

    pub(crate) fn scan(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::Scan, message)
    }

    fn of(kind: DesignErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }
}

impl fmt::Display for DesignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DesignError {}
