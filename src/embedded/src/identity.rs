//! The identity of a file, which another file at the same path does not have.

use std::fs::Metadata;
use std::io;

/// The identity of a file while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    number: u64,
}

impl FileIdentity {
    #[cfg(unix)]
    pub(crate) fn new(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        Self {
            device: found.dev(),
            number: found.ino(),
        }
    }

    /// Elsewhere an open file is not removed, so all files count as one.
    #[cfg(not(unix))]
    pub(crate) fn new(_: &Metadata) -> Self {
        Self {
            device: 0,
            number: 0,
        }
    }

    /// Checks whether this is the file at a path, if its metadata are `found`.
    pub(crate) fn is_at(self, found: io::Result<Metadata>) -> bool {
        found.is_ok_and(|found| Self::new(&found) == self)
    }
}
