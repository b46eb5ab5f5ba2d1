//! The error of every call.

use std::fmt;
use std::sync::Arc;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request cannot be made: mend it. Nothing was sent.
    Invalid,
    /// The request, or one row of it, is longer than a frame may be: make it smaller. Nothing was sent.
    TooLarge,
    /// User, password, shared secret, permission or authorization: `AccumuloSecurityException`.
    Security,
    /// The proxy takes other credentials: a shared secret in place of user and password (Accumulo 2.x), or the other
    /// way round (1.x). Nothing was done.
    OtherCredentials,
    /// There is no such table (any more).
    TableNotFound,
    /// There is such a table already.
    TableExists,
    /// There is no such namespace.
    NamespaceNotFound,
    /// There is such a namespace already.
    NamespaceExists,
    /// The namespace still has tables.
    NamespaceNotEmpty,
    /// Mutations were rejected: a constraint was violated, or a server could not take them.
    /// Some of them may have been written.
    MutationsRejected,
    /// Accumulo failed: `AccumuloException`.
    Accumulo,
    /// The proxy does not know the scanner or writer (any more): a handle is forgotten after ten idle minutes, and
    /// when the proxy is started again.
    HandleExpired,
    /// The proxy cannot be reached, or the connection broke.
    Gone,
    /// No answer within the limit.
    TimedOut,
    /// What answers is not a proxy that this client understands.
    Protocol,
}

/// An exception that a reply holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exception {
    Accumulo,
    Security,
    TableNotFound,
    TableExists,
    MutationsRejected,
    NamespaceNotFound,
    NamespaceExists,
    NamespaceNotEmpty,
    UnknownScanner,
    UnknownWriter,
    NoMoreEntries,
}

/// What went wrong in a call: its [kind](ErrorKind), the name of the call, what it was about, where the proxy is, and
/// whether the call may have taken effect all the same.
///
/// Cloning is cheap: an error of a call that carried the rows of many callers goes to each of them.
#[derive(Clone)]
pub struct Error {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    call: &'static str,
    subject: Option<String>,
    address: String,
    reason: String,
    may_have_taken_effect: bool,
    is_reply_too_large: bool,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The name of the call in the proxy's interface, e.g. `addSplits`.
    pub fn call(&self) -> &'static str {
        self.inner.call
    }

    /// The table, namespace, user or server that the call was about.
    pub fn subject(&self) -> Option<&str> {
        self.inner.subject.as_deref()
    }

    /// Where the proxy is: `host:port`.
    pub fn address(&self) -> &str {
        &self.inner.address
    }

    /// Why, as far as known: what Accumulo said, or what the connection did.
    pub fn reason(&self) -> &str {
        &self.inner.reason
    }

    /// Checks whether the user lacks a permission for what the call does. Accumulo does not say which one.
    pub fn is_denial(&self) -> bool {
        self.kind() == ErrorKind::Security && self.reason().contains("PERMISSION_DENIED")
    }

    /// Whether the call may have taken effect, in whole or in part, though it failed. False is certain.
    pub fn may_have_taken_effect(&self) -> bool {
        self.inner.may_have_taken_effect
    }

    pub(crate) fn new(
        kind: ErrorKind,
        call: &'static str,
        subject: Option<&str>,
        address: &str,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                kind,
                call,
                subject: subject.map(str::to_owned),
                address: address.to_owned(),
                reason: reason.into(),
                may_have_taken_effect: false,
                is_reply_too_large: false,
            }),
        }
    }

    /// The same error, of a call that may have taken effect.
    pub(crate) fn with_possible_effect(self, is_possible: bool) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.inner);
        inner.may_have_taken_effect = is_possible;
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The same error, whose reason is, or is not, that the reply was too long.
    pub(crate) fn with_reply_too_large(self, is_too_large: bool) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.inner);
        inner.is_reply_too_large = is_too_large;
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Whether the reply was longer than the settings allow: who can ask for less, may.
    pub(crate) fn is_reply_too_large(&self) -> bool {
        self.inner.is_reply_too_large
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.inner;
        write!(f, "{}", inner.call)?;
        if let Some(subject) = &inner.subject {
            write!(f, " of `{}`", subject.escape_debug())?;
        }
        write!(f, " at {}: {}", inner.address, inner.reason)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.inner.kind)
            .field("message", &self.to_string())
            .field("may_have_taken_effect", &self.inner.may_have_taken_effect)
            .finish()
    }
}

impl std::error::Error for Error {}
