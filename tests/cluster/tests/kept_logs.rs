//! Logs of failed runs are kept, and their folder is printed. Successful runs remove everything.

#![cfg(test)]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fluo_cluster::{State, wanted};
use tempfile::TempDir;

/// The log of the first step of a cluster. Other servers may not have written anything yet.
const INITIALIZE: &str = "Initialize.log";

/// Returns the folder after these words.
#[track_caller]
fn folder_behind(said: &str, words: &str) -> PathBuf {
    let Some((_, rest)) = said.split_once(words) else {
        panic!("no `{words}` in\n{said}");
    };
    let end = rest.find([':', '\n']).unwrap_or(rest.len());
    PathBuf::from(rest.get(..end).unwrap())
}

/// Checks that there are logs, and removes them.
#[track_caller]
fn assert_kept(logs: &Path, file: &str) {
    let log = logs.join(file);
    assert!(fs::metadata(&log).is_ok_and(|log| log.len() > 0), "no {}", log.display());
    fs::remove_dir_all(logs).unwrap();
}

/// Creates a folder with a Java that fails, and returns it with a `PATH` that begins with it.
fn broken_java() -> (TempDir, OsString) {
    let folder = tempfile::tempdir().unwrap();
    let java = folder.path().join("java");
    fs::write(&java, "#!/bin/sh\necho 'there is no memory left'\nexit 1\n").unwrap();
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).unwrap();
    let rest = std::env::var_os("PATH").unwrap();
    let all = [folder.path().to_owned()].into_iter().chain(std::env::split_paths(&rest));
    let path = std::env::join_paths(all).unwrap();
    (folder, path)
}

#[test]
fn keeps_the_logs_of_a_start_that_fails() {
    if !wanted() {
        return;
    }
    let (folder, path) = broken_java();
    let state = folder.path().join("state.json");
    let output = Command::new(env!("CARGO_BIN_EXE_fluo-cluster"))
        .args(["start", "--state"])
        .arg(&state)
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    let why = "the cluster's runner ended while it started; the last lines of runner.out:\n  there is no memory left\n";
    assert!(said.contains(why), "{said}");
    assert!(said.ends_with("error: the cluster did not start\n"), "{said}");
    assert!(!state.exists());
    let logs = folder_behind(&said, "the cluster could not be started; its logs are in ");
    assert_kept(&logs, "runner.out");
}

/// Checks the steps of `cargo xtask test` after a failed test.
#[test]
fn keeps_the_logs_of_a_cluster_on_request() {
    if !wanted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mut holder = Command::new(env!("CARGO_BIN_EXE_fluo-cluster"))
        .args(["hold", "--tablet-servers", "1", "--state"])
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let said = holder.stdout.take().unwrap();
    BufReader::new(said).read_line(&mut line).unwrap();
    let mut pipe = holder.stdin.take().unwrap();
    assert_eq!(line, "ready\n");
    let state = State::read(&file).unwrap().unwrap();
    pipe.write_all(b"keep\n").unwrap();
    drop(pipe);
    let output = holder.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let logs = folder_behind(&said, "the cluster's logs are in ");
    assert_eq!(logs, state.site.logs);
    assert!(!file.exists() && !state.site.directory.exists());
    assert_eq!(state.runner.group(), []);
    assert_kept(&logs, INITIALIZE);
}
