//! Failures inside the directory, and their conversion to the error of the ports.

use std::io;
use std::path::Path;

use fluo_table::{Error, ErrorKind};

/// The reason why an operation inside the directory failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was rejected; the directory is not affected.
    Refused(Error),
    /// The files are no longer at their path, so that writes may be lost.
    Lost(Error),
    /// The file system failed.
    Io(io::Error),
    /// Another process has the files of the storage engine open.
    InUse,
    /// The storage engine has stopped after an earlier failure.
    Stopped,
    /// The files are intact, but this build cannot read them; the text continues a sentence after
    /// the name of the directory.
    Foreign(String),
    /// The files have none of the records of this crate.
    WithoutFormat,
    /// Stored data is missing or invalid at one place.
    Damaged(String),
    /// The storage engine panicked with this message, as it may do on damaged files.
    Panicked(String),
}

impl Failure {
    pub(crate) fn into_error(self, directory: &Path) -> Error {
        let finding = self.finding();
        let directory = directory.display();
        let text =
            |kind, what: &str| Error::new(kind, format!("the directory `{directory}` {what}"));
        match self {
            Self::Refused(error) | Self::Lost(error) => error,
            Self::Io(error) => {
                let message = format!("the storage of the directory `{directory}` failed: {error}");
                Error::with_source(ErrorKind::Storage, message, error)
            }
            Self::InUse => text(
                ErrorKind::Unavailable,
                "is open in another process or through another handle; close it first",
            ),
            Self::Stopped => Error::new(
                ErrorKind::Storage,
                format!(
                    "the storage of the directory `{directory}` failed; fix it and open the directory again"
                ),
            ),
            Self::Foreign(what) => text(ErrorKind::Corrupt, &what),
            Self::WithoutFormat => text(
                ErrorKind::Corrupt,
                "contains files of another program: they have no format version; choose another directory",
            ),
            Self::Damaged(what) | Self::Panicked(what) => {
                let finding = finding.unwrap_or(what);
                let what = format!("is damaged: {finding}; restore it from a copy");
                text(ErrorKind::Corrupt, &what)
            }
        }
    }

    /// Returns the description of the damage, or `None` if the failure is not damage.
    pub(crate) fn finding(&self) -> Option<String> {
        match self {
            Self::Damaged(what) => Some(what.clone()),
            Self::Panicked(message) => Some(format!("the storage engine stopped ({message})")),
            _ => None,
        }
    }

    /// Checks whether the failure proves that the directory is damaged, so that it must be marked.
    /// A panic proves nothing: it may have another cause, and only a check can tell.
    pub(crate) fn is_proof(&self) -> bool {
        matches!(self, Self::Damaged(_))
    }

    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }

    /// Checks whether the directory can no longer be trusted with writes.
    pub(crate) fn is_of_the_storage(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Returns the error of an operation that the file system rejected.
pub(crate) fn cannot(what: &str, path: &Path, error: io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput => ErrorKind::Invalid,
        _ => ErrorKind::Storage,
    };
    let message = format!("cannot {what} `{}`: {error}", path.display());
    Error::with_source(kind, message, error)
}
