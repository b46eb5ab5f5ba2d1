//! The lock on a directory, and the note in its file about the process that has it.
//!
//! The note is for people: `<process id> <program>`, and on a second line the address at which the
//! program answers over HTTP, if it has one. Only the lock decides. The note is written
//! after the lock was taken and removed before it is released, so a note without a lock is left
//! over from a process that was killed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::net::SocketAddr;
use std::path::Path;

use fluo_table::{Error, ErrorKind, Result};

use crate::error::cannot;

pub(crate) const LOCK_FILE: &str = "fluo.lock";
/// Longest name of a program in a note, in characters.
const MAX_PROGRAM: usize = 100;
/// Maximum number of bytes of a note that are read.
const MAX_NOTE: u64 = 500;

/// The lock of the only user of a directory, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock, and creates its file if it is missing.
    pub(crate) fn exclusive(
        directory: &Path,
        program: &str,
        http: Option<SocketAddr>,
    ) -> Result<Self> {
        let path = directory.join(LOCK_FILE);
        let file = open_regular(&path, true)?.map_err(|error| cannot("open", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("the directory `{}` {}", directory.display(), held(&file));
                return Err(Error::new(ErrorKind::Unavailable, message));
            }
            Err(TryLockError::Error(error)) => return Err(cannot("lock", &path, error)),
        }
        // A note that cannot be written, as on a full disk, is only missing in a message.
        let _ = write_note(&file, program, http);
        Ok(Self(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
        // Closing the file is not enough: a process that another thread has just forked still has
        // the file open until it executes its program.
        let _ = self.0.unlock();
    }
}

/// Returns who has the lock, and what to do about it.
fn held(file: &File) -> String {
    match read_note(file) {
        Some((id, program)) if id == std::process::id() => {
            format!(
                "is open through another handle of process {id} ({program}); close that handle first"
            )
        }
        Some((id, program)) => {
            format!("is open in process {id} ({program}); wait until it ends, or stop it")
        }
        None => "is open in another process or through another handle; close it first".to_owned(),
    }
}

fn write_note(mut file: &File, program: &str, http: Option<SocketAddr>) -> io::Result<()> {
    file.set_len(0)?;
    let program = program.chars().filter(|c| !c.is_control());
    let program: String = program.take(MAX_PROGRAM).collect();
    let http = http.map(|address| format!("http://{address}\n")).unwrap_or_default();
    file.write_all(format!("{} {program}\n{http}", std::process::id()).as_bytes())
}

/// Returns the process id of a note, and its program in backticks with its address.
fn read_note(mut file: &File) -> Option<(u32, String)> {
    let mut note = Vec::new();
    file.rewind().ok()?;
    file.take(MAX_NOTE).read_to_end(&mut note).ok()?;
    let note = String::from_utf8_lossy(&note);
    let mut lines = note.lines();
    let (id, program) = lines.next()?.split_once(' ')?;
    let http = lines.next().map(|url| format!(", at {url}")).unwrap_or_default();
    Some((id.parse().ok()?, format!("`{program}`{http}")))
}

/// Opens a file for reading and writing. Refuses to open a pipe, because opening it would wait for
/// its other end, or a device.
pub(crate) fn open_regular(path: &Path, create: bool) -> Result<io::Result<File>> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            Err(Error::invalid(format!("`{}` is not a regular file", path.display())))
        }
        // Opening reports all other errors.
        Ok(_) | Err(_) => {
            Ok(OpenOptions::new().read(true).write(true).create(create).truncate(false).open(path))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(directory: &Path) -> String {
        let refused = Lock::exclusive(directory, "second", None).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unavailable);
        refused.to_string()
    }

    fn exclusive(directory: &Path, program: &str) -> Lock {
        Lock::exclusive(directory, program, None).unwrap()
    }

    /// A process that another thread had just forked held a copy of the open file, and with it the
    /// lock of a directory that was closed.
    #[test]
    fn releases_the_lock_although_a_copy_of_the_file_is_open() {
        let directory = tempfile::tempdir().unwrap();
        let lock = exclusive(directory.path(), "first");
        let copy = lock.0.try_clone().unwrap();
        drop(lock);
        drop(exclusive(directory.path(), "second"));
        drop(copy);
    }

    /// The message said twice that the directory is open, and did not name the process.
    #[test]
    fn the_process_that_has_the_lock_is_named_while_it_has_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(LOCK_FILE);
        let lock = exclusive(directory.path(), "fluo table\n\u{1b}load");
        let id = std::process::id();
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{id} fluo tableload\n"));
        let name = directory.path().display();
        assert_eq!(
            refused(directory.path()),
            format!(
                "the directory `{name}` is open through another handle of process {id} (`fluo tableload`); close that \
                 handle first"
            )
        );
        // The note of another process.
        fs::write(&file, "1 worker of web\n").unwrap();
        let by_another = format!(
            "the directory `{name}` is open in process 1 (`worker of web`); wait until it ends, or stop it"
        );
        assert_eq!(refused(directory.path()), by_another);
        drop(lock);
        let lock = Lock::exclusive(directory.path(), "w", Some(([127, 0, 0, 1], 9464).into()));
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{id} w\nhttp://127.0.0.1:9464\n"));
        let message = refused(directory.path());
        assert!(message.contains("(`w`, at http://127.0.0.1:9464); close that"), "{message}");
        drop(lock);
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }

    #[test]
    fn a_note_that_a_killed_process_left_names_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().display();
        let file = directory.path().join(LOCK_FILE);
        fs::write(&file, "4711 a much longer note than the next one\n").unwrap();
        let _lock = exclusive(directory.path(), "p");
        let note = fs::read_to_string(&file).unwrap();
        assert_eq!(note, format!("{} p\n", std::process::id()));
        // Builds before this one wrote none.
        for note in ["", "x y\n", "12\n"] {
            fs::write(&file, note).unwrap();
            assert_eq!(
                refused(directory.path()),
                format!(
                    "the directory `{name}` is open in another process or through another handle; close it first"
                )
            );
        }
    }
}
