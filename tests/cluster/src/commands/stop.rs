//! `stop`: ends the process that owns the cluster, and waits until everything has ended.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fluo_cluster::State;
use rustix::process::Signal;

use super::print;

/// The time that the cluster may take to end after its owner.
const PATIENCE: Duration = Duration::from_secs(15);

/// Stops the cluster of the state file. It is no error if none runs.
pub(crate) fn stop(file: &Path) -> Result<()> {
    let Some(state) = State::read(file)? else {
        return print("no cluster runs");
    };
    let ran = state.is_alive();
    state.owner.signal(Signal::TERM);
    if !gone(&state) {
        // The supervisors were killed too.
        state.runner.signal_group(Signal::KILL);
        state
            .proxy
            .iter()
            .for_each(|proxy| proxy.process.signal_group(Signal::KILL));
        let _ = fs::remove_dir_all(&state.site.directory);
        if !gone(&state) {
            bail!(
                "the cluster's processes {:?} do not end",
                state.runner.group()
            );
        }
    }
    fs::remove_file(file).with_context(|| format!("{} cannot be removed", file.display()))?;
    print(if ran {
        "the cluster is stopped"
    } else {
        "no cluster runs; its old state file is removed"
    })
}

fn gone(state: &State) -> bool {
    let end = Instant::now() + PATIENCE;
    let rest = || {
        let proxies = state.proxy.iter().flat_map(|proxy| proxy.process.group());
        let processes = state.runner.group().into_iter().chain(proxies).count();
        processes > 0 || state.owner.is_alive() || state.site.directory.exists()
    };
    while rest() {
        if Instant::now() > end {
            return false;
        }
        thread::sleep(Duration::from_millis(50));
    }
    true
}
