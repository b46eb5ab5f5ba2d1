//! The number of the last commit, beside the files of the storage engine: `fluo.commits`.
//!
//! ```text
//! number    8 bytes, big-endian
//! check     8 bytes: the number with all bits inverted
//! ```
//!
//! The engine drops the end of its log silently from the first place on that it cannot read, as a
//! crash may leave it. So each commit stores its number with its changes, and this file has the
//! number of the last commit that was acknowledged: if the engine has only lower ones, it has lost
//! acknowledged writes. The file is written after the engine has synced the commit, and is not
//! synced itself, so it is never ahead of the engine. It is synced before the engine is opened:
//! from then on the number may be the only proof of a commit that the engine drops.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::durable_paths::sync_directory;
use crate::error::{Failure, cannot};
use crate::lock::open_regular;

pub(crate) const COMMITS_FILE: &str = "fluo.commits";

#[derive(Debug)]
pub(crate) struct Commits {
    file: File,
    /// The number of the last commit. Only the writer changes it.
    last: AtomicU64,
}

impl Commits {
    /// Creates the file of a new directory, durably.
    pub(crate) fn create(directory: &Path) -> io::Result<()> {
        let mut file = File::create(directory.join(COMMITS_FILE))?;
        file.write_all(&record(0))?;
        file.sync_all()
    }

    /// Removes the file of an unfinished directory, durably.
    pub(crate) fn remove(directory: &Path) -> io::Result<()> {
        match fs::remove_file(directory.join(COMMITS_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => sync_directory(directory),
        }
    }

    /// Opens the file, and syncs it.
    pub(crate) fn open(directory: &Path) -> Result<Self, Failure> {
        let path = directory.join(COMMITS_FILE);
        let mut file = match open_regular(&path, false)? {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failure::damaged(format_args!("its `{COMMITS_FILE}` is missing")));
            }
            file => file.map_err(|error| cannot("open", &path, error))?,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot("read", &path, error))?;
        file.sync_all().map_err(|error| cannot("sync", &path, error))?;
        let number = bytes.first_chunk().map(|number| u64::from_be_bytes(*number));
        match number.filter(|number| bytes == record(*number)) {
            None => Err(Failure::damaged(format_args!("its `{COMMITS_FILE}` cannot be read"))),
            Some(last) => Ok(Self { file, last: AtomicU64::new(last) }),
        }
    }

    /// Takes over the number of the engine's last commit. Fails if a later one was acknowledged.
    pub(crate) fn with_last(self, last: u64) -> Result<Self, Failure> {
        match self.last.into_inner() {
            acknowledged if acknowledged > last => Err(Failure::damaged(format_args!(
                "its last commit is {last}, but {acknowledged} was acknowledged"
            ))),
            _ => Ok(Self { file: self.file, last: AtomicU64::new(last) }),
        }
    }

    /// Returns the number of the next commit.
    pub(crate) fn next(&self) -> u64 {
        self.last.load(Ordering::Relaxed).saturating_add(1)
    }

    /// Records that the next commit is durable.
    pub(crate) fn record_next(&self) -> io::Result<()> {
        let next = self.next();
        self.last.store(next, Ordering::Relaxed);
        let mut file = &self.file;
        file.rewind()?;
        file.write_all(&record(next))
    }
}

fn record(number: u64) -> [u8; 16] {
    let mut record = [0; 16];
    let (first, check) = record.split_at_mut(8);
    first.copy_from_slice(&number.to_be_bytes());
    check.copy_from_slice(&(!number).to_be_bytes());
    record
}
