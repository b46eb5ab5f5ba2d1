//! Runs of `start`, `status` and `stop`, as by `cargo xtask cluster`, on a separate cluster.

#![cfg(test)]

use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use fluo_cluster::{State, poll, wanted};

/// Returns a command for the cluster of a state file.
fn command(name: &str, state: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fluo-cluster"));
    command.args([name, "--tablet-servers", "1", "--state"]);
    command.arg(state);
    command
}

/// Returns the output of a command that succeeds.
#[track_caller]
fn prints(name: &str, state: &Path) -> String {
    let output = command(name, state).output().unwrap();
    assert!(output.status.success(), "{name}: {}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Stops the cluster if an assertion fails first.
struct Stopped<'a>(&'a Path);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let _ = command("stop", self.0).output();
    }
}

#[test]
fn starts_describes_and_stops_a_cluster() {
    if !wanted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let _stopped = Stopped(&file);
    assert_eq!(prints("status", &file), "not running\n");
    assert_eq!(prints("stop", &file), "no cluster runs\n");

    let said = prints("start", &file);
    let state = State::read(&file).unwrap().unwrap();
    let described = format!(
        "  table           proxy:localhost:{}\n  user            root\n  \
         password        FLUO_PASSWORD=secret in the environment\n  zookeepers      {}\n  instance        {}\n  \
         tablet servers  1 of 1 live\n  logs            {}\n",
        state.proxy.unwrap().port,
        state.site.zookeepers,
        state.site.instance,
        state.site.logs.display()
    );
    assert_eq!(said, format!("the cluster runs\n{described}"));
    assert!(state.site.logs.join("runner.out").exists());
    // The address after `proxy:` is that of the proxy.
    let address = said.split_once("proxy:").unwrap().1;
    let address = address.lines().next().unwrap();
    assert!(TcpStream::connect(address).is_ok(), "{address}");

    assert_eq!(prints("status", &file), format!("running\n{described}"));
    let again = prints("start", &file);
    assert_eq!(again, format!("the cluster runs already\n{described}"));
    assert_eq!(State::read(&file).unwrap(), Some(state.clone()));

    assert_eq!(prints("stop", &file), "the cluster is stopped\n");
    assert!(TcpStream::connect(address).is_err());
    assert!(state.runner.group().is_empty() && !state.owner.is_alive());
    assert!(!state.site.directory.exists());
    // The supervisor does that last.
    let is_gone = || !state.site.logs.exists();
    assert!(poll(Duration::from_secs(60), is_gone), "the logs are kept");
    assert_eq!(prints("status", &file), "not running\n");
}

#[test]
fn every_command_rejects_an_invalid_state_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    std::fs::write(&file, "{}").unwrap();
    for name in ["start", "status", "stop"] {
        let output = command(name, &file).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let expected = format!("error: {} is not the state file of a cluster", file.display());
        let said = complaint(&output);
        assert!(said.starts_with(&expected), "{name}: {said}");
    }
}
