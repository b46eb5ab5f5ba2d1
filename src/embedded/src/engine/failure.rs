//! The failures of the engine in the terms of this crate.

use std::io;

use fjall::LsmError;

use crate::error::Failure;

/// The file that the engine writes last when it creates its directory.
pub(super) const LAST_FILE: &str = "version";

impl From<fjall::Error> for Failure {
    fn from(error: fjall::Error) -> Self {
        match error {
            // Damaged bytes name a place before the beginning of a file.
            fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error))
                if error.kind() == io::ErrorKind::InvalidInput =>
            {
                Self::damaged("a file refers to a place that it does not have")
            }
            fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => error.into(),
            fjall::Error::Locked => Self::InUse,
            fjall::Error::Poisoned | fjall::Error::KeyspaceDeleted => Self::Stopped,
            fjall::Error::InvalidVersion(Some(version)) => Self::Foreign(format!(
                "has files of version {version} of the storage engine, which this build cannot read"
            )),
            fjall::Error::InvalidVersion(None) => {
                Self::damaged(format_args!("its file `{LAST_FILE}` cannot be read"))
            }
            fjall::Error::JournalRecovery(_) => {
                Self::damaged("the log of the last writes is damaged")
            }
            fjall::Error::Storage(LsmError::ChecksumMismatch { .. }) => {
                Self::damaged("a block does not have its checksum")
            }
            fjall::Error::Unrecoverable | fjall::Error::Storage(LsmError::Unrecoverable) => {
                Self::damaged("files of the tables are missing or cannot be read")
            }
            _ => Self::damaged("a block cannot be read"),
        }
    }
}

impl From<io::Error> for Failure {
    /// Missing or invalid bytes are damage; other errors are those of a failing disk.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged("a file ends too early"),
            io::ErrorKind::InvalidData | io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists => {
                Self::damaged(error)
            }
            _ => Self::Io(error),
        }
    }
}
