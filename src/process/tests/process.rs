//! Processes on a directory: what a stop waits for, and what loaders say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must say so")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, Column, ErrorKind, Result};
use fluo_process::{Process, ProcessOptions};
use tokio::sync::Notify;

const TEXT: Column = Column::from_static("page", "text");
const LENGTH: Column = Column::from_static("page", "length");

fn options(directory: &Path) -> ProcessOptions {
    ProcessOptions::at(&format!("embedded:{}", directory.display())).unwrap()
}

async fn measuring(process: &Process) -> Client {
    let web = process.application("web").observe(&TEXT, "measure", async |tx, page| {
        let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
        tx.set(page, &LENGTH, length.to_string())
    });
    web.open_or_create().await.unwrap()
}

/// Starts an observer that never ends, stops the process, and returns the directory.
async fn abandoned(max_drain: Duration, stops: usize) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let process = options(directory.path()).max_drain(max_drain).start().await.unwrap();
    let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let web = process.application("web").observe(&TEXT, "measure", move |_, _| {
        started.send(()).unwrap();
        std::future::pending::<Result<()>>()
    });
    let client = web.open_or_create().await.unwrap();
    let (stopper, worker) = (process.stopper(), client.worker());
    let running = tokio::spawn(process.run_worker(worker));
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    begun.recv().await.unwrap();
    assert!(!running.is_finished());
    for _ in 0..stops {
        stopper.stop();
    }
    running.await.unwrap().unwrap();
    directory
}

/// Starts a later process, once the tasks of the one before have closed the directory, which they
/// do when they next run.
async fn later(directory: &Path) -> Process {
    loop {
        match options(directory).start().await {
            Ok(process) => return process,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A worker of a later process runs the notification that was abandoned.
async fn is_processed(directory: &Path) {
    let process = later(directory).await;
    let client = measuring(&process).await;
    let (stopper, worker) = (process.stopper(), client.worker());
    let running = tokio::spawn(process.run_worker(worker));
    client.wait_until_idle().await.unwrap();
    let length = client.snapshot().await.unwrap().get("org.wikipedia", &LENGTH).await.unwrap();
    assert_eq!(length.as_deref(), Some(&b"15"[..]));
    stopper.stop();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_abandons_work_that_takes_too_long() {
    let directory = abandoned(Duration::from_millis(100), 1).await;
    is_processed(directory.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_waits_for_a_running_observer() {
    let directory = tempfile::tempdir().unwrap();
    let process = options(directory.path()).start().await.unwrap();
    let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let finish = Arc::new(Notify::new());
    let finishing = finish.clone();
    let web = process.application("web").observe(&TEXT, "measure", move |tx, page| {
        let (started, finishing) = (started.clone(), finishing.clone());
        async move {
            started.send(()).unwrap();
            finishing.notified().await;
            tx.set(page, &LENGTH, "15")
        }
    });
    let client = web.open_or_create().await.unwrap();
    let (stopper, worker) = (process.stopper(), client.worker());
    let mut running = tokio::spawn(process.run_worker(worker));
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    begun.recv().await.unwrap();
    stopper.stop();
    let early = tokio::time::timeout(Duration::from_millis(50), &mut running).await;
    assert!(early.is_err(), "the observer still runs");
    finish.notify_one();
    running.await.unwrap().unwrap();
    let length = client.snapshot().await.unwrap().get("org.wikipedia", &LENGTH).await.unwrap();
    assert_eq!(length.as_deref(), Some(&b"15"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_stop_abandons_work_at_once() {
    let directory = abandoned(Duration::from_secs(3_600), 2).await;
    is_processed(directory.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loaders_end_with_their_input_or_say_that_they_were_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let process = options(directory.path()).start().await.unwrap();
    let client = process.application("web").open_or_create().await.unwrap();
    let loaders = client.loaders().tasks(4);
    let all = process.run_loaders(loaders, async |loaders| {
        for number in 0..100_u32 {
            let load = loaders
                .load(number, async |tx, number| tx.set(format!("page:{number:03}"), &TEXT, "new"));
            load.await?;
        }
        Ok::<_, fluo_engine::Error>(())
    });
    all.await.unwrap();
    let count = async |client: &Client| {
        let now = client.snapshot().await.unwrap();
        let mut found = 0;
        for number in 0..200_u32 {
            let page = format!("page:{number:03}");
            found += usize::from(now.get(page, &TEXT).await.unwrap().is_some());
        }
        found
    };
    assert_eq!(count(&client).await, 100);
    drop(client);

    let process = later(directory.path()).await;
    let client = process.application("web").open().await.unwrap();
    let stopper = process.stopper();
    let part = process.run_loaders(client.loaders(), async |loaders| {
        for number in 100..150_u32 {
            let load = loaders
                .load(number, async |tx, number| tx.set(format!("page:{number:03}"), &TEXT, "new"));
            load.await?;
        }
        stopper.stop();
        std::future::pending().await
    });
    let error: fluo_engine::Error = part.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "a signal came before all input was loaded");
    // What was loaded before the signal has committed.
    assert_eq!(count(&client).await, 150);
}

#[tokio::test]
async fn refuses_an_option_out_of_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(directory.path()).max_drain(Duration::from_secs(7_200));
    assert_eq!(
        options.start().await.unwrap_err().to_string(),
        "option `max_drain` is 7200s; it must be at most 3600s"
    );
}
