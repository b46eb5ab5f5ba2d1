//! The error type of all ports: a kind that tells the caller what to do, a sentence for an
//! operator, and a source.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The result of a call on a port.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reaction that an [`Error`] asks of its caller.
///
/// There are few kinds on purpose: each means a different reaction, not a different cause. The
/// message and the [`source`](StdError::source) describe the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong, and will fail again. Nothing was done. Fix the request.
    Invalid,
    /// The named table, file or directory does not exist. Nothing was done.
    NotFound,
    /// The object to create already exists. Nothing was done.
    AlreadyExists,
    /// The caller may not do this. Nothing was done.
    Denied,
    /// The resource is held by another caller or is not reachable at present. Nothing was done. The
    /// same call may succeed later.
    Unavailable,
    /// The call may or may not have taken effect, in whole or in part. Check before you repeat it.
    Uncertain,
    /// The underlying storage failed: it is full, read-only or broken. Acknowledged writes are
    /// safe; this call had no effect. Fix the storage and open it again.
    Storage,
    /// The stored data cannot be read: it is damaged, or has a version that this build does not
    /// support. Nothing was written. Restore the data or use another build.
    Corrupt,
}

impl ErrorKind {
    /// Checks whether the same call may succeed later, or may already have succeeded.
    #[must_use]
    pub fn is_passing(self) -> bool {
        matches!(self, Self::Unavailable | Self::Uncertain)
    }
}

/// An error of a port: a [kind](ErrorKind), one sentence, and a source.
///
/// Cloning is cheap, so one failed commit can fail every mutation that waited for it.
///
/// # Examples
///
/// ```
/// use fluo_table::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::NotFound, "there is no table `webpages`");
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "there is no table `webpages`");
/// ```
#[derive(Clone, Debug)]
pub struct Error(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind` with `message`, which states the cause, the place and the remedy.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Inner { kind, message: message.into(), source: None }))
    }

    /// Creates an error of `kind` with the error that caused it.
    pub fn with_source(
        kind: ErrorKind,
        message: impl Into<Cow<'static, str>>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self(Arc::new(Inner { kind, message: message.into(), source: Some(source.into()) }))
    }

    /// Creates an error of kind [`Invalid`](ErrorKind::Invalid).
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Creates an error of kind [`Unavailable`](ErrorKind::Unavailable).
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Creates an error of kind [`Corrupt`](ErrorKind::Corrupt).
    pub fn corrupt(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// Creates the error that every implementation returns for a table that does not exist.
    pub fn no_such_table(name: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("there is no table `{name}`"))
    }

    /// Creates the error of an application whose table does not exist.
    pub fn application_without_table(application: &str, table: &str) -> Self {
        let message = format!(
            "table `{table}` of application `{application}` does not exist; create the application again"
        );
        Self::new(ErrorKind::NotFound, message)
    }

    /// Creates the error of an implementation whose servers load no jars.
    pub fn no_class_paths() -> Self {
        Self::invalid("the servers of these tables load no jars; omit them")
    }

    /// Returns the kind of the error, which tells the caller how to react.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_only_its_message_and_keeps_the_source() {
        let cause = std::io::Error::other("No space left on device");
        let error = Error::with_source(ErrorKind::Storage, "cannot commit 3 mutations", cause);
        assert_eq!(error.to_string(), "cannot commit 3 mutations");
        assert_eq!(error.source().unwrap().to_string(), "No space left on device");
        assert_eq!(error.clone().kind(), ErrorKind::Storage);
    }
}
