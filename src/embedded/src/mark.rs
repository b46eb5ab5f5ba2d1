//! The mark of a directory that is known to be damaged: the file `fluo.damaged`, with a line for
//! each finding.
//!
//! It is created when a check or a call finds damage, and removed by a check that finds none. A
//! directory with it takes no writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use fluo_table::{Error, ErrorKind};

use crate::durable_paths::{rename_durably, sync_directory};

const MARK_FILE: &str = "fluo.damaged";
const NEW_MARK_FILE: &str = "fluo.damaged.new";

pub(crate) fn stored_refusal(directory: &Path) -> Option<Error> {
    let finding = match fs::read_to_string(directory.join(MARK_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => format!("`{MARK_FILE}` cannot be read: {error}"),
        Ok(findings) => findings.lines().next().unwrap_or("damaged").to_owned(),
    };
    Some(refusal(directory, &finding))
}

/// Returns the error that refuses a write because of this finding.
pub(crate) fn refusal(directory: &Path, finding: &str) -> Error {
    let message = format!(
        "the directory `{}` is damaged ({finding}) and takes no writes; restore it from a copy, then check it again",
        directory.display()
    );
    Error::new(ErrorKind::Corrupt, message)
}

/// Marks a directory, durably: a crash leaves the mark whole or leaves none.
pub(crate) fn set(directory: &Path, findings: &[String]) -> io::Result<()> {
    let new = directory.join(NEW_MARK_FILE);
    let mut file = File::create(&new)?;
    for finding in findings {
        writeln!(file, "{}", finding.replace(char::is_control, " "))?;
    }
    file.sync_all()?;
    rename_durably(directory, &new, &directory.join(MARK_FILE))
}

/// Removes the mark, if there is one. A file system that is mounted read-only refuses to remove
/// even a file that does not exist.
pub(crate) fn remove(directory: &Path) -> io::Result<()> {
    let mark = directory.join(MARK_FILE);
    if !mark.try_exists()? {
        return Ok(());
    }
    fs::remove_file(mark)?;
    sync_directory(directory)
}
