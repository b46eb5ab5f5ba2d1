//! One file per command. What a command is asked for goes to standard output, the rest to standard error.

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

/// The line by which `hold` tells that its cluster can be used.
const READY: &str = "ready";

/// The line by which `hold` is told to keep the logs.
const KEEP: &str = "keep";

/// Progress. Whoever listened may have gone.
pub(crate) fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

fn print(line: &str) -> Result<()> {
    writeln!(stdout(), "{line}").context("standard output is closed")
}
