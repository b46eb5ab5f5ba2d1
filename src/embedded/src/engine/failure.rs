//! The failures of the engine in the terms of this crate.

use std::io;

use fjall::LsmError;

use crate::error::Failure;

/// The file that the engine writes last when it creates its directory.
pub(super) const LAST_FILE: &str = "version";

impl From<fjall::Error> for Failure {
    fn from(error: fjall::Error) -> Self {
        match error {
            // Damaged bytes of a table name a place before the beginning of a file, which only the
            // system can reject. A path that is impossible is no damage, nor is a log that the file
            // system cannot sync.
            fjall::Error::Storage(LsmError::Io(error))
                if error.kind() == io::ErrorKind::InvalidInput
                    && error.raw_os_error().is_some() =>
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Seek, SeekFrom};

    use super::*;

    /// Covers a bug: an impossible path, and a log that could not be synced, were damage of a file.
    #[test]
    fn an_invalid_argument_is_damage_only_as_a_place_in_a_table() {
        let of_path = || File::open("a\0b").unwrap_err();
        let of_place = || tempfile::tempfile().unwrap().seek(SeekFrom::Start(1 << 63)).unwrap_err();
        for (error, is_damage) in [
            (fjall::Error::Storage(LsmError::Io(of_place())), true),
            (fjall::Error::Storage(LsmError::Io(of_path())), false),
            (fjall::Error::Io(of_place()), false),
            (fjall::Error::Io(of_path()), false),
        ] {
            let failure = Failure::from(error);
            assert_eq!(failure.is_proof(), is_damage, "{failure:?}");
            assert_eq!(matches!(failure, Failure::Io(_)), !is_damage, "{failure:?}");
        }
    }
}
