//! Time limits apply to every waiting caller, however many there are. A request that was never sent
//! certainly had no effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use accumulo_proxy::{
    Compaction, Condition, ConditionalOutcome, ConditionalWriterOptions, Credentials, ErrorKind,
    Mutation, ProxyClient,
};
use futures::future::join_all;
use tokio::time::Instant;

use crate::fake::{Answer, Fake, PASSWORD, Request, STUCK, opened, timed_out, until};
use crate::interface as wire;
use crate::raw::Raw;

fn client(fake: &Fake, connections: usize) -> ProxyClient {
    let settings = fake.settings().connections(connections.try_into().unwrap());
    ProxyClient::lazy(settings)
}

fn put(row: &str) -> Mutation {
    Mutation::new(row.to_owned()).put("f", "q", "v")
}

fn written(request: &Request) -> Answer {
    match request.call.as_str() {
        "updateAndFlush" => Answer::result::<wire::UpdateAndFlush>(()),
        _ => Answer::Never,
    }
}

/// Regression test: each caller that had waited for a refused login made one of its own.
#[tokio::test]
async fn a_refused_login_fails_for_all_callers_that_waited_for_it() {
    let fake = Fake::start(written).await;
    fake.refuse_logins(1);
    let client = client(&fake, 4);
    let calls = join_all((0..20).map(|_| client.write("t", vec![put("a")])));
    for written in calls.await {
        assert_eq!(written.unwrap_err().kind(), ErrorKind::Security);
    }
    assert_eq!(fake.count("login"), 1);
    client.write("t", vec![put("a")]).await.unwrap();
    assert_eq!(fake.count("login"), 2);
}

/// Regression test: the calls tried to log in one after the other.
#[tokio::test]
async fn an_unanswered_login_fails_for_all_callers_together() {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let server = Raw::start(move |stream| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            let _stream = stream;
            std::future::pending().await
        }
    })
    .await;
    let settings = server
        .settings()
        .credentials(Credentials::password("root", PASSWORD))
        .connect_timeout(STUCK);
    let client = ProxyClient::lazy(settings);
    let tables = client.table_operations();
    let start = Instant::now();
    let calls = join_all((0..20).map(|_| tables.exists("t")));
    let is_connected = || connections.load(Ordering::SeqCst) > 0;
    for exists in timed_out("a connection", is_connected, calls).await {
        let error = exists.unwrap_err();
        assert_eq!((error.kind(), error.call()), (ErrorKind::TimedOut, "login"));
    }
    assert!(start.elapsed() < 3 * STUCK, "{:?}", start.elapsed());
}

/// Regression test: the calls tried to open the writer one after the other, and the mutations
/// behind them waited for each attempt.
#[tokio::test]
async fn rows_that_wait_for_a_writer_time_out() {
    let fake = Fake::start(|_| Answer::Never).await;
    let options = ConditionalWriterOptions::default().rows_per_call(1.try_into().unwrap());
    let writer = client(&fake, 4).conditional_writer("t", options);
    let start = Instant::now();
    let rows = (0..20).map(|row| {
        let mutation = put(&format!("row{}", row % 10)).when([Condition::absent("f", "q")]);
        writer.write(mutation)
    });
    let is_asked = || fake.count("createConditionalWriter") > 0;
    for outcome in timed_out("the first call", is_asked, join_all(rows)).await {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(!error.may_have_taken_effect());
    }
    assert!(start.elapsed() < 4 * STUCK, "{:?}", start.elapsed());
    assert_eq!(fake.count("updateRowsConditionally"), 0);
}

/// A mutation behind another of its row was never sent, so its outcome is certain.
#[tokio::test]
async fn a_mutation_behind_one_without_an_answer_is_not_written() {
    let fake = Fake::start(|request| match request.call.as_str() {
        "createConditionalWriter" => opened(request),
        _ => Answer::Never,
    })
    .await;
    let writer = client(&fake, 4).conditional_writer("t", ConditionalWriterOptions::default());
    let mutation = || put("same").when([Condition::absent("f", "q")]);
    let both = writer.write_all(vec![mutation(), mutation()]);
    let is_asked = || fake.count("updateRowsConditionally") > 0;
    let outcomes = timed_out("the first mutation", is_asked, both).await.unwrap();
    for (outcome, is_possible) in outcomes.into_iter().zip([true, false]) {
        let ConditionalOutcome::Unknown(Some(error)) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert_eq!(error.may_have_taken_effect(), is_possible, "{error}");
    }
    assert_eq!(fake.count("updateRowsConditionally"), 1);
}

/// Regression test: the error of a write that never had a connection said that it may be written.
#[tokio::test]
async fn a_write_that_never_had_a_connection_has_no_effect() {
    let fake = Fake::start(|_| Answer::Never).await;
    let client = client(&fake, 1);
    let tables = client.table_operations();
    let compact = tables.compact("t", Compaction::default());
    let write = async {
        until("the compaction", || fake.count("compactTable") == 1).await;
        timed_out("nothing", || true, client.write("t", vec![put("a")])).await
    };
    let error = tokio::select! {
        _ = compact => panic!("the compaction has no answer"),
        written = write => written.unwrap_err(),
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert_eq!(error.reason(), "not sent within 300s: no connection was available");
    assert!(!error.may_have_taken_effect());
    assert_eq!(fake.count("updateAndFlush"), 0);
}

#[tokio::test]
async fn a_write_without_an_answer_may_be_written() {
    let fake = Fake::start(|_| Answer::Never).await;
    let client = client(&fake, 1);
    let write = client.write("t", vec![put("a")]);
    let is_asked = || fake.count("updateAndFlush") > 0;
    let error = timed_out("the write", is_asked, write).await.unwrap_err();
    assert_eq!(error.reason(), "no answer within 300s");
    assert!(error.may_have_taken_effect());
}

/// Regression test: compactions used all connections for minutes.
#[tokio::test]
async fn long_calls_leave_a_connection_to_the_others() {
    let fake = Fake::start(written).await;
    let client = client(&fake, 3);
    let tables = client.table_operations();
    let compactions = join_all((0..5).map(|_| tables.compact("t", Compaction::default())));
    let writes = async {
        until("two compactions", || fake.count("compactTable") == 2).await;
        for row in ["a", "b", "c"] {
            client.write("t", vec![put(row)]).await.unwrap();
        }
    };
    tokio::select! {
        _ = compactions => panic!("the compactions have no answer"),
        () = writes => {}
    }
    assert_eq!(fake.count("compactTable"), 2);
}
