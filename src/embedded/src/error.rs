//! Failures inside the directory, and their conversion to the error of the ports.

use std::io;
use std::path::Path;

use fluo_table::{Error, ErrorKind};

/// The reason why an operation inside the directory failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was rejected; the directory is not affected.
    Refused(Error),
    /// The file is no longer at its path, so that writes may be lost.
    Lost(Error),
    /// The storage engine failed.
    Engine(redb::Error),
    /// The file is intact, but this build cannot read it; the text continues a sentence after the
    /// name of the directory.
    Foreign(String),
    /// Stored data is invalid at one place.
    Damaged(String),
    /// The storage engine panicked with this message, as it does on damaged pages.
    Panicked(String),
}

impl Failure {
    pub(crate) fn into_error(self, directory: &Path) -> Error {
        let finding = self.finding();
        let directory = directory.display();
        let damage = |finding: &str| {
            format!("the directory `{directory}` is damaged: {finding}; restore it from a copy")
        };
        match (self, finding) {
            (Self::Refused(error) | Self::Lost(error), _) => error,
            (Self::Foreign(what), _) => {
                Error::new(ErrorKind::Corrupt, format!("the directory `{directory}` {what}"))
            }
            (Self::Engine(error), Some(finding)) => {
                Error::with_source(ErrorKind::Corrupt, damage(&finding), error)
            }
            (Self::Engine(error), None) => engine_error(&directory.to_string(), error),
            (Self::Damaged(what) | Self::Panicked(what), finding) => {
                Error::new(ErrorKind::Corrupt, damage(&finding.unwrap_or(what)))
            }
        }
    }

    /// Returns the description of the damage, or `None` if the failure is not damage.
    pub(crate) fn finding(&self) -> Option<String> {
        match self {
            Self::Damaged(what) => Some(what.clone()),
            Self::Panicked(message) => Some(format!("the storage engine stopped ({message})")),
            Self::Engine(error) => engine_finding(error),
            Self::Refused(_) | Self::Lost(_) | Self::Foreign(_) => None,
        }
    }

    /// Checks whether the failure proves that the directory is damaged, so that it must be marked.
    /// A panic proves nothing: it may have another cause, and only a check can tell.
    pub(crate) fn is_proof(&self) -> bool {
        match self {
            Self::Damaged(_) | Self::Engine(redb::Error::Corrupted(_)) => true,
            Self::Engine(redb::Error::Io(io)) => is_damage(io),
            _ => false,
        }
    }

    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }

    /// Checks whether the directory can no longer be trusted with writes.
    pub(crate) fn is_of_the_storage(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }
}

fn engine_finding(error: &redb::Error) -> Option<String> {
    match error {
        redb::Error::DatabaseAlreadyOpen
        | redb::Error::PreviousIo
        | redb::Error::DatabaseClosed
        | redb::Error::UpgradeRequired(_) => None,
        redb::Error::Io(io) if is_damage(io) => Some(io.to_string()),
        redb::Error::Io(_) => None,
        other => Some(other.to_string()),
    }
}

fn engine_error(directory: &str, error: redb::Error) -> Error {
    let failed = |cause: &dyn std::fmt::Display| {
        (ErrorKind::Storage, format!("the storage of the directory `{directory}` failed: {cause}"))
    };
    let (kind, message) = match &error {
        redb::Error::DatabaseAlreadyOpen => (
            ErrorKind::Unavailable,
            format!(
                "the directory `{directory}` is open in another process or through another handle; close it first"
            ),
        ),
        redb::Error::PreviousIo | redb::Error::DatabaseClosed => (
            ErrorKind::Storage,
            format!(
                "the storage of the directory `{directory}` failed; fix it and open the directory again"
            ),
        ),
        redb::Error::UpgradeRequired(version) => (
            ErrorKind::Corrupt,
            format!(
                "the directory `{directory}` has a file of the storage engine's version {version}, \
                 which this build cannot read"
            ),
        ),
        redb::Error::Io(io) => failed(io),
        other => failed(other),
    };
    Error::with_source(kind, message, error)
}

/// Checks whether an error is damage rather than a failing disk: bytes are missing or invalid.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

macro_rules! from_engine {
    ($($error:ident),*) => {$(
        impl From<redb::$error> for Failure {
            fn from(error: redb::$error) -> Self {
                Self::Engine(error.into())
            }
        }
    )*};
}

from_engine!(StorageError, TableError, TransactionError, CommitError, DatabaseError);

/// Returns the error of an operation that the file system rejected.
pub(crate) fn cannot(what: &str, path: &Path, error: io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        io::ErrorKind::NotADirectory => ErrorKind::Invalid,
        _ => ErrorKind::Storage,
    };
    let message = format!("cannot {what} `{}`: {error}", path.display());
    Error::with_source(kind, message, error)
}
