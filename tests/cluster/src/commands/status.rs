//! `status`: the state of the cluster, and how to use it.

use std::path::Path;

use anyhow::Result;
use fluo_cluster::State;

use super::print;

/// Prints whether the cluster of the state file runs.
pub(crate) fn status(file: &Path) -> Result<()> {
    match State::read(file)? {
        None => print("not running"),
        Some(state) if state.is_alive() => {
            print("running")?;
            describe(&state)
        }
        Some(_) => print(
            "not running: it ended without being stopped; `cargo xtask cluster stop` removes its state file",
        ),
    }
}

/// Prints the addresses of the cluster, and the settings that reach it.
pub(crate) fn describe(state: &State) -> Result<()> {
    let site = &state.site;
    if let Some(proxy) = &state.proxy {
        let dead = if proxy.process.is_alive() {
            ""
        } else {
            "   (it has ended)"
        };
        print(&format!(
            "  table           proxy:localhost:{}{dead}",
            proxy.port
        ))?;
    }
    print(&format!("  user            {}", site.user))?;
    print(&format!(
        "  password        FLUO_PASSWORD={} in the environment",
        site.password
    ))?;
    print(&format!("  zookeepers      {}", site.zookeepers))?;
    print(&format!("  instance        {}", site.instance))?;
    let alive = state.tablet_servers().len();
    print(&format!(
        "  tablet servers  {alive} of {} live",
        site.tablet_servers
    ))?;
    print(&format!("  logs            {}", site.logs.display()))
}
