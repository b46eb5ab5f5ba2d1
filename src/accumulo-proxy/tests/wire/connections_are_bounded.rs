//! A client never has more connections than its settings allow.

use std::time::Duration;

use accumulo_proxy::{ErrorKind, Mutation, ProxyClient};
use futures::future::join_all;
use tokio::time::sleep;

use crate::fake::{Answer, Fake, until};
use crate::interface as wire;

const CONNECTIONS: usize = 3;

#[tokio::test]
async fn many_calls_share_a_few_connections() {
    let fake = Fake::start(|_| {
        Answer::result::<wire::ListSplits>(Vec::new()).after(Duration::from_millis(10))
    })
    .await;
    let settings = fake.settings().connections(CONNECTIONS.try_into().unwrap());
    let client = ProxyClient::connect(settings).await.unwrap();
    let operations = client.table_operations();
    let calls = (0..30).map(|_| operations.list_splits("t", Some(10)));
    for splits in join_all(calls).await {
        splits.unwrap();
    }
    assert_eq!(fake.count("listSplits"), 30);
    assert_eq!(fake.most_open(), CONNECTIONS);
    assert_eq!(fake.connections(), CONNECTIONS);
}

#[tokio::test]
async fn reopens_connections_that_the_server_closes_immediately() {
    let fake = Fake::start(|_| Answer::result::<wire::ListSplits>(Vec::new())).await;
    let client = fake.client();
    fake.refuse_connections(3);
    // The login has one attempt; then connections work.
    let mut failures = 0;
    while let Err(error) = client.table_operations().list_splits("t", Some(10)).await {
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        failures += 1;
        assert!(failures < 10, "the connections never worked again");
    }
    assert_eq!(fake.count("listSplits"), 1);
}

/// Regression test: a connection that the server closed while this task blocked looked good, and
/// the write on it was lost.
#[tokio::test]
async fn does_not_use_a_connection_that_was_closed_while_the_task_blocked() {
    let server = std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let fake = runtime.block_on(Fake::start(|_| Answer::result::<wire::UpdateAndFlush>(())));
        (runtime, fake)
    });
    let (runtime, fake) = server.join().unwrap();
    let client = fake.client();
    let (close, to_close) = tokio::sync::oneshot::channel::<()>();
    let (closed, is_closed) = std::sync::mpsc::channel::<()>();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let server = std::thread::spawn(move || {
        runtime.block_on(async {
            to_close.await.unwrap();
            fake.break_connections();
            until("closed connections", || fake.open() == 0).await;
            closed.send(()).unwrap();
            while stopped.try_recv().is_err() {
                sleep(Duration::from_millis(5)).await;
            }
            fake.count("updateAndFlush")
        })
    });
    let put = || vec![Mutation::new("r").put("f", "q", "v")];
    client.write("t", put()).await.unwrap();
    close.send(()).unwrap();
    is_closed.recv().unwrap();
    // The client checks connections that were idle for a second.
    std::thread::sleep(Duration::from_millis(1500));
    client.write("t", put()).await.unwrap();
    stop.send(()).unwrap();
    assert_eq!(server.join().unwrap(), 2);
}
