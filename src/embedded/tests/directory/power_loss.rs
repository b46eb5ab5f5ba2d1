//! The power fails, or a sync does, while a process writes. No acknowledged write is lost, and none
//! is stored in part: the tests of a killed process, on files of which only what was synced is sure
//! to exist.
//!
//! `FLUO_SOAK` multiplies the number of rounds. The tests need `strace`, and are skipped if
//! `FLUO_WITHOUT_STRACE` is set.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use super::disk::{Call, Disk, is_skipped, recorded};
use super::kill::{Acknowledged, IN_CHILD, verify};
use super::{SOAK, setting};

/// Lines of acknowledgements after which a process is stopped.
const LINES: usize = 400;
/// Processes that are recorded. For each, losses of power after any call, and as many before the
/// sync of a commit.
const ROUNDS: u64 = 2;
const LOSSES: usize = 15;

/// Lets a child write for a while, and returns the calls that it made.
fn calls_of_child(directory: &Path, inject: Option<&str>) -> Vec<Call> {
    let record = directory.with_extension("record");
    let mut child = recorded(&std::env::current_exe().unwrap(), &record, inject)
        .args(["--exact", "kill::child", "--nocapture"])
        .env(IN_CHILD, format!("0 {}", directory.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("strace is installed, or FLUO_WITHOUT_STRACE is set");
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The child ends when it cannot print any more, or when a write fails.
    assert!(lines.take(LINES).all(|line| line.is_ok()));
    child.wait().unwrap();
    Call::all(&std::fs::read_to_string(&record).unwrap())
}

/// Verifies losses of power after each of some calls. Returns whether anything was acknowledged.
fn lose_power(directory: &Path, calls: &[Call], dice: &mut fastrand::Rng, what: &str) -> bool {
    let mut instants: Vec<_> = (0..LOSSES).map(|_| dice.usize(0..=calls.len())).collect();
    let commits = (0..calls.len()).filter(|next| calls[*next].is_commit());
    instants.extend(dice.choose_multiple(commits, LOSSES));
    instants.push(calls.len());
    instants.sort_unstable();
    let parent = directory.parent().unwrap();
    let mut disk = Disk::new(parent);
    let (mut acknowledged, mut repeated) = (Acknowledged::default(), 0);
    for instant in instants {
        for call in &calls[repeated..instant] {
            disk.repeat(call, dice);
            if let Some(printed) = call.printed() {
                printed.lines().for_each(|line| acknowledged.read(line));
            }
        }
        repeated = instant;
        let left = tempfile::tempdir().unwrap();
        disk.lose_power(left.path(), dice);
        let directory = left.path().join(directory.strip_prefix(parent).unwrap());
        if !acknowledged.is_empty() {
            verify(&directory, &acknowledged, &format!("{what}, power lost after call {instant}"));
        }
    }
    !acknowledged.is_empty()
}

#[test]
fn a_loss_of_power_loses_no_acknowledged_write() {
    if is_skipped() {
        return;
    }
    for round in 0..ROUNDS * setting(SOAK, 1) {
        let mut dice = fastrand::Rng::with_seed(round);
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        let calls = calls_of_child(&directory, None);
        assert!(lose_power(&directory, &calls, &mut dice, &format!("round {round}")));
    }
}

/// The engine drops a damaged end of its log when it is opened. A loss of power after that once
/// could take the proof that the end had been acknowledged.
#[test]
fn the_number_of_the_last_commit_is_durable_before_the_log_is_read() {
    if is_skipped() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    drop(calls_of_child(&directory, None));
    let calls = calls_of_child(&directory, None);
    let synced = calls.iter().position(|call| call.is_of("fsync", "/fluo.commits"));
    let read = calls.iter().position(|call| call.is_of("openat", ".jnl"));
    assert!(synced.is_some() && synced < read, "synced: {synced:?}, read: {read:?}");
}

/// The sync of a thread fails once. What it should have written may be lost for ever, although
/// later syncs succeed.
#[test]
fn a_failed_sync_loses_no_acknowledged_write() {
    if is_skipped() {
        return;
    }
    let (mut has_failed, mut has_acknowledged) = (false, false);
    for round in 0..ROUNDS * setting(SOAK, 1) {
        let mut dice = fastrand::Rng::with_seed(round);
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("tables");
        let call = dice.choice(["fsync", "fdatasync"]).unwrap();
        let number = dice.u32(1..40);
        let inject = format!("{call}:error=EIO:when={number}");
        let calls = calls_of_child(&directory, Some(&inject));
        has_failed |= calls.iter().any(Call::has_failed_to_sync);
        let what = format!("round {round}, {inject}");
        has_acknowledged |= lose_power(&directory, &calls, &mut dice, &what);
    }
    assert!(has_failed && has_acknowledged, "failed: {has_failed}");
}
