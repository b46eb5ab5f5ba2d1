//! The bad lines of a file: skipped within a bound, kept in a file, counted and named.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::sentence;
use crate::output;
use crate::text::{and_more, counted, parse_count};

const NAMED: usize = 10;

#[derive(Args, Debug)]
pub(super) struct BadLineArguments {
    /// Write bad lines to this new file, with their numbers and reasons, and continue
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Skip this many bad lines, and stop at the next one
    #[arg(long, value_name = "N", value_parser = parse_count::<u64>)]
    skip_bad: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct BadLines {
    most: u64,
    rejects: Option<(PathBuf, File)>,
    count: u64,
    /// The numbers of the first bad lines, and the reasons.
    first: Vec<(u64, String)>,
}

/// The file of rejects of a load that has not ended. If it is empty, it is removed with this value.
pub(super) struct UnusedRejects<'a>(Option<&'a Path>);

impl BadLineArguments {
    /// Returns the file of rejects of a load that has not ended.
    pub(super) fn unused(&self) -> UnusedRejects<'_> {
        UnusedRejects(self.rejects.as_deref())
    }

    /// Checks whether a bad line may be skipped.
    pub(super) fn may_skip(&self) -> bool {
        self.rejects.is_some() || self.skip_bad.is_some()
    }

    /// Makes the file of rejects. Refuses a file that exists, because its content would be lost.
    pub(super) fn open(&self) -> Result<BadLines> {
        let rejects = self.rejects.as_ref().map(|path| {
            ensure!(
                path != Path::new("-"),
                misuse!("--rejects is `-`, which is not a file; name one")
            );
            let is_stream = fs::metadata(path).is_ok_and(|found| !found.is_file());
            let mut options = File::options();
            let file = options.write(true).create_new(!is_stream).open(path);
            let file = file.map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => anyhow!("the file exists; name a new one"),
                _ => error.into(),
            });
            anyhow::Ok((path.clone(), file.with_context(|| cannot_write(path))?))
        });
        let rejects = rejects.transpose()?;
        let most = self.skip_bad.unwrap_or(if rejects.is_some() { u64::MAX } else { 0 });
        Ok(BadLines { most, rejects, count: 0, first: Vec::new() })
    }
}

impl Drop for UnusedRejects<'_> {
    fn drop(&mut self) {
        let is_empty = |path: &&Path| {
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0)
        };
        if let Some(path) = self.0.filter(is_empty) {
            // If it stays, the next load needs another name.
            let _ = fs::remove_file(path);
        }
    }
}

impl BadLines {
    /// Skips a line. Fails if no more may be skipped, or if the line cannot be kept.
    pub(super) fn skip(&mut self, number: u64, line: &[u8], error: Error) -> Result<()> {
        let reason = output::shown(&sentence(&error));
        if let Some((path, file)) = &mut self.rejects {
            let kept = [format!("{number}\t{reason}\t").as_bytes(), line, b"\n"].concat();
            file.write_all(&kept).with_context(|| cannot_write(path))?;
        }
        if self.count == self.most {
            return Err(match self.most {
                0 => error,
                most => error.context(format!("more than {}", counted(most, "bad line"))),
            });
        }
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push((number, reason));
        }
        Ok(())
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn first(&self) -> Value {
        let named = |(number, reason): &(u64, String)| json!({ "line": number, "reason": reason });
        self.first.iter().map(named).collect()
    }

    pub(super) fn tell(&self) {
        if self.count == 0 {
            return;
        }
        complain!("{} skipped:", counted(self.count, "bad line"));
        for (number, reason) in &self.first {
            complain!("  line {number}: {reason}");
        }
        if let Some(more) = and_more(self.count, self.first.len(), "line") {
            complain!("  {more}");
        }
        if let Some((path, _)) = &self.rejects {
            say!("the skipped lines are in {}", path.display());
        }
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the rejects {}", path.display())
}
