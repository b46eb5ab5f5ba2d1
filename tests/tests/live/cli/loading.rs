//! Rows into a real table, many of them.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use fluo_cluster::ProxySettings;

use super::{Fluo, assert_says, fluo, name};

/// A line of 1,000 bytes.
fn line(number: usize) -> String {
    format!("{number:0>999}\n")
}

/// The most memory that a process has had, in MB.
fn peak_mb(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    peak.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        / 1_024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_load_takes_little_memory() {
    const ROWS: usize = 60_000;
    let Some(fluo) = fluo() else { return };
    let table = name("cli_load");
    fluo.run(&format!("create {table}")).succeeds();
    let mut command = fluo.command(&format!("load {table} --prefix p --json -"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut peak = 0;
    for number in 0..ROWS {
        stdin.write_all(line(number).as_bytes()).unwrap();
        if number % 1_000 == 0 {
            peak = peak.max(peak_mb(&child));
        }
    }
    drop(stdin);
    let run = fluo.judge(child.wait_with_output().unwrap()).succeeds();
    assert_eq!(run.json()["rows"], ROWS);
    assert!(
        peak > 0 && peak < 64,
        "60 MB of rows took {peak} MB of memory"
    );
    let shown = fluo.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], ROWS);
    fluo.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_whose_proxy_goes_away_says_how_many_rows_are_written() {
    let Some(cluster) = crate::cluster::cluster() else {
        return;
    };
    let proxy = cluster.start_proxy(ProxySettings::default()).unwrap();
    let fluo = Fluo::new(&proxy.address(), cluster.user(), cluster.password());
    let table = name("cli_gone");
    fluo.run(&format!("create {table}")).succeeds();
    let mut command = fluo.command(&format!("load {table} --prefix p -"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeding = thread::spawn(move || {
        let mut number = 0;
        while stdin.write_all(line(number).as_bytes()).is_ok() {
            number += 1;
        }
    });
    thread::sleep(Duration::from_secs(2));
    proxy.kill().unwrap();
    let message = fluo.judge(child.wait_with_output().unwrap()).fails();
    assert_says(&message, "the load stopped after ");
    assert_says(&message, " rows were written");
    assert_says(&message, &proxy.address());
    feeding.join().unwrap();
}
