//! Where the cluster keeps its things: `target/cluster` of the workspace, wherever cargo builds.
//!
//! ```text
//! target/cluster/
//!   jars-<hash of the POM>/    the published artifacts, fetched once
//!   run/<name>/                what a cluster works on: gone when it stops
//!   logs/<name>/               its logs: kept when it failed
//!   state.json                 the cluster of `cargo xtask cluster start`
//! ```

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};

use crate::process::Process;

const NAMES: u32 = 10_000;

/// The folder of the workspace.
pub(crate) fn workspace() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}

/// The folder of everything here.
#[must_use]
pub fn home() -> PathBuf {
    workspace().join("target").join("cluster")
}

/// The state file of the cluster that `start` leaves running.
#[must_use]
pub fn state_file() -> PathBuf {
    home().join("state.json")
}

pub(crate) fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be created", folder.display()))
}

/// A new folder to work in, in the one for all of them. Those of processes that are gone are removed: one that is
/// killed before it has a supervisor leaves its own behind.
pub(crate) fn fresh_run() -> Result<PathBuf> {
    let parent = home().join("run");
    for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let maker = name.split_once('-').and_then(|(pid, _)| pid.parse().ok());
        if maker.is_some_and(|pid| Process::of(pid).is_none()) {
            // Its supervisor may be at it too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    fresh(&parent)
}

/// A new folder in this one. Its name tells the process that made it.
pub(crate) fn fresh(parent: &Path) -> Result<PathBuf> {
    create(parent)?;
    for n in 0..NAMES {
        let folder = parent.join(format!("{}-{n}", process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("the folder {} cannot be created", folder.display()));
            }
        }
    }
    bail!("{} is full of old folders; remove them", parent.display())
}

/// Takes a folder that was named: it is created, or must be empty, because it is removed at the end.
pub(crate) fn take(folder: &Path) -> Result<PathBuf> {
    create(folder)?;
    let mut entries = folder
        .read_dir()
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    if entries.next().is_some() {
        bail!(
            "{} is not empty, and a cluster removes its folder at the end",
            folder.display()
        );
    }
    folder
        .canonicalize()
        .with_context(|| format!("{} cannot be resolved", folder.display()))
}
