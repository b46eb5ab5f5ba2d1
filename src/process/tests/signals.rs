//! Signals to a process, which is this program again.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must say so")]
#![expect(clippy::print_stdout, reason = "the parent reads it")]

use std::env;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use fluo_engine::Column;
use fluo_process::ProcessOptions;

const TEXT: Column = Column::from_static("page", "text");
/// A line of the child.
const BEGUN: &str = "the work has begun";
/// Set in the child: what it does.
const CHILD: &str = "FLUO_TEST_CHILD";

/// Starts a child, and waits until its work has begun.
fn start(work: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env(CHILD, work);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(BEGUN)));
    (child, lines)
}

fn terminate(child: &Child) {
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_signal_lets_a_running_observer_finish() {
    let (mut child, mut lines) = start("observer sleeps");
    terminate(&child);
    assert!(lines.any(|line| line.unwrap().contains("the observer has finished")));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn work_that_blocks_its_thread_does_not_stop_the_exit() {
    for work in ["observer blocks", "load blocks", "before it runs"] {
        let (mut child, lines) = start(work);
        terminate(&child);
        assert_eq!(child.wait().unwrap().code(), Some(143), "{work}");
        drop(lines);
    }
}

#[test]
fn a_second_signal_leaves_no_time() {
    let (mut child, lines) = start("load blocks for longer");
    terminate(&child);
    // Signals of one kind that arrive together are one.
    while child.try_wait().unwrap().is_none() {
        terminate(&child);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(child.wait().unwrap().code(), Some(143));
    drop(lines);
}

fn block() {
    println!("{BEGUN}");
    std::thread::sleep(Duration::from_secs(3_600));
}

/// Runs in the child only.
#[tokio::test]
async fn child() {
    let Ok(work) = env::var(CHILD) else { return };
    let waits = ["observer sleeps", "load blocks for longer"].contains(&&*work);
    let limit = if waits { Duration::from_secs(3_600) } else { Duration::ZERO };
    let directory = tempfile::tempdir().unwrap();
    let at = format!("embedded:{}", directory.path().display());
    let process = ProcessOptions::at(&at).unwrap().max_drain(limit).start().await.unwrap();
    if work == "before it runs" {
        println!("{BEGUN}");
        std::future::pending::<()>().await;
    }
    let blocks = work == "observer blocks";
    let web = process.application("web").observe(&TEXT, "wait", move |_, _| async move {
        if blocks {
            block();
        }
        println!("{BEGUN}");
        tokio::time::sleep(Duration::from_millis(200)).await;
        println!("the observer has finished");
        Ok::<_, fluo_engine::Error>(())
    });
    let client = web.open_or_create().await.unwrap();
    if work.starts_with("load blocks") {
        let load = async |_: &_| {
            block();
            Ok::<_, fluo_engine::Error>(())
        };
        return process.run_loaders(client.loaders(), load).await.unwrap();
    }
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    let worker = client.worker();
    drop(client);
    process.run_worker(worker).await.unwrap();
}
