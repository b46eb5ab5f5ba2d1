//! A client never has more connections than its settings say.

use std::time::Duration;

use accumulo_proxy::ProxyClient;
use futures::future::join_all;

use crate::fake::{Answer, Fake};
use crate::generated as wire;

const CONNECTIONS: usize = 3;

#[tokio::test]
async fn many_calls_share_a_few_connections() {
    let fake = Fake::start(|_| {
        Answer::reply(wire::ListSplitsReply::new(Vec::new(), None, None, None))
            .after(Duration::from_millis(10))
    })
    .await;
    let mut settings = fake.settings();
    settings.connections = CONNECTIONS.try_into().unwrap();
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
async fn connections_that_are_closed_at_once_are_made_again() {
    let fake =
        Fake::start(|_| Answer::reply(wire::ListSplitsReply::new(Vec::new(), None, None, None)))
            .await;
    let client = fake.client();
    fake.refuse_connections(3);
    // The login has one try; then connections are good.
    while client
        .table_operations()
        .list_splits("t", Some(10))
        .await
        .is_err()
    {}
    assert_eq!(fake.count("listSplits"), 1);
}
