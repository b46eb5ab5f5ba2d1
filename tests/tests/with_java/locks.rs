//! A process of one side dies in the middle of a commit, and the other side ends its transaction.

use std::env;
use std::future;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fluo_engine::{Client, InstanceExt, Transaction};
use fluo_table::{Column, Instance, TableAdmin};
use fluo_tests::{Call, Intercepted};
use tokio::runtime::Runtime;
use tokio::task::block_in_place;

use crate::ground::{Access, SHORT_SESSION, Together, ask, read};

/// Describes the child process, as JSON.
const IN_CHILD: &str = "FLUO_WITH_JAVA_CHILD";

/// A session timeout that lets tests go on soon after a kill.
const TIMEOUT: Duration = Duration::from_secs(4);

/// The cells of the killed transaction, as words of a command.
const CELLS: &str = "a f q new b f q new c f q new";

fn column() -> Column {
    Column::new("f", "q")
}

async fn values(client: &Client) -> Vec<String> {
    let mut values = Vec::new();
    for row in ["a", "b", "c"] {
        values.push(read(client, row, &column()).await.unwrap());
    }
    values
}

fn values_of_java(peer: &mut fluo_cluster::JavaPeer) -> Vec<String> {
    let get = |row: &str| ask(peer, &format!("get {row} f q"));
    ["a", "b", "c"].map(get).into()
}

/// Kills a process of Java after a command, and returns what this side then reads.
async fn read_after_the_end_of_java(command: &str) -> Option<Vec<String>> {
    let together = Together::new("killed_java")?;
    let mut java = together.java_with_oracle(&[]);
    ask(&mut java, "set a f q old b f q old c f q old");
    let client = together.client().await;
    assert_eq!(values(&client).await, ["old"; 3]);
    let mut killed = together.java_with(&[SHORT_SESSION]);
    ask(&mut killed, &format!("{command} {CELLS}"));
    drop(killed);
    let seen = values(&client).await;
    // All locks are gone, so a write of the cells succeeds.
    ask(&mut java, "set a f q last b f q last c f q last");
    assert_eq!(values(&client).await, ["last"; 3]);
    Some(seen)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolls_back_a_killed_java_client_that_had_locked_its_cells() {
    if let Some(seen) = read_after_the_end_of_java("prewrite").await {
        assert_eq!(seen, ["old"; 3]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolls_forward_a_killed_java_client_that_had_committed_its_primary() {
    if let Some(seen) = read_after_the_end_of_java("commit-primary").await {
        assert_eq!(seen, ["new"; 3]);
    }
}

/// A lock is not rolled back while its owner lives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_for_a_java_client_that_lives() {
    let Some(together) = Together::new("waiting") else { return };
    let mut java = together.java_with_oracle(&[]);
    ask(&mut java, "set a f q old");
    let client = together.client().await;
    ask(&mut java, "prewrite a f q new");
    let column = column();
    let reading = read(&client, "a", &column);
    let waited = tokio::time::timeout(Duration::from_secs(3), reading).await;
    assert!(waited.is_err(), "{waited:?}");
    drop(java);
}

/// Runs only as the child process of the tests below, which kill it.
#[test]
fn a_child_that_is_killed() {
    let Ok(arguments) = env::var(IN_CHILD) else { return };
    let (access, calls) = serde_json::from_str::<(Access, u32)>(&arguments).unwrap();
    Runtime::new().unwrap().block_on(stop_in_commit(access, calls));
}

/// Commits a transaction up to a number of its conditional writes, and waits for the kill.
async fn stop_in_commit(access: Access, calls: u32) {
    let options = access.options(TIMEOUT);
    let fluo = fluo_accumulo::connect(options).await.unwrap();
    let tables: Arc<dyn TableAdmin> = Arc::new(fluo.clone());
    let made = Arc::new(AtomicU32::new(0));
    let stop = move |call: &Call| {
        let is_next = match call {
            Call::WriteConditional(_) => made.fetch_add(1, Ordering::Relaxed) >= calls,
            call => call.is_write() && made.load(Ordering::Relaxed) >= calls,
        };
        async move {
            if is_next {
                println!("stopped");
                future::pending::<()>().await;
            }
            Ok(None)
        }
    };
    let tables = Arc::new(Intercepted::with_hooks(tables, stop));
    let fluo = Instance::new(tables, fluo.applications().clone());
    let client = fluo.application(access.name).open().await.unwrap();
    let body = async |tx: Transaction| {
        for row in ["a", "b", "c"] {
            tx.set(row, &column(), "new")?;
        }
        Ok::<(), fluo_engine::Error>(())
    };
    client.run(body).await.unwrap();
    // The rows behind the commit point are written in the background.
    client.wait_until_rolled_forward().await;
}

/// Kills a child after a number of conditional writes, and returns what Java then reads.
async fn read_of_java_after_a_kill(calls: u32) -> Option<Vec<String>> {
    let together = Together::new("killed_rust")?;
    let mut java = together.java_with_oracle(&[]);
    ask(&mut java, "set a f q old b f q old c f q old");
    let arguments = serde_json::to_string(&(together.access(), calls)).unwrap();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "locks::a_child_that_is_killed", "--nocapture"])
        .env(IN_CHILD, arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let stopped = block_in_place(|| lines.any(|line| line.unwrap().ends_with("stopped")));
    assert!(stopped);
    child.kill().unwrap();
    child.wait().unwrap();
    let seen = values_of_java(&mut java);
    let client = together.client().await;
    assert_eq!(values(&client).await, seen);
    Some(seen)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn java_rolls_back_a_killed_client_that_had_locked_its_cells() {
    // The second call locks the cells that are not the primary.
    if let Some(seen) = read_of_java_after_a_kill(2).await {
        assert_eq!(seen, ["old"; 3]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn java_rolls_forward_a_killed_client_that_had_committed_its_primary() {
    if let Some(seen) = read_of_java_after_a_kill(3).await {
        assert_eq!(seen, ["new"; 3]);
    }
}
