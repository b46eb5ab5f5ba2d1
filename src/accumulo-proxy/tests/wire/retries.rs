//! Retries: the calls that are sent again, and the conditions.

use std::time::Duration;

use accumulo_proxy::{ErrorKind, Mutation};
use tokio::time::sleep;

use crate::fake::{Answer, Fake, Request};
use crate::interface as wire;

fn answer(request: &Request) -> Answer {
    match request.call.as_str() {
        "listSplits" => Answer::result::<wire::ListSplits>(Vec::new()),
        "updateAndFlush" => Answer::result::<wire::UpdateAndFlush>(()),
        other => panic!("unexpected call {other}"),
    }
}

fn put() -> Vec<Mutation> {
    vec![Mutation::new("r").put("f", "q", "v")]
}

#[tokio::test]
async fn retries_a_call_that_only_reads() {
    let fake = Fake::start(|request| match request.nth {
        0 | 1 => Answer::Close,
        _ => answer(request),
    })
    .await;
    let client = fake.client();
    client.table_operations().list_splits("t", Some(10)).await.unwrap();
    assert_eq!(fake.count("listSplits"), 3);
}

#[tokio::test]
async fn never_retries_a_write_whose_request_was_sent() {
    let fake = Fake::start(|_| Answer::Close).await;
    let error = fake.client().write("t", put()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.may_have_taken_effect());
    sleep(Duration::from_millis(50)).await;
    assert_eq!(fake.count("updateAndFlush"), 1);
}

#[tokio::test]
async fn retries_an_unsent_write_until_the_proxy_is_back() {
    let fake = Fake::start(answer).await;
    let settings = fake.settings().tries(100.try_into().unwrap());
    let client = accumulo_proxy::ProxyClient::connect(settings).await.unwrap();
    fake.go_away().await;
    // The client detects that the idle connection is closed.
    sleep(Duration::from_millis(20)).await;
    let (written, ()) = tokio::join!(client.write("t", put()), async {
        sleep(Duration::from_millis(100)).await;
        fake.come_back().await;
    });
    written.unwrap();
    assert_eq!(fake.count("updateAndFlush"), 1);
}

#[tokio::test]
async fn fails_without_effect_if_the_proxy_stays_unreachable() {
    let fake = Fake::start(answer).await;
    let client = accumulo_proxy::ProxyClient::connect(fake.settings()).await.unwrap();
    fake.go_away().await;
    sleep(Duration::from_millis(20)).await;
    let error = client.write("t", put()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(!error.may_have_taken_effect());
    assert_eq!(fake.count("updateAndFlush"), 0);
}

/// Regression test: the error was that of the last attempt, which was not sent, and so it denied a
/// possible effect of the first.
#[tokio::test]
async fn a_call_whose_first_attempt_was_sent_may_have_taken_effect() {
    let fake = Fake::start(|_| Answer::Never).await;
    let client = fake.client();
    let tables = client.table_operations();
    let (added, ()) = tokio::join!(tables.add_splits("t", ["m"]), async {
        while fake.count("addSplits") == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        fake.go_away().await;
    });
    let error = added.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.reason().contains("cannot reach the proxy"), "{error}");
    assert!(error.may_have_taken_effect());
}

#[tokio::test]
async fn an_internal_failure_of_the_proxy_may_have_taken_effect() {
    let fake = Fake::start(|_| Answer::Refuse(6, "Internal error processing updateAndFlush")).await;
    let error = fake.client().write("t", put()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.may_have_taken_effect());
    assert_eq!(fake.count("updateAndFlush"), 1);
}
