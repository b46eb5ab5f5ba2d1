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
    /// What is stored is not what this crate writes; the text goes on after the directory's name.
    Unreadable(String),
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
    /// The error for a caller.
    pub(crate) fn into_error(self, directory: &Path) -> Error {
        let directory = directory.display();
        match self {
            Self::Refused(error) => error,
            Self::Unreadable(what) => Error::new(
                ErrorKind::Corrupt,
                format!("the directory `{directory}` {what}"),
            ),
            Self::Stopped(message) => Error::new(
                ErrorKind::Corrupt,
                format!(
                    "the directory `{directory}` is damaged: the storage engine stopped ({message}); \
                     restore it from a copy"
                ),
            ),
            Self::Bug { what, .. } => Error::new(
                ErrorKind::Storage,
                format!("a bug in this build, at {what}"),
            ),
            Self::Engine(error) => engine_error(&directory.to_string(), error),
        }
    }

    /// What is stored makes no sense at one place.
    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Unreadable(format!("is damaged: {what}; restore it from a copy"))
    }

    /// Whether the directory can no longer be trusted with a write.
    pub(crate) fn is_of_the_storage(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Bug { leaves_doubt, .. } => *leaves_doubt,
            Self::Engine(_) | Self::Unreadable(_) | Self::Stopped(_) => true,
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

fn engine_error(directory: &str, error: redb::Error) -> Error {
    let (kind, message) = match &error {
        redb::Error::DatabaseAlreadyOpen => (
            ErrorKind::Unavailable,
            format!("the directory `{directory}` is held by another process or handle"),
        ),
        redb::Error::PreviousIo | redb::Error::DatabaseClosed => (
            ErrorKind::Storage,
            format!(
                "the directory `{directory}` is out of use since its storage failed; mend the storage and \
                 open the directory again"
            ),
        ),
        redb::Error::Io(io) if is_damage(io) => (
            ErrorKind::Corrupt,
            format!("the directory `{directory}` is damaged: {io}; restore it from a copy"),
        ),
        redb::Error::Io(io) => (
            ErrorKind::Storage,
            format!("the storage of the directory `{directory}` failed: {io}"),
        ),
        redb::Error::UpgradeRequired(version) => (
            ErrorKind::Corrupt,
            format!(
                "the directory `{directory}` has a file of the storage engine's version {version}, which \
                 this build does not read"
            ),
        ),
        other => (
            ErrorKind::Corrupt,
            format!("the directory `{directory}` is damaged: {other}; restore it from a copy"),
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
