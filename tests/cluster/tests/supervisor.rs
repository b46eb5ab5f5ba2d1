//! A supervised command ends with its owner, however the owner ends. These tests need no Java.

#![expect(clippy::unwrap_used, reason = "helpers of tests say what they expect")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fluo_cluster::{Process, Program, Supervisor};
use rustix::process::Signal;

/// A command with two children, which ignores SIGTERM, SIGINT and SIGHUP.
const FAMILY: &str = "trap '' TERM INT HUP; sleep 1000 & sleep 1001 & wait";

fn until(mut is_true: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_true() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

fn family(folder: Option<PathBuf>, logs: Option<PathBuf>) -> Program {
    let words = ["sh", "-c", FAMILY].map(Into::into).to_vec();
    Program {
        words,
        folder,
        logs,
        ..Program::default()
    }
}

/// Starts an owner in a separate process, and returns it with the leader of the group that it
/// supervises.
fn owner() -> (Child, Process) {
    // If the tests run in the background, they ignore an interrupt, and the owner would inherit
    // that.
    let mut owner = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_fluo-cluster")])
        .args(["supervise", "sh", "-c", FAMILY])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let leader = Process::of(line.trim().parse().unwrap()).unwrap();
    assert!(
        until(|| leader.group().len() == 3),
        "the command and its two children run"
    );
    (owner, leader)
}

fn ends_with_its_owner(signal: Signal) {
    let (mut owner, leader) = owner();
    let members = leader.group();
    Process::of(i32::try_from(owner.id()).unwrap())
        .unwrap()
        .signal(signal);
    owner.wait().unwrap();
    let gone = until(|| members.iter().all(|member| !member.is_alive()));
    assert!(gone, "{:?} outlived their owner", leader.group());
}

#[test]
fn a_killed_owner_ends_its_grandchildren() {
    ends_with_its_owner(Signal::KILL);
}

#[test]
fn an_interrupted_owner_ends_its_grandchildren() {
    ends_with_its_owner(Signal::INT);
}

#[test]
fn a_suspended_command_ends_with_its_owner() {
    let (mut owner, leader) = owner();
    leader.signal_group(Signal::STOP);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert!(until(|| leader.group().is_empty()));
}

#[test]
fn a_drop_ends_the_command_and_removes_its_folders() {
    let root = tempfile::tempdir().unwrap();
    let [folder, logs] = ["run", "logs"].map(|name| root.path().join(name));
    for folder in [&folder, &logs] {
        std::fs::create_dir(folder).unwrap();
    }
    let program = family(Some(folder.clone()), Some(logs.clone()));
    let supervisor = Supervisor::start(&program, &logs.join("out")).unwrap();
    let leader = supervisor.process();
    drop(supervisor);
    assert_eq!(leader.group(), []);
    assert!(!folder.exists() && !logs.exists());
}

#[test]
fn keeps_logs_on_request() {
    let root = tempfile::tempdir().unwrap();
    let [folder, logs] = ["run", "logs"].map(|name| root.path().join(name));
    for folder in [&folder, &logs] {
        std::fs::create_dir(folder).unwrap();
    }
    let program = family(Some(folder.clone()), Some(logs.clone()));
    let supervisor = Supervisor::start(&program, &logs.join("out")).unwrap();
    supervisor.keep_logs();
    drop(supervisor);
    assert!(!folder.exists());
    assert!(logs.join("out").exists());
}

#[test]
fn writes_the_output_of_a_command_to_its_log() {
    let root = tempfile::tempdir().unwrap();
    let log = root.path().join("out");
    let words = ["sh", "-c", "echo to out; echo to err >&2"]
        .map(Into::into)
        .to_vec();
    let program = Program {
        words,
        ..Program::default()
    };
    let supervisor = Supervisor::start(&program, &log).unwrap();
    assert!(until(|| !supervisor.process().is_alive()));
    assert_eq!(read(&log), "to out\nto err\n");
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Tests a regression: a command that had ended before the first check counted as one that could
/// not be started, and its log was removed.
#[test]
fn a_command_that_ends_at_once_counts_as_started() {
    let root = tempfile::tempdir().unwrap();
    for (number, words) in [["true", ""], ["no-such-command", ""]]
        .iter()
        .cycle()
        .take(40)
        .enumerate()
    {
        let logs = root.path().join(number.to_string());
        std::fs::create_dir(&logs).unwrap();
        let program = Program {
            words: words.map(Into::into).to_vec(),
            logs: Some(logs.clone()),
            ..Program::default()
        };
        let supervisor = Supervisor::start(&program, &logs.join("out")).unwrap();
        assert!(until(|| !supervisor.process().is_alive()));
        assert!(logs.join("out").exists());
    }
}
