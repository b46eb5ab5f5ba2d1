//! Loaders run many transactions at once, within limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_table::{Error, ErrorKind};
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::{column, read_now};
use tokio::sync::Semaphore;

#[tokio::test(start_paused = true)]
async fn a_load_waits_while_the_queue_is_full() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().tasks(2).queue(3).start().unwrap();
    let (running, resume) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let bring = async |row: usize| {
        let shared = (running.clone(), resume.clone());
        let loaded = loaders.load((row, shared), async |tx, (row, (running, resume))| {
            running.fetch_add(1, Ordering::SeqCst);
            drop(resume.acquire().await);
            tx.set(format!("row {row}"), &column("a"), "1")
        });
        loaded.await.unwrap();
    };
    let second = Duration::from_secs(1);
    for row in 0..5 {
        tokio::time::timeout(second, bring(row)).await.unwrap();
    }
    assert!(tokio::time::timeout(second, bring(5)).await.is_err(), "there is no room");
    assert_eq!(running.load(Ordering::SeqCst), 2);
    resume.close();
    bring(6).await;
    loaders.finish().await.unwrap();
    for row in [0, 1, 2, 3, 4, 6] {
        assert_eq!(read_now(&client, &format!("row {row}"), "a").await, 1);
    }
    assert_eq!(read_now(&client, "row 5", "a").await, 0);
}

/// Regression test: the lines of a file are `String`s, and `load` took a body without an input. A
/// body that moved its line did not compile (E0507), because a retry would have no line. Each
/// attempt gets a clone of the input.
#[tokio::test]
async fn each_attempt_gets_a_clone_of_the_input() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().start().unwrap();
    let attempts = Arc::new(AtomicUsize::new(0));
    for line in "alice 1\nbob 2\n".lines().map(str::to_owned) {
        let input = (line, client.clone(), attempts.clone());
        let loaded = loaders.load(input, async |tx, (line, client, attempts)| {
            let (row, value) = line.split_once(' ').unwrap();
            tx.set(row.to_owned(), &column("a"), value.to_owned())?;
            if attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                // The first attempt gets a conflict.
                let row = row.to_owned();
                let other = client.run(async |tx| tx.set(row.clone(), &column("a"), "0"));
                other.await?;
            }
            drop(line);
            Ok(())
        });
        loaded.await.unwrap();
    }
    loaders.finish().await.unwrap();
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    assert_eq!(read_now(&client, "alice", "a").await, 1);
    assert_eq!(read_now(&client, "bob", "a").await, 2);
}

#[tokio::test]
async fn later_loads_return_the_first_error() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().tasks(1).queue(0).start().unwrap();
    loaders.load("r", async |tx, row| tx.set(row, &column("a"), "1")).await.unwrap();
    loaders.load((), async |_, ()| Err(Error::invalid("no such page"))).await.unwrap();
    let error =
        loaders.load("s", async |tx, row| tx.set(row, &column("a"), "1")).await.unwrap_err();
    assert_eq!(error.to_string(), "no such page");
    assert_eq!(loaders.finish().await.unwrap_err().to_string(), "no such page");
    assert_eq!((read_now(&client, "r", "a").await, read_now(&client, "s", "a").await), (1, 0));
}

#[tokio::test]
async fn a_body_that_panics_is_an_error() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().start().unwrap();
    let panics = loaders.load((), async |_, ()| panic!("no page"));
    panics.await.unwrap();
    let error = loaders.finish().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), "the body of a load panicked: no page");
}

#[tokio::test]
async fn a_submitted_body_returns_its_own_result_or_error() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().start().unwrap();
    let submitted = loaders
        .submit("r", async |tx, row| {
            tx.set(row, &column("a"), "1")?;
            Ok::<_, Error>(42)
        })
        .await;
    let failed =
        loaders.submit((), async |_, ()| Err::<(), _>(Error::invalid("no such page"))).await;
    assert_eq!(submitted.await.unwrap(), 42);
    assert_eq!(failed.await.unwrap_err().to_string(), "no such page");
    loaders.finish().await.unwrap();
    assert_eq!(read_now(&client, "r", "a").await, 1);
}

#[tokio::test(start_paused = true)]
async fn dropped_loaders_cancel_their_bodies() {
    let client = Fixture::in_memory().await.client().await;
    let loaders = client.loaders().start().unwrap();
    let pending = loaders
        .submit((), async |_, ()| {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok::<_, Error>(())
        })
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(loaders);
    let error = pending.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uncertain);
    assert_eq!(
        error.to_string(),
        "the loaders were dropped before the result of this body was known; check its writes before you repeat them"
    );
    let now = client.begin().await.unwrap().commit().await.unwrap().start;
    assert!(client.advance_horizon().await.unwrap() > now, "no transaction is open");
}
