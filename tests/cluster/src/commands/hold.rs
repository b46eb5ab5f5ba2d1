//! `hold`: a process that owns a cluster and does nothing else.

use std::fs;
use std::io::stdin;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};
use fluo_cluster::{Cluster, Settings, State};

use super::{KEEP, READY, print, say};

/// Starts a cluster, writes its state file, says so, and waits.
pub(crate) fn hold(state: &Path, tablet_servers: usize, detached: bool) -> Result<()> {
    if detached {
        // Then no Ctrl-C reaches it, nor the end of the terminal.
        rustix::process::setsid().context("the terminal cannot be left")?;
    }
    say(&format!(
        "starting a cluster with {tablet_servers} tablet servers (jars are fetched the first time) .."
    ));
    let cluster = Cluster::start(&Settings {
        tablet_servers,
        ..Settings::default()
    })?;
    cluster.state()?.write(state)?;
    print(READY)?;
    if detached {
        loop {
            // `stop` ends this process; the supervisors see it and end the cluster.
            thread::park();
        }
    }
    wait(&cluster);
    drop(cluster);
    remove(state)
}

/// Until standard input ends, because whoever wrote to it did.
fn wait(cluster: &Cluster) {
    for line in stdin().lines().map_while(Result::ok) {
        if line == KEEP {
            cluster.keep_logs();
            say(&format!(
                "the cluster's logs are in {}",
                cluster.site().logs.display()
            ));
        }
    }
}

/// Another cluster may have been started with the same file since.
fn remove(file: &Path) -> Result<()> {
    if State::read(file)?.is_some_and(|state| !state.is_alive()) {
        fs::remove_file(file).with_context(|| format!("{} cannot be removed", file.display()))?;
    }
    Ok(())
}
