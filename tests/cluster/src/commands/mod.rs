//! The commands, one file each. The result of a command goes to standard output, everything else to
//! standard error.

mod hold;
mod start;
mod status;
mod stop;
mod supervise;

use std::io::{Write, stderr, stdout};

use anyhow::{Context, Result};

pub(crate) use hold::hold;
pub(crate) use start::start;
pub(crate) use status::status;
pub(crate) use stop::stop;
pub(crate) use supervise::supervise;

/// The line that `hold` prints when its cluster is ready.
const READY: &str = "ready";

/// The line that makes `hold` keep the logs.
const KEEP: &str = "keep";

/// Prints progress. The reader may have ended meanwhile, so errors are ignored.
pub(crate) fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

fn print(line: &str) -> Result<()> {
    writeln!(stdout(), "{line}").context("standard output is closed")
}
