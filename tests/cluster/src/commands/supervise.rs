//! `supervise`: the supervisor of the servers, for any command.

use std::ffi::OsString;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use fluo_cluster::{Program, Supervisor};

use super::print;

/// Runs the command until it or this process ends. Prints the process number of the command.
pub(crate) fn supervise(command: &[String]) -> Result<()> {
    let words = command.iter().map(OsString::from).collect();
    let program = Program {
        words,
        ..Program::default()
    };
    let supervisor = Supervisor::start(&program, Path::new("/dev/stderr"))?;
    print(&supervisor.process().pid.to_string())?;
    while supervisor.process().is_alive() {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
