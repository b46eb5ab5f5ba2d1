//! The file under the storage engine, with two additional guarantees:
//!
//! - **The header is written last.** The engine's header names the current pages, so a commit takes
//!   effect when the header is written, and not before. The engine does not define the order of the
//!   writes of one commit; here the header is delayed until everything else of the commit was
//!   written. So a commit that fails before its header (on a full disk, for example) is known to
//!   have had no effect, and only a commit that fails at the header or later is in doubt.
//! - **Nothing is written before the file was recognised.** While a file is being opened, writes
//!   (the engine marks the file as open, and repairs it after a crash) are kept in memory. They are
//!   written to the file when [`release`](FileState::release) is called. A file that is damaged or
//!   of another format stays unchanged.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};

/// The position of the header in the file.
const HEADER_OFFSET: u64 = 0;

/// The file, as used by the storage engine.
#[derive(Debug)]
pub(crate) struct TableFile(Arc<FileState>);

/// The state of the file, shared with the directory beside the engine.
#[derive(Debug)]
pub(crate) struct FileState {
    file: Box<dyn StorageBackend>,
    /// True if the file was opened for reading only: its locks are shared, and held writes are
    /// never released.
    is_read_only: bool,
    /// True while writes are kept in memory, in `kept`.
    is_holding: AtomicBool,
    kept: Mutex<Kept>,
    /// True if the header may have been written since the last commit began.
    header_was_written: AtomicBool,
}

#[derive(Debug, Default)]
struct Kept {
    operations: Vec<Operation>,
    header: Option<Vec<u8>>,
}

#[derive(Debug)]
enum Operation {
    Write(u64, Vec<u8>),
    SetLength(u64),
    Sync,
}

impl TableFile {
    /// Wraps a file and holds its writes, and returns the state that releases them.
    pub(crate) fn holding(file: File) -> Result<(Self, Arc<FileState>), DatabaseError> {
        Ok(Self::over(Box::new(FileBackend::new(file)?), false))
    }

    /// Wraps a file that was opened for reading only. Writes to it stay in memory.
    pub(crate) fn read_only(file: File) -> Result<(Self, Arc<FileState>), DatabaseError> {
        Ok(Self::over(Box::new(FileBackend::new(file)?), true))
    }

    fn over(file: Box<dyn StorageBackend>, is_read_only: bool) -> (Self, Arc<FileState>) {
        let state = Arc::new(FileState {
            file,
            is_read_only,
            is_holding: AtomicBool::new(true),
            kept: Mutex::default(),
            header_was_written: AtomicBool::new(false),
        });
        (Self(state.clone()), state)
    }
}

impl FileState {
    /// Writes the held operations in their order, and stops holding writes.
    pub(crate) fn release(&self) -> io::Result<()> {
        let mut kept = self.kept();
        let operations = std::mem::take(&mut kept.operations);
        for operation in operations {
            match operation {
                Operation::Write(offset, bytes) => self.write_through(&mut kept, offset, &bytes)?,
                Operation::SetLength(length) => self.file.set_len(length)?,
                Operation::Sync => self.sync_through(&mut kept)?,
            }
        }
        self.is_holding.store(false, Ordering::Release);
        Ok(())
    }

    /// Marks the beginning of a commit.
    pub(crate) fn begin_commit(&self) {
        self.header_was_written.store(false, Ordering::Release);
    }

