//! The file under the storage engine. While it is being opened, nothing is written to it: the
//! engine marks the file as open, and repairs it after a crash, but these writes are kept in memory
//! until [`release`](FileState::release) is called. A file that is damaged or of another format
//! stays unchanged.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// The file, as used by the storage engine.
#[derive(Debug)]
pub(crate) struct TableFile(Arc<FileState>);

/// The state of the file, shared with the directory beside the engine.
#[derive(Debug)]
pub(crate) struct FileState {
    file: FileBackend,
    /// True if the file was opened for reading only: its locks are shared, and held writes are
    /// never released.
    is_read_only: bool,
    /// True while operations are kept in memory.
    is_holding: AtomicBool,
    kept: Mutex<Vec<Operation>>,
}

#[derive(Debug)]
enum Operation {
    Write(u64, Vec<u8>),
    SetLength(u64),
    Sync,
}

impl TableFile {
    /// Wraps a file and holds its writes, and returns the state that releases them. Writes to a
    /// file that was opened for reading only stay in memory.
    pub(crate) fn new(
        file: File,
        is_read_only: bool,
    ) -> Result<(Self, Arc<FileState>), DatabaseError> {
        let state = Arc::new(FileState {
            file: FileBackend::new(file)?,
            is_read_only,
            is_holding: AtomicBool::new(true),
            kept: Mutex::default(),
        });
        Ok((Self(state.clone()), state))
    }
}

impl FileState {
    /// Writes the held operations in their order, and stops holding writes.
    pub(crate) fn release(&self) -> io::Result<()> {
        for operation in std::mem::take(&mut *self.kept()) {
            match operation {
                Operation::Write(offset, bytes) => self.file.write(offset, &bytes)?,
                Operation::SetLength(length) => self.file.set_len(length)?,
                Operation::Sync => self.file.sync_data()?,
            }
        }
        self.is_holding.store(false, Ordering::Release);
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Operation>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an operation; returns false if operations are not held any more.
    fn keep(&self, operation: impl FnOnce() -> Operation) -> bool {
        let is_holding = self.is_holding.load(Ordering::Acquire);
        if is_holding {
            self.kept().push(operation());
        }
        is_holding
    }

    fn length(&self) -> io::Result<u64> {
        let kept = self.kept();
        let mut lengths = kept.iter().rev().filter_map(|operation| match operation {
            Operation::SetLength(length) => Some(*length),
            _ => None,
        });
        lengths.next().map_or_else(|| self.file.len(), Ok)
    }

    /// Reads the bytes that the file would contain here if all kept operations had been applied.
    fn read_with_kept(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let stored = distance(offset, self.file.len()?).min(into.len());
        let (stored, beyond) = into.split_at_mut(stored);
        self.file.read(offset, stored)?;
        beyond.fill(0);
        for operation in &*self.kept() {
            match operation {
                Operation::Write(at, bytes) => overlay(offset, into, *at, bytes),
                Operation::SetLength(length) => {
                    let beyond = into.get_mut(distance(offset, *length)..);
                    beyond.unwrap_or_default().fill(0);
                }
                Operation::Sync => {}
            }
        }
        Ok(())
    }
}

/// Copies the part of `bytes`, which are at position `at`, that belongs into `into`, which is at
/// position `offset`.
fn overlay(offset: u64, into: &mut [u8], at: u64, bytes: &[u8]) {
    let target = into.get_mut(distance(offset, at)..).unwrap_or_default();
    let source = bytes.get(distance(at, offset)..).unwrap_or_default();
    for (to, from) in target.iter_mut().zip(source) {
        *to = *from;
    }
}

fn distance(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}

impl StorageBackend for TableFile {
    fn len(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if self.0.is_holding.load(Ordering::Acquire) {
            return self.0.read_with_kept(offset, out);
        }
        self.0.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if self.0.keep(|| Operation::SetLength(len)) {
            return Ok(());
        }
        self.0.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.0.keep(|| Operation::Sync) {
            return Ok(());
        }
        self.0.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.0.keep(|| Operation::Write(offset, data.to_vec())) {
            return Ok(());
        }
        self.0.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.0.is_read_only {
            return self.0.file.try_lock_shared_range(start, end);
        }
        self.0.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.0.is_read_only {
            return self.0.file.lock_shared_range(start, end);
        }
        self.0.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn held_writes_are_read_back_and_are_not_in_the_file() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        fs::write(&path, "12345678").unwrap();
        let opened = File::options().read(true).write(true).open(&path).unwrap();
        let (file, state) = TableFile::new(opened, false).unwrap();
        let read = |offset, length| {
            let mut bytes = vec![b'.'; length];
            file.read(offset, &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        file.set_len(12).unwrap();
        file.write(6, b"abcd").unwrap();
        file.write(0, b"HE").unwrap();
        file.sync_data().unwrap();
        assert_eq!(file.len().unwrap(), 12);
        assert_eq!(read(0, 12), "HE3456abcd\0\0");
        assert_eq!(read(7, 3), "bcd");
        assert_eq!(fs::read(&path).unwrap(), b"12345678");
        state.release().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"HE3456abcd\0\0");
        assert_eq!(read(0, 12), "HE3456abcd\0\0");
    }
}
