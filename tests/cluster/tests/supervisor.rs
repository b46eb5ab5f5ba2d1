//! A supervised command ends with its owner, however the owner ends. These tests need no Java.

#![cfg(test)]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use fluo_cluster::{Process, Supervisor, poll};
use rustix::process::Signal;

/// A command with two children, which ignores SIGTERM, SIGINT and SIGHUP.
const FAMILY: [&str; 3] = ["sh", "-c", "trap '' TERM INT HUP; sleep 1000 & sleep 1001 & wait"];

/// The words before the process number that an owner prints.
const LEADER: &str = "leader ";

fn command(words: &[&str]) -> Command {
    let (name, arguments) = words.split_first().unwrap();
    let mut command = Command::new(name);
    command.args(arguments);
    command
}

fn until(is_true: impl FnMut() -> bool) -> bool {
    poll(Duration::from_secs(10), is_true)
}

/// Owns a supervised command, for [`owner`].
#[test]
#[ignore = "it does not end: other tests run it"]
fn owns_a_command_until_it_is_killed() {
    let output = Path::new("/dev/null");
    let supervisor = Supervisor::start(&command(&FAMILY), None, None, output).unwrap();
    writeln!(stdout(), "\n{LEADER}{}", supervisor.process().pid).unwrap();
    loop {
        thread::park();
    }
}

/// Starts an owner in a separate process, and returns it with the leader of the group that it
/// supervises.
fn owner() -> (Child, Process) {
    // If the tests run in the background, they ignore an interrupt, and the owner would inherit
    // that.
    let mut owner = Command::new("env")
        .arg("--default-signal=INT")
        .arg(env::current_exe().unwrap())
        .args(["--exact", "owns_a_command_until_it_is_killed"])
        .args(["--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let leader = lines.find_map(|line| line.unwrap().strip_prefix(LEADER)?.parse().ok());
    let leader = Process::of(leader.unwrap()).unwrap();
    let runs = until(|| leader.group().len() == 3);
    assert!(runs, "the command and its two children run");
    (owner, leader)
}

#[test]
fn a_killed_or_interrupted_owner_ends_its_grandchildren() {
    for signal in [Signal::KILL, Signal::INT] {
        let (mut owner, leader) = owner();
        let pid = i32::try_from(owner.id()).unwrap();
        Process::of(pid).unwrap().signal(signal);
        owner.wait().unwrap();
        assert!(until(|| leader.group().is_empty()), "{signal:?}");
    }
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
fn a_drop_ends_the_command_and_keeps_logs_only_on_request() {
    for keeps in [false, true] {
        let root = tempfile::tempdir().unwrap();
        let [folder, logs] = ["run", "logs"].map(|name| root.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&logs).unwrap();
        let log = logs.join("out");
        let supervisor =
            Supervisor::start(&command(&FAMILY), Some(&folder), Some(&logs), &log).unwrap();
        if keeps {
            supervisor.keep_logs();
        }
        let leader = supervisor.process();
        drop(supervisor);
        assert_eq!(leader.group(), []);
        assert!(!folder.exists());
        assert_eq!(log.exists(), keeps);
    }
}

#[test]
fn writes_the_outputs_of_a_command_to_its_log() {
    let root = tempfile::tempdir().unwrap();
    let log = root.path().join("out");
    let mut command = command(&["sh", "-c", "echo to $OUT; echo to err >&2"]);
    let supervisor = Supervisor::start(command.env("OUT", "out"), None, None, &log).unwrap();
    assert!(until(|| !supervisor.process().is_alive()));
    assert_eq!(fs::read_to_string(&log).unwrap(), "to out\nto err\n");
}

/// Tests a regression: a command that had ended before the first check counted as one that could
/// not be started, and its log was removed.
#[test]
fn a_command_that_ends_at_once_counts_as_started() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..40 {
        let logs = root.path().join(number.to_string());
        fs::create_dir(&logs).unwrap();
        let name = if number % 2 == 0 { "true" } else { "no-such-command" };
        let command = Command::new(name);
        let supervisor = Supervisor::start(&command, None, Some(&logs), &logs.join("out")).unwrap();
        assert!(until(|| !supervisor.process().is_alive()));
        assert!(logs.join("out").exists());
    }
}
