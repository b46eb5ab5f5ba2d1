//! What anyone must know to use a cluster that another process owns.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::process::Process;
use crate::settings::ProxySettings;

/// Where a cluster is and how to get in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Accumulo's name of the instance; each cluster has another.
    pub instance: String,
    /// Where its ZooKeeper listens, as `host:port`.
    pub zookeepers: String,
    /// The user, who may do everything.
    pub user: String,
    /// The user's password; empty on Accumulo 2.x.
    pub password: String,
    /// The shared secret of its proxies, which are those of Accumulo 2.x; none on 1.x. The user is that of the proxies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// How many tablet servers it was started with.
    pub tablet_servers: usize,
    /// The folder that it works in.
    pub directory: PathBuf,
    /// The folder of its logs.
    pub logs: PathBuf,
    /// The folder of its jars.
    pub jars: PathBuf,
}

/// A proxy of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyState {
    /// Where it listens.
    pub port: u16,
    /// What it was started with.
    pub settings: ProxySettings,
    /// Its process, which leads a group.
    pub process: Process,
}

/// A cluster that runs, or ran: the content of a state file, which is JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Where it is.
    pub site: Site,
    /// The process that owns it: when it ends, everything does.
    pub owner: Process,
    /// The process that started its servers, which leads their group.
    pub runner: Process,
    /// Its first proxy.
    pub proxy: Option<ProxyState>,
}

impl State {
    /// Reads a state file; none when there is no such file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a state file.
    pub fn read(file: &Path) -> Result<Option<State>> {
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(file)
            .with_context(|| format!("the state file {} cannot be read", file.display()))?;
        let state = serde_json::from_str(&text)
            .with_context(|| format!("{} is not the state file of a cluster", file.display()))?;
        Ok(Some(state))
    }

    /// Writes a state file: it is complete as soon as it is there.
    ///
    /// # Errors
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

    /// Whether its servers still run.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.runner.is_alive()
    }

    /// Its tablet servers that live: the oldest first.
    #[must_use]
    pub fn tablet_servers(&self) -> Vec<Process> {
        crate::runner::tablet_servers(self.runner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let process = Process {
            started_ticks: 7,
            pid: 1_000_000,
        };
        State {
            site: Site {
                instance: "fluo-1-0".into(),
                zookeepers: "localhost:21000".into(),
                user: "root".into(),
                password: "secret".into(),
                secret: None,
                tablet_servers: 2,
                directory: "/run/1-0".into(),
                logs: "/logs/1-0".into(),
                jars: "/jars".into(),
            },
            owner: process,
            runner: process,
            proxy: Some(ProxyState {
                port: 21001,
                settings: ProxySettings::default(),
                process,
            }),
        }
    }

    #[test]
    fn reads_a_state_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        assert_eq!(State::read(&file).unwrap(), None);
        state().write(&file).unwrap();
        assert_eq!(State::read(&file).unwrap(), Some(state()));
    }

    /// The live tests could not be pointed at a cluster of Accumulo 2.x: a site had a password and no secret.
    #[test]
    fn accepts_a_secret_in_a_state_file_written_by_hand() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        fs::write(&file, include_str!("../by-hand.json")).unwrap();
        let site = State::read(&file).unwrap().unwrap().site;
        assert_eq!(
            site.secret.as_deref(),
            Some("the sharedSecret of the proxy")
        );
        state().write(&file).unwrap();
        assert_eq!(State::read(&file).unwrap().unwrap().site.secret, None);
    }

    #[test]
    fn is_not_alive_after_its_processes_have_ended() {
        assert!(!state().is_alive());
        assert_eq!(state().tablet_servers(), []);
    }

    #[test]
    fn rejects_another_file_and_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.json");
        fs::write(&file, "{}").unwrap();
        let error = State::read(&file).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{} is not the state file of a cluster", file.display())
        );
    }
}
