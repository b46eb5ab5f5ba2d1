//! From the storage engine's errors to the error of the ports.

use std::io;
use std::path::Path;

use fluo_core::{Error, ErrorKind};

/// Why something inside the directory did not work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was refused; nothing is wrong with the directory.
    Refused(Error),
    /// The storage engine failed.
    Engine(redb::Error),
    /// The file is whole, and not one that this build reads; the text goes on after the directory's name.
    Foreign(String),
    /// What is stored makes no sense at one place.
    Damaged(String),
    /// The storage engine stopped in the middle, which it does on damaged pages.
    Stopped(String),
    /// Something else stopped in the middle.
    Bug {
        /// Where, and with which message.
        what: String,
        /// Whether something that it had begun may not have been undone.
        leaves_doubt: bool,
    },
}

impl Failure {
    /// Returns the error for a caller.
    pub(crate) fn into_error(self, directory: &Path) -> Error {
        let finding = self.finding();
        let directory = directory.display();
        let damage = |finding: &str| {
            format!("the directory `{directory}` is damaged: {finding}; restore it from a copy")
        };
        match (self, finding) {
            (Self::Refused(error), _) => error,
            (Self::Foreign(what), _) => Error::new(
                ErrorKind::Corrupt,
                format!("the directory `{directory}` {what}"),
            ),
            (Self::Bug { what, .. }, _) => Error::new(
                ErrorKind::Storage,
                format!("a bug in this build, at {what}"),
            ),
            (Self::Engine(error), Some(finding)) => {
                Error::with_source(ErrorKind::Corrupt, damage(&finding), error)
            }
            (Self::Engine(error), None) => engine_error(&directory.to_string(), error),
            (Self::Damaged(what) | Self::Stopped(what), finding) => {
                Error::new(ErrorKind::Corrupt, damage(&finding.unwrap_or(what)))
            }
        }
    }

    /// Returns what is damaged, or `None` if the failure is not damage.
    pub(crate) fn finding(&self) -> Option<String> {
        match self {
            Self::Damaged(what) => Some(what.clone()),
            Self::Stopped(message) => Some(format!("the storage engine stopped ({message})")),
            Self::Engine(error) => engine_finding(error),
            Self::Refused(_) | Self::Foreign(_) | Self::Bug { .. } => None,
        }
    }

    /// Checks whether the failure proves that the directory is damaged, so that it is marked for good. Misuse of the engine,
    /// and a lock that an earlier panic poisoned, stop it too, and are gone when the directory is opened again.
    pub(crate) fn is_proof(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Stopped(message) => !message.contains("PoisonError"),
            Self::Engine(redb::Error::Io(io)) => is_damage(io),
            Self::Engine(error) => matches!(error, redb::Error::Corrupted(_)),
            Self::Refused(_) | Self::Foreign(_) | Self::Bug { .. } => false,
        }
    }

    /// Returns the failure of a place where what is stored makes no sense.
    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }

    /// Whether the directory can no longer be trusted with a write.
    pub(crate) fn is_of_the_storage(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Bug { leaves_doubt, .. } => *leaves_doubt,
            Self::Engine(_) | Self::Foreign(_) | Self::Damaged(_) | Self::Stopped(_) => true,
        }
    }

    /// The same, where what had been begun was not undone.
    pub(crate) fn leaving_doubt(self) -> Self {
        match self {
            Self::Bug { what, .. } => Self::Bug {
                what,
                leaves_doubt: true,
            },
            other => other,
        }
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

/// Returns the error of a failure that is not damage.
fn engine_error(directory: &str, error: redb::Error) -> Error {
    let (kind, message) = match &error {
        redb::Error::DatabaseAlreadyOpen => (
            ErrorKind::Unavailable,
            format!(
                "the directory `{directory}` is open in another process or through another handle; wait until it is \
                 closed"
            ),
        ),
        redb::Error::PreviousIo | redb::Error::DatabaseClosed => (
            ErrorKind::Storage,
            format!(
                "the directory `{directory}` is out of use since its storage failed; repair the storage and open the \
                 directory again"
            ),
        ),
        redb::Error::UpgradeRequired(version) => (
            ErrorKind::Corrupt,
            format!(
                "the directory `{directory}` has a file of the storage engine's version {version}, which \
                 this build does not read"
            ),
        ),
        redb::Error::Io(io) => (
            ErrorKind::Storage,
            format!("the storage of the directory `{directory}` failed: {io}"),
        ),
        other => (
            ErrorKind::Storage,
            format!("the storage of the directory `{directory}` failed: {other}"),
        ),
    };
    Error::with_source(kind, message, error)
}

/// Bytes that are missing or make no sense are damage, not a failing disk.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
    )
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

from_engine!(
    StorageError,
    TableError,
    TransactionError,
    CommitError,
    DatabaseError
);
