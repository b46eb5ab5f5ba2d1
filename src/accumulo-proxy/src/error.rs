//! The error type of all calls.

use std::fmt;
use std::sync::Arc;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is not valid: fix it. Nothing was sent.
    Invalid,
    /// The request, or one row of it, is longer than a frame may be: make it smaller. Nothing was
    /// sent.
    TooLarge,
    /// The user, password, shared secret, permission or authorization was rejected:
    /// `AccumuloSecurityException`.
    Security,
    /// The proxy requires other credentials: a shared secret instead of user and password (Accumulo
    /// 2.x), or user and password instead of a shared secret (1.x). The call had no effect.
    OtherCredentials,
    /// The table does not exist, or no longer exists.
    TableNotFound,
    /// The table already exists.
    TableExists,
    /// The namespace does not exist.
    NamespaceNotFound,
    /// The namespace already exists.
    NamespaceExists,
    /// The namespace still has tables.
    NamespaceNotEmpty,
    /// Mutations were rejected: a constraint was violated, or a server could not write them. Some
    /// of them may have been written.
    MutationsRejected,
    /// Accumulo failed: `AccumuloException`.
    Accumulo,
    /// The proxy does not have the scanner or writer, or no longer has it: it drops a handle after
    /// ten idle minutes, and when it is restarted.
    HandleExpired,
    /// The proxy cannot be reached, or the connection broke.
    Unreachable,
    /// No answer arrived within the limit.
    TimedOut,
    /// The server is not a proxy that this client understands.
    Protocol,
}

/// The error of a call: its [kind](ErrorKind), the name of the call, its subject, the address of
/// the proxy, and whether the call may have taken effect despite the error.
///
/// Cloning is cheap: if a call carries the rows of many callers, each of them gets its error.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

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
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the call in the proxy's interface, e.g. `addSplits`.
    pub fn call(&self) -> &'static str {
        self.0.call
    }

    /// Returns the table, namespace, user or server of the call.
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// Returns the address of the proxy: `host:port`.
    pub fn address(&self) -> &str {
        &self.0.address
    }

    /// Returns the cause as far as it is known: the message of Accumulo, or the failure of the
    /// connection.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Checks whether the user lacks a permission for the call. Accumulo does not report which one.
    pub fn is_denial(&self) -> bool {
        self.kind() == ErrorKind::Security && self.reason().contains("PERMISSION_DENIED")
    }

    /// Checks whether the call may have taken effect, in whole or in part, although it failed.
    /// `false` is certain.
    pub fn may_have_taken_effect(&self) -> bool {
        self.0.may_have_taken_effect
    }

    pub(crate) fn new(
        kind: ErrorKind,
        call: &'static str,
        subject: Option<&str>,
        address: &str,
        reason: impl Into<String>,
    ) -> Self {
        Self(Arc::new(Inner {
            kind,
            call,
            subject: subject.map(str::to_owned),
            address: address.to_owned(),
            reason: reason.into(),
            may_have_taken_effect: false,
            is_reply_too_large: false,
        }))
    }

    pub(crate) fn with_possible_effect(mut self, is_possible: bool) -> Self {
        Arc::make_mut(&mut self.0).may_have_taken_effect = is_possible;
        self
    }

    pub(crate) fn with_reply_too_large(mut self, is_too_large: bool) -> Self {
        Arc::make_mut(&mut self.0).is_reply_too_large = is_too_large;
        self
    }

    /// Checks whether a scan can be opened again after this error.
    pub(crate) fn is_break(&self) -> bool {
        matches!(self.kind(), ErrorKind::Unreachable | ErrorKind::HandleExpired)
    }

    /// Checks whether the reply was longer than the settings allow, so that a smaller request may
    /// succeed.
    pub(crate) fn is_reply_too_large(&self) -> bool {
        self.0.is_reply_too_large
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
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
            .field("kind", &self.0.kind)
            .field("message", &self.to_string())
            .field("may_have_taken_effect", &self.0.may_have_taken_effect)
            .finish()
    }
}

impl std::error::Error for Error {}
