//! Errors of a key design.

use std::fmt;

/// The input that was rejected, and therefore has to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DesignErrorKind {
    /// The settings: they describe no valid design.
    Settings,
    /// The row: the design has no key for it.
    Row,
    /// The key: the design cannot have made it.
    Key,
    /// The number of tablets, or the request for split points itself.
    Splits,
    /// The number of tablets: rows of the design have no alphabet to split evenly, so the split
    /// points must come from a sample.
    NoEvenSplits,
    /// The rows to be read: the design scatters them.
    Scan,
}

/// An error of a key design. Its message says what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignError {
    kind: DesignErrorKind,
    message: String,
}

impl DesignError {
    /// Returns the kind of input that was rejected.
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

    pub(crate) fn no_even_splits(message: impl Into<String>) -> Self {
        Self::of(DesignErrorKind::NoEvenSplits, message)
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
