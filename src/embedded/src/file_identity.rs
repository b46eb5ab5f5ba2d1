//! The identity of a file, which another file at the same path does not have.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

/// The identity of a file while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    number: u64,
}

impl FileIdentity {
    #[cfg(unix)]
    pub(crate) fn from_metadata(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        Self { device: found.dev(), number: found.ino() }
    }

    /// Returns one identity for all files: on other systems an open file cannot be replaced.
    #[cfg(not(unix))]
    pub(crate) fn from_metadata(_: &Metadata) -> Self {
        Self { device: 0, number: 0 }
    }

    /// Checks whether this is the file at a path.
    pub(crate) fn is_at(self, path: &Path) -> io::Result<bool> {
        match fs::metadata(path) {
            Ok(found) => Ok(Self::from_metadata(&found) == self),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
