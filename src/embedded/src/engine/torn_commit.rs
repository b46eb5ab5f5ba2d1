//! The last commit of the log, if a loss of power left only a part of it.
//!
//! The sectors of a commit that were not written read as zeros. The engine drops the commit when it
//! is opened, if it cannot parse it. If all the zeros are inside of values, the engine refuses the
//! directory because of the checksum. So this module cuts the commit from the log, as the engine
//! would.
//!
//! It does not parse the log. An engine in an empty directory refuses a copy of the log, but not a
//! copy without the last byte, from which it drops the last commit. So only the last commit is
//! damaged, and it begins where the engine cuts the copy.
//!
//! A commit that has all of its sectors is damaged in another way, and is not cut. Whether the
//! commit was acknowledged is compared later, by [`Commits`](crate::commits::Commits).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fjall::Database;
use tracing::debug;

use crate::error::Failure;

/// The extension of the logs of the engine, whose names are increasing numbers.
const LOG: &str = "jnl";
/// The directory of the engine that reads copies of a log. A leftover one is replaced.
const SCRATCH: &str = "log.new";
/// The size of a sector: a disk writes it completely or not at all.
const SECTOR: usize = 512;

/// Cuts the last commit from the last log, durably, if no other commit of this log is damaged, and
/// a sector of it is lost. Otherwise changes nothing and returns false.
pub(super) fn cut_torn_commit(directory: &Path) -> Result<bool, Failure> {
    let Some(path) = last_log(directory)? else { return Ok(false) };
    let mut log = fs::read(&path)?;
    // The last byte of a commit is not zero.
    log.truncate(log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    let scratch = directory.join(SCRATCH);
    let start = find_torn_commit(&scratch, &log);
    remove(&scratch)?;
    let Some(start) = start?.filter(|start| has_lost_sector(&log, *start)) else {
        return Ok(false);
    };
    let file = File::options().write(true).open(&path)?;
    file.set_len(u64::try_from(start).unwrap_or(u64::MAX))?;
    file.sync_all()?;
    debug!(log = %path.display(), bytes = log.len() - start, "cut a torn commit");
    Ok(true)
}

/// Returns the path of the log with the highest number.
fn last_log(directory: &Path) -> io::Result<Option<PathBuf>> {
    let mut last = None;
    for entry in directory.read_dir()? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|name| name.to_str()?.parse::<u64>().ok());
        if path.extension().is_some_and(|extension| extension == LOG) {
            last = last.max(number.map(|number| (number, path)));
        }
    }
    Ok(last.map(|(_, path)| path))
}

/// Returns the position of the last commit of a log. `None` unless this commit, and no other of the
/// log, is damaged.
fn find_torn_commit(scratch: &Path, log: &[u8]) -> Result<Option<usize>, Failure> {
    remove(scratch)?;
    drop(Database::builder(scratch).open()?);
    match (last_log(scratch)?, log.split_last()) {
        (Some(copy), Some((_, without_end))) if read_log(scratch, &copy, log)?.is_none() => {
            read_log(scratch, &copy, without_end)
        }
        _ => Ok(None),
    }
}

/// Returns the number of bytes of the whole commits of a log, or `None` if the engine refuses it.
fn read_log(scratch: &Path, copy: &Path, log: &[u8]) -> Result<Option<usize>, Failure> {
    fs::write(copy, log)?;
    match Database::builder(scratch).open() {
        Ok(database) => drop(database),
        Err(fjall::Error::JournalRecovery(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    Ok(usize::try_from(fs::metadata(copy)?.len()).ok())
}

fn has_lost_sector(log: &[u8], from: usize) -> bool {
    let mut sectors = log.chunks_exact(SECTOR).skip(from.div_ceil(SECTOR));
    sectors.any(|sector| sector.iter().all(|byte| *byte == 0))
}

fn remove(scratch: &Path) -> io::Result<()> {
    match fs::remove_dir_all(scratch) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