    /// Checks whether a failed commit may have taken effect.
    pub(crate) fn may_have_committed(&self) -> bool {
        self.header_was_written.load(Ordering::Acquire)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_holding(&self) -> bool {
        self.is_holding.load(Ordering::Acquire)
    }

    fn write_through(&self, kept: &mut Kept, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if offset == HEADER_OFFSET {
            kept.header = Some(bytes.to_vec());
            return Ok(());
        }
        self.file.write(offset, bytes)
    }

    fn sync_through(&self, kept: &mut Kept) -> io::Result<()> {
        if let Some(header) = kept.header.take() {
            self.header_was_written.store(true, Ordering::Release);
            self.file.write(HEADER_OFFSET, &header)?;
        }
        self.file.sync_data()
    }

    fn length(&self) -> io::Result<u64> {
        if self.is_holding() {
            let kept = self.kept();
            let lengths = kept
                .operations
                .iter()
                .rev()
                .find_map(|operation| match operation {
                    Operation::SetLength(length) => Some(*length),
                    _ => None,
                });
            if let Some(length) = lengths {
                return Ok(length);
            }
        }
        self.file.len()
    }

    /// Reads the bytes that the file would contain here if all kept operations had been written.
    fn read_with_kept(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let kept = self.kept();
        self.read_zero_filled(offset, into)?;
        for operation in &kept.operations {
            match operation {
                Operation::Write(at, bytes) => overlay(offset, into, *at, bytes),
                Operation::SetLength(length) => zero_from(offset, into, *length),
                Operation::Sync => {}
            }
        }
        if let Some(header) = &kept.header {
            overlay(offset, into, HEADER_OFFSET, header);
        }
        Ok(())
    }

    /// Reads bytes, with zeros beyond the end of the file if the file was extended in memory.
    fn read_zero_filled(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let is_longer_in_memory = self.is_holding();
        let present =
            usize::try_from(self.file.len()?.saturating_sub(offset)).unwrap_or(usize::MAX);
        match into.split_at_mut_checked(present) {
            Some((stored, beyond)) if is_longer_in_memory => {
                beyond.fill(0);
                self.file.read(offset, stored)
            }
            _ => self.file.read(offset, into),
        }
    }
}

/// Copies the part of `bytes`, which are at position `at`, that lies in `into`, which is at
/// position `offset`.
fn overlay(offset: u64, into: &mut [u8], at: u64, bytes: &[u8]) {
    let distance =
        |far: u64, near: u64| usize::try_from(far.saturating_sub(near)).unwrap_or(usize::MAX);
    let target = into.get_mut(distance(at, offset)..).unwrap_or_default();
    let source = bytes.get(distance(offset, at)..).unwrap_or_default();
    for (to, from) in target.iter_mut().zip(source) {
        *to = *from;
    }
}

fn zero_from(offset: u64, into: &mut [u8], length: u64) {
    let kept = usize::try_from(length.saturating_sub(offset)).unwrap_or(usize::MAX);
    if let Some(beyond) = into.get_mut(kept..) {
        beyond.fill(0);
    }
}

impl StorageBackend for TableFile {
    fn len(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset == HEADER_OFFSET || self.0.is_holding() {
            return self.0.read_with_kept(offset, out);
        }
        self.0.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if self.0.is_holding() {
            self.0.kept().operations.push(Operation::SetLength(len));
            return Ok(());
        }
        self.0.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut kept = self.0.kept();
        if self.0.is_holding() {
            kept.operations.push(Operation::Sync);
            return Ok(());
        }
        self.0.sync_through(&mut kept)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.0.is_holding() {
            let operation = Operation::Write(offset, data.to_vec());
            self.0.kept().operations.push(operation);
            return Ok(());
        }
        if offset == HEADER_OFFSET {
            return self.0.write_through(&mut self.0.kept(), offset, data);
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
    use std::sync::atomic::AtomicUsize;

    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableDatabase, ReadableTableMetadata, TableDefinition};

    use super::*;

    const ROWS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("rows");

    /// A disk that performs a number of writes, syncs and changes of length, and then fails.
    #[derive(Debug)]
    struct Disk {
        memory: InMemoryBackend,
        left: AtomicUsize,
    }

    impl Disk {
        fn use_up(&self) -> io::Result<()> {
            let left = self.left.load(Ordering::Relaxed);
            self.left.store(left.saturating_sub(1), Ordering::Relaxed);
            if left == 0 {
                Err(io::Error::other("the disk failed"))
            } else {
                Ok(())
            }
        }

        /// Returns the content that the next process would find.
        fn copy(&self) -> InMemoryBackend {
            let mut bytes = vec![0; usize::try_from(self.memory.len().unwrap()).unwrap()];
            self.memory.read(0, &mut bytes).unwrap();
            let copy = InMemoryBackend::new();
            copy.set_len(self.memory.len().unwrap()).unwrap();
            copy.write(0, &bytes).unwrap();
            copy
        }
    }

    #[derive(Debug)]
    struct Handle(Arc<Disk>);

    impl StorageBackend for Handle {
        fn len(&self) -> io::Result<u64> {
            self.0.memory.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.memory.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.0.use_up()?;
            self.0.memory.set_len(len)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.0.use_up()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.use_up()?;
            self.0.memory.write(offset, data)
        }
    }

    fn engine_on(disk: &Arc<Disk>) -> (Database, Arc<FileState>) {
        let (file, state) = TableFile::over(Box::new(Handle(disk.clone())), false);
        state.release().unwrap();
        (
            Database::builder().create_with_backend(file).unwrap(),
            state,
        )
    }

    fn insert(engine: &Database, state: &FileState, number: u64) -> Result<(), redb::Error> {
        let transaction = engine.begin_write()?;
        transaction
            .open_table(ROWS)?
            .insert(number, [7; 9_000].as_slice())?;
        state.begin_commit();
        Ok(transaction.commit()?)
    }

    fn rows_on(disk: &Disk) -> u64 {
        let engine = Database::builder()
            .create_with_backend(disk.copy())
            .unwrap();
        let rows = engine.begin_read().unwrap().open_table(ROWS).unwrap();
        rows.len().unwrap()
    }

    #[test]
    fn a_commit_that_fails_before_its_header_is_not_in_the_file() {
        let (mut certain, mut in_doubt) = (0, 0);
        for operations in 0..400 {
            let disk = Arc::new(Disk {
                memory: InMemoryBackend::new(),
                left: AtomicUsize::new(usize::MAX),
            });
            let (engine, state) = engine_on(&disk);
            insert(&engine, &state, 0).unwrap();
            disk.left.store(operations, Ordering::Relaxed);
            let mut acknowledged = 1;
            let failed = (1..).find(|&number| match insert(&engine, &state, number) {
                Ok(()) => {
                    acknowledged += 1;
                    false
                }
                Err(_) => true,
            });
            assert_eq!(failed, Some(acknowledged));
            drop(engine);
            let found = rows_on(&disk);
            if state.may_have_committed() {
                in_doubt += 1;
                assert!(found == acknowledged || found == acknowledged + 1);
            } else {
                certain += 1;
                assert_eq!(found, acknowledged, "after {operations} operations");
            }
        }
        assert!(certain > 50 && in_doubt > 50, "{certain} {in_doubt}");
    }

    #[test]
    fn held_writes_are_read_back_and_are_not_in_the_file() {
        let disk = Arc::new(Disk {
            memory: InMemoryBackend::new(),
            left: AtomicUsize::new(usize::MAX),
        });
        disk.memory.set_len(8).unwrap();
        disk.memory.write(0, b"12345678").unwrap();
        let (file, state) = TableFile::over(Box::new(Handle(disk.clone())), false);
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
        assert_eq!(
            (read(0, 12), read(7, 3)),
            ("HE3456abcd\0\0".to_owned(), "bcd".to_owned())
        );
        assert_eq!(disk.memory.len().unwrap(), 8);
        state.release().unwrap();
        assert_eq!(disk.memory.len().unwrap(), 12);
        assert_eq!(read(0, 12), "HE3456abcd\0\0");
    }
}
