//! The state file: the information to use a cluster that another process owns.

use std::fs;
use std::path::{Path, PathBuf};

use accumulo_proxy::Credentials;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;
use crate::settings::ProxySettings;

/// The location of a cluster, and its credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The name of the instance in Accumulo, which is unique.
    pub instance: String,
    /// The address of its ZooKeeper, as `host:port`.
    pub zookeepers: String,
    /// The user, who has all permissions.
    pub user: String,
    /// The password of the user; empty on Accumulo 2.x.
    pub password: String,
    /// The shared secret of its proxies, if they are those of Accumulo 2.x; `None` on 1.x. The user
    /// is then the user of the proxies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Number of tablet servers at the start.
    pub tablet_servers: usize,
    /// The working folder.
    pub directory: PathBuf,
    /// The folder of its logs.
    pub logs: PathBuf,
    /// The folder of its jars.
    pub jars: PathBuf,
}

impl Site {
    /// Returns the credentials of the user, or the shared secret of the proxies if they have one.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        match &self.secret {
            Some(secret) => Credentials::shared_secret(secret),
            None => Credentials::password(&self.user, &self.password),
        }
    }
}

/// A proxy of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyState {
    /// The port.
    pub port: u16,
    /// The settings.
    pub settings: ProxySettings,
    /// The process, which leads a group.
    pub process: Process,
}

/// A cluster that runs or ran: the content of a state file, which is JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The location.
    pub site: Site,
    /// The process that owns the cluster. When it ends, the whole cluster ends.
    pub owner: Process,
    /// The process that started the servers, which leads their group.
    pub runner: Process,
    /// The first proxy.
    pub proxy: Option<ProxyState>,
}

impl State {
    /// Reads a state file. Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a state file.
    pub fn read(file: &Path) -> Result<Option<State>> {
        if !file.exists() {
            return Ok(None);
        }
        let state = fs::read(file).map_err(serde_json::Error::io);
        let state = state.and_then(|text| serde_json::from_slice(&text));
        state
            .map(Some)
            .with_context(|| format!("{} is not the state file of a cluster", file.display()))
    }

    /// Writes a state file atomically.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> Result<()> {
        let partial = file.with_extension("partial");
        let write = || {
            fs::write(&partial, serde_json::to_string_pretty(self)?)?;
            fs::rename(&partial, file)?;
            Ok::<(), anyhow::Error>(())
        };
        write().with_context(|| format!("the state file {} cannot be written", file.display()))
    }

    /// Checks whether the servers still run.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.runner.is_alive()
    }

    /// Returns the running tablet servers, the oldest first.
    #[must_use]
    pub fn tablet_servers(&self) -> Vec<Process> {
        self.runner.servers("TabletServer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests a regression: live tests could not use a cluster of Accumulo 2.x, because a site had a
    /// password but no secret.
    #[test]
    fn reads_a_state_file_written_by_hand_and_writes_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        assert_eq!(State::read(&file).unwrap(), None);
        fs::write(&file, include_str!("../by-hand.json")).unwrap();
        let mut state = State::read(&file).unwrap().unwrap();
        let secret = state.site.secret.as_deref();
        assert_eq!(secret, Some("the sharedSecret of the proxy"));
        state.site.secret = None;
        state.write(&file).unwrap();
        assert_eq!(State::read(&file).unwrap(), Some(state.clone()));
        // Its processes do not run.
        assert!(!state.is_alive());
        assert_eq!(state.tablet_servers(), []);
    }
}
