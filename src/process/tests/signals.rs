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
/// Set in the child: what its observer does.
const CHILD: &str = "FLUO_TEST_CHILD";

/// Starts a child with a worker, and waits until its observer has begun.
fn start(observer: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]).env(CHILD, observer);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the observer has begun")));
    (child, lines)
}

fn terminate(child: &Child) {
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_signal_lets_a_running_observer_finish() {
    let (mut child, mut lines) = start("sleeps");
    terminate(&child);
    assert!(lines.any(|line| line.unwrap().contains("the observer has finished")));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_observer_that_blocks_its_thread_does_not_stop_the_exit() {
    let (mut child, lines) = start("blocks");
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    drop(lines);
}

/// Runs in the child only.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let Some(observer) = env::var_os(CHILD) else { return };
    let blocks = observer == "blocks";
    let limit = if blocks { Duration::ZERO } else { Duration::from_secs(60) };
    let directory = tempfile::tempdir().unwrap();
    let at = format!("embedded:{}", directory.path().display());
    let process = ProcessOptions::at(&at).unwrap().max_drain(limit).start().await.unwrap();
    let web = process.application("web").observe(&TEXT, "wait", move |_, _| async move {
        println!("the observer has begun");
        if blocks {
            std::thread::sleep(Duration::from_secs(3_600));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        println!("the observer has finished");
        Ok::<_, fluo_engine::Error>(())
    });
    let client = web.open_or_create().await.unwrap();
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    let worker = client.worker();
    drop(client);
    process.run_worker(worker).await.unwrap();
}
