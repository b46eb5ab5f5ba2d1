//! The error of every port: a kind that tells the caller what to do, a sentence for an operator, a source.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The result of a call on a port.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a caller can do about an [`Error`].
///
/// There are few kinds on purpose: each is a different reaction, not a different cause. The cause is in
/// the sentence and in [`source`](StdError::source).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong and stays wrong. Nothing was done. Mend the request.
    Invalid,
    /// The table, file or directory that was named does not exist. Nothing was done.
    NotFound,
    /// What was to be made is there already. Nothing was done.
    AlreadyExists,
    /// The caller may not do this. Nothing was done.
    Denied,
    /// Held by somebody else, or not reachable at present. Nothing was done. The same call may succeed later.
    Unavailable,
    /// The call may or may not have taken effect, in whole or in part. Look before it is repeated.
    Uncertain,
    /// The storage below refused: full, read-only, broken. What was acknowledged before is safe;
    /// this call took no effect. Mend the storage and open again.
    Storage,
    /// What is stored cannot be read: damaged, or of a version that this build does not know. Nothing was
    /// written. Restore it or use another build.
    Corrupt,
}

/// An error of a port: a [kind](ErrorKind), one sentence, and a source.
///
/// Cloning is cheap, so that one failed commit can answer every mutation that waited for it.
///
/// ```
/// use fluo_core::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::NotFound, "there is no table `webpages`");
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "there is no table `webpages`");
/// ```
#[derive(Clone)]
pub struct Error {
    inner: Arc<Inner>,
}

struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `kind` that says `message`: what was wrong, where, and what would be right.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self::build(kind, message.into(), None)
    }

    /// An error of `kind` with the error that caused it.
    pub fn with_source(
        kind: ErrorKind,
        message: impl Into<Cow<'static, str>>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self::build(kind, message.into(), Some(source.into()))
    }

    /// An error of kind [`Invalid`](ErrorKind::Invalid).
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The error of every implementation for a table that does not exist.
    pub fn no_such_table(name: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("there is no table `{name}`"))
    }

    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    fn build(
        kind: ErrorKind,
        message: Cow<'static, str>,
        source: Option<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                kind,
                message,
                source,
            }),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.inner.kind)
            .field("message", &self.inner.message)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_the_sentence_and_the_source_is_apart() {
        let cause = std::io::Error::other("No space left on device");
        let error = Error::with_source(ErrorKind::Storage, "cannot commit 3 mutations", cause);
        assert_eq!(error.to_string(), "cannot commit 3 mutations");
        assert_eq!(
            error.source().unwrap().to_string(),
            "No space left on device"
        );
        assert_eq!(error.clone().kind(), ErrorKind::Storage);
    }
}
