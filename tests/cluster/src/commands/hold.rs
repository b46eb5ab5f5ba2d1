//! `hold`: a process that owns a cluster and does nothing else.

use std::fs;
use std::io::stdin;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};
use fluo_cluster::{Cluster, Settings, State};

use super::{KEEP, READY, print, say};

/// Starts a cluster, writes its state file, prints that it is ready, and waits.
pub(crate) fn hold(state: &Path, tablet_servers: usize, detached: bool) -> Result<()> {
    if detached {
        // Then neither Ctrl-C nor the end of the terminal reaches the process.
        rustix::process::setsid().context("the process cannot leave its terminal")?;
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
            // `stop` ends this process. The supervisors notice that and end the cluster.
            thread::park();
        }
    }
    wait(&cluster);
    drop(cluster);
    remove(state)
}

/// Waits until standard input ends, because the process that writes to it has ended.
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

/// Removes the state file, unless another cluster was started with the same file meanwhile.
fn remove(file: &Path) -> Result<()> {
    if State::read(file)?.is_some_and(|state| !state.is_alive()) {
        fs::remove_file(file).with_context(|| format!("{} cannot be removed", file.display()))?;
    }
    Ok(())
}
