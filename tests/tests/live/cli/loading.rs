//! Loads of many rows into a real table.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use super::{fluo, name};
use crate::faults_ground::say;

/// Greatest memory that a load may use at any time, in MB: a third of the loaded data.
const BOUND_MB: usize = 64;

/// Returns a line of 1,000 bytes.
fn line(number: usize) -> String {
    format!("{number:0>999}\n")
}

/// Returns the greatest memory that a process has used so far, in MB, or `None` if it has ended.
fn peak_mb(child: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    Some(kilobytes / 1_024)
}

/// Feeds a load, and watches its memory until it has ended. Returns the greatest value, in MB.
fn watched(child: &mut Child, rows: usize) -> usize {
    let mut stdin = child.stdin.take().unwrap();
    let mut peak = 0;
    for number in 0..rows {
        stdin.write_all(line(number).as_bytes()).unwrap();
        if number % 1_000 == 0 {
            peak = peak.max(peak_mb(child).unwrap());
        }
    }
    drop(stdin);
    // The rows that were read last are still to be written.
    while let Some(seen) = peak_mb(child) {
        peak = peak.max(seen);
        thread::sleep(Duration::from_millis(5));
    }
    peak
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_of_200_mb_uses_little_memory() {
    const ROWS: usize = 200_000;
    let Some(fluo) = fluo() else { return };
    let table = name("cli_load");
    fluo.run(&format!("create {table}")).succeeds();
    let mut command = fluo.command(&format!("load {table} --prefix p --json -"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let peak = watched(&mut child, ROWS);
    let run = fluo.judge(child.wait_with_output().unwrap()).succeeds();
    let loaded = run.json();
    assert_eq!(loaded["rows"], ROWS);
    say(&format!(
        "200 MB of rows loaded in {:.1} s; the most memory was {peak} MB",
        loaded["seconds"].as_f64().unwrap()
    ));
    assert!(peak > 0 && peak < BOUND_MB, "200 MB of rows took {peak} MB of memory");
    let shown = fluo.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], ROWS);
    fluo.run(&format!("delete --yes {table}")).succeeds();
}
