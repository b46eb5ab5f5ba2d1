//! The server, seen by the client of the product.

#![cfg(test)]

use std::time::Duration;

use fluo_zookeeper::{Link, Operation, ZooKeeper};
use zookeeper_client::{Acls, Client, CreateMode, Error, EventType, SessionState};

async fn connect(link: &Link) -> Client {
    let connector = Client::connector().with_session_timeout(Duration::from_secs(10));
    connector.connect(&link.address()).await.unwrap()
}

fn persistent() -> zookeeper_client::CreateOptions<'static> {
    CreateMode::Persistent.with_acls(Acls::anyone_all())
}

fn ephemeral() -> zookeeper_client::CreateOptions<'static> {
    CreateMode::EphemeralSequential.with_acls(Acls::anyone_all())
}

#[tokio::test]
async fn numbers_the_children_of_a_node_and_deletes_them_with_their_session() {
    let zookeeper = ZooKeeper::new();
    let (one, other) = (zookeeper.link(), zookeeper.link());
    let client = connect(&one).await;
    client.create("/f", b"", &persistent()).await.unwrap();
    for expected in ["0000000000", "0000000001"] {
        let (stat, sequence) = client.create("/f/n-", b"", &ephemeral()).await.unwrap();
        assert_eq!(sequence.to_string(), expected);
        assert_eq!(stat.ephemeral_owner, client.session_id().0);
    }
    let watcher = connect(&other).await;
    let (names, changed) = watcher.list_and_watch_children("/f").await.unwrap();
    assert_eq!(names.len(), 2);
    drop(client);
    let event = changed.changed().await;
    assert_eq!(event.event_type, EventType::NodeChildrenChanged);
    while !zookeeper.children("/f").is_empty() {
        tokio::task::yield_now().await;
    }
    let (_, sequence) = watcher.create("/f/n-", b"", &ephemeral()).await.unwrap();
    assert_eq!(sequence.to_string(), "0000000002");
}

#[tokio::test(flavor = "multi_thread")]
async fn loses_an_answer_after_its_effect_and_continues_the_session() {
    let zookeeper = ZooKeeper::new();
    let link = zookeeper.link();
    let client = connect(&link).await;
    let (_, watcher) = client.check_and_watch_stat("/a").await.unwrap();
    link.lose_answer(Operation::Create, "/a");
    let created = client.create("/a", b"", &persistent()).await;
    assert_eq!(created.unwrap_err(), Error::ConnectionLoss);
    link.wait_for_cut().await;
    link.resume();
    assert!(client.check_stat("/a").await.unwrap().is_some());
    assert_eq!(watcher.changed().await.event_type, EventType::NodeCreated);
    assert_eq!(client.state(), SessionState::SyncConnected);
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_the_sessions_of_a_link_and_those_that_are_silent() {
    let zookeeper = ZooKeeper::new();
    let (one, other) = (zookeeper.link(), zookeeper.link());
    let root = connect(&other).await;
    root.create("/f", b"", &persistent()).await.unwrap();
    let expired = connect(&one).await;
    expired.create("/f/n-", b"", &ephemeral()).await.unwrap();
    one.expire_sessions();
    assert_eq!(zookeeper.children("/f"), [] as [&str; 0]);
    let mut state = expired.state_watcher();
    while !expired.state().is_terminated() {
        state.changed().await;
    }
    let connector = Client::connector().with_session_timeout(Duration::from_secs(1));
    let silent = connector.connect(&one.address()).await.unwrap();
    silent.create("/f/n-", b"", &ephemeral()).await.unwrap();
    one.cut();
    while !zookeeper.children("/f").is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn holds_answers_and_events_back() {
    let zookeeper = ZooKeeper::new();
    let link = zookeeper.link();
    let client = connect(&link).await;
    link.hold();
    let creating = tokio::spawn({
        let client = client.clone();
        async move { client.create("/a", b"", &persistent()).await }
    });
    while zookeeper.data("/a").is_none() {
        tokio::task::yield_now().await;
    }
    assert!(!creating.is_finished());
    link.release();
    assert!(creating.await.unwrap().is_ok());
}

/// The events that a connection takes with it, and those of changes without a connection, arrive
/// once the client has set its watches again.
#[tokio::test(flavor = "multi_thread")]
async fn reports_every_watched_change_of_a_lost_connection() {
    let zookeeper = ZooKeeper::new();
    let (one, other) = (zookeeper.link(), zookeeper.link());
    let (client, changer) = (connect(&one).await, connect(&other).await);
    for path in ["/set", "/parent", "/deleted", "/unchanged"] {
        changer.create(path, b"", &persistent()).await.unwrap();
    }
    let (_, _, set) = client.get_and_watch_data("/set").await.unwrap();
    let (_, _, deleted) = client.get_and_watch_data("/deleted").await.unwrap();
    let (_, children) = client.list_and_watch_children("/parent").await.unwrap();
    let (_, created) = client.check_and_watch_stat("/created").await.unwrap();
    let (_, _, unchanged) = client.get_and_watch_data("/unchanged").await.unwrap();
    one.hold();
    changer.set_data("/set", b"1", None).await.unwrap();
    let child = changer.create("/parent/child", b"", &persistent());
    child.await.unwrap();
    one.cut();
    one.release();
    changer.delete("/deleted", None).await.unwrap();
    let create = changer.create("/created", b"", &persistent());
    create.await.unwrap();
    one.resume();
    for (watcher, event) in [
        (set, EventType::NodeDataChanged),
        (children, EventType::NodeChildrenChanged),
        (deleted, EventType::NodeDeleted),
        (created, EventType::NodeCreated),
    ] {
        assert_eq!(watcher.changed().await.event_type, event);
    }
    assert_eq!(one.count(Operation::GetData), 3, "nothing is read again");
    changer.set_data("/unchanged", b"1", None).await.unwrap();
    let event = unchanged.changed().await;
    assert_eq!(event.event_type, EventType::NodeDataChanged);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_reports_one_change_before_later_answers() {
    let zookeeper = ZooKeeper::new();
    let link = zookeeper.link();
    let client = connect(&link).await;
    client.create("/a", b"", &persistent()).await.unwrap();
    let (_, _, watcher) = client.get_and_watch_data("/a").await.unwrap();
    // The removal of a watch leaves those of other kinds on the same node.
    drop(client.list_and_watch_children("/a").await.unwrap());
    client.set_data("/a", b"1", None).await.unwrap();
    let mut changed = std::pin::pin!(watcher.changed());
    assert!(futures::poll!(changed.as_mut()).is_ready());
    client.set_data("/a", b"2", None).await.unwrap();
}
