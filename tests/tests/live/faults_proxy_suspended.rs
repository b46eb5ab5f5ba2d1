//! The proxy is suspended during calls, and resumes after their callers timed out.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::{ErrorKind as ProxyKind, Mutation, ProxyClient};
use fluo_table::{Column, ErrorKind, Table, TableAdmin};
use futures::future::join_all;
use tokio::time::Instant;

use crate::faults_ground::{Broken, open, pair};
use crate::faults_writers::{Signals, Told, load};
use crate::ground::until;

/// Time limit of a call. Calls that the proxy answers take far less, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(8);
const WRITERS: usize = 8;
/// Number of limits that calls of all writers take if they wait one after the other.
const MANY: u32 = 8;
/// A suspension that meets no write under way is repeated this many times.
const SUSPENSIONS: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_fail_within_the_limit_and_their_late_writes_are_whole() {
    let Some(broken) = Broken::new("faults_suspended").await else { return };
    let settings = broken.settings.clone().call_timeout(LIMIT).connect_timeout(LIMIT);
    let tables = broken.tables(settings).await;
    let table = open(&tables, &broken.name).await;
    let mut told = Told::default();
    for suspension in 0..SUSPENSIONS {
        told.add(write_while_suspended(&broken, &table, suspension).await);
        if told.has(ErrorKind::Uncertain) {
            break;
        }
        // All writers were at the lookup of the table, which comes before each write.
        broken.proxy.resume().unwrap();
        serves_again(&table, &format!("0-after-{suspension}")).await;
    }
    let (name, address) = (&broken.name, broken.proxy.address());
    assert_eq!(
        told.message(ErrorKind::Uncertain),
        format!("updateAndFlush of `{name}` at {address}: no answer within {LIMIT:?}")
    );

    // Callers that look up the table at the same time share one call, so they wait together, and
    // not one after the other.
    let start = Instant::now();
    let looks = join_all((0..WRITERS).map(|_| tables.splits(name))).await;
    assert!(start.elapsed() < LIMIT * MANY, "{:?}", start.elapsed());
    for look in looks {
        let error = look.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let expected = format!("tableIdMap at {address}: no answer within {LIMIT:?}");
        assert_eq!(error.to_string(), expected);
    }
    broken.proxy.resume().unwrap();

    // The same connections serve the next calls.
    told.check(&broken.rows().await);
    let row = "0-next";
    serves_again(&table, row).await;
    let first = Column::new("f", "first");
    assert_eq!(table.get(row, &first).await.unwrap().unwrap(), "v");
    told.check(&broken.rows().await);
    broken.end().await;
}

/// Suspends the proxy while writers write; returns the outcomes of each up to its first failure.
async fn write_while_suspended(broken: &Broken, table: &Arc<dyn Table>, suspension: usize) -> Told {
    let signals = Arc::new(Signals::default());
    let first = suspension * WRITERS;
    let writers = (first..first + WRITERS).map(|writer| load(table, &signals, writer, true));
    let writers: Vec<_> = writers.collect();
    signals.successes(WRITERS * 5).await;

    broken.proxy.suspend().unwrap();
    let start = Instant::now();
    let told = Told::of(writers).await;
    // A write looks up the table and then writes: two calls. A late lookup waits for one more.
    assert!(start.elapsed() < LIMIT * MANY, "{:?}", start.elapsed());
    assert_eq!(told.errors.len(), WRITERS);
    told
}

/// Waits until a row can be written.
async fn serves_again(table: &Arc<dyn Table>, row: &str) {
    until("the proxy serves again", async || table.write(vec![pair(row, "v")]).await.is_ok()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_answer_does_not_answer_another_call() {
    const CALLS: usize = 8;
    let Some(broken) = Broken::new("faults_late").await else { return };
    // A connection for each, so that every call goes out.
    let connections = NonZeroUsize::new(CALLS).unwrap();
    let settings = broken.settings.clone().call_timeout(LIMIT).connections(connections);
    let client = ProxyClient::connect(settings).await.unwrap();
    let write = |row: String| {
        let (client, name) = (client.clone(), broken.name.clone());
        async move {
            let mutation =
                Mutation::new(row.clone()).put("f", "first", row.clone()).put("f", "second", row);
            client.write(&name, vec![mutation]).await
        }
    };
    // All connections are open, and known to the proxy.
    for outcome in join_all((0..CALLS).map(|call| write(format!("early-{call}")))).await {
        outcome.unwrap();
    }

    broken.proxy.suspend().unwrap();
    let start = Instant::now();
    let outcomes = join_all((0..CALLS).map(|call| write(format!("late-{call}")))).await;
    assert!(start.elapsed() >= LIMIT);
    for outcome in outcomes {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ProxyKind::TimedOut);
        assert!(error.may_have_taken_effect());
    }
    broken.proxy.resume().unwrap();

    // Calls of every kind, with different answers, while the late answers arrive.
    let tables = client.table_operations();
    for round in 0..50 {
        let missing = format!("{}_{round}", broken.name);
        let (is_there, is_missing, splits, servers) = tokio::join!(
            tables.exists(&broken.name),
            tables.exists(&missing),
            tables.list_splits(&broken.name, None),
            tables.test_class_load(&broken.name, "java.lang.String", "java.lang.Object"),
        );
        assert!(is_there.unwrap() && !is_missing.unwrap());
        assert!(splits.unwrap().is_empty() && servers.unwrap());
    }
    // The calls were sent before they timed out, so they take effect.
    until("the late rows are there", async || broken.rows().await.len() == 2 * CALLS).await;
    assert_eq!(broken.good.splits(&broken.name).await.unwrap().len(), 0);
    broken.end().await;
}
