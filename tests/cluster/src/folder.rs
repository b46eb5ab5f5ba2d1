//! The folders of the cluster: `target/cluster` of the workspace, independent of the target folder
//! of cargo.
//!
//! ```text
//! target/cluster/
//!   jars-<hash of the POM>/    the published artifacts, fetched once
//!   run/<name>/                the data of a cluster: removed when it stops
//!   logs/<name>/               its logs: kept when it failed
//!   state.json                 the cluster of `cargo xtask cluster start`
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result};
use tempfile::Builder;

use crate::process::Process;

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package)
}

/// Returns the folder that contains all others.
pub(crate) fn home() -> PathBuf {
    workspace().join("target").join("cluster")
}

/// Returns the state file of the cluster that `start` leaves running.
#[must_use]
pub fn state_file() -> PathBuf {
    home().join("state.json")
}

/// Creates a folder for the data of a cluster. Removes folders of processes that have ended: a
/// process that is killed before it has a supervisor leaves its folder behind.
pub(crate) fn fresh_run() -> Result<PathBuf> {
    let parent = home().join("run");
    for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let maker = name.split_once('-').and_then(|(pid, _)| pid.parse().ok());
        if maker.is_some_and(|pid| Process::of(pid).is_none()) {
            // Its supervisor may remove it concurrently.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    fresh(&parent)
}

/// Creates a folder in `parent`. Its name contains the process number of its creator.
pub(crate) fn fresh(parent: &Path) -> Result<PathBuf> {
    let prefix = format!("{}-", process::id());
    let folder = fs::create_dir_all(parent)
        .and_then(|()| Builder::new().prefix(&prefix).tempdir_in(parent))
        .with_context(|| format!("no folder can be created in {}", parent.display()))?;
    Ok(folder.keep())
}
