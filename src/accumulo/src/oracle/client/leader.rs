//! The leading oracle, as ZooKeeper shows it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;
use zookeeper_client::{Client, Error as ZooKeeperError, OneshotWatcher};

use crate::backoff::Backoff;
use crate::oracle::nodes::{self, SERVERS};
use crate::oracle::session::{Sessions, within_limit};

/// The time after which the election nodes are listed again although no watch has fired.
const LIST_AGAIN: Duration = Duration::from_secs(30);

/// A leader: its election node, and its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leader {
    pub(super) node: String,
    pub(super) address: String,
}

/// Publishes the leader until all receivers are dropped. While ZooKeeper is away, the last known
/// leader stays: an oracle decides by itself whether it still leads.
pub(super) async fn follow(sessions: Sessions, leader: watch::Sender<Option<Leader>>) {
    let followed = async {
        let mut backoff = Backoff::default();
        loop {
            let watcher = match find(&sessions).await {
                Some((found, watcher)) => {
                    leader.send_if_modified(|known| {
                        let is_new = *known != found;
                        *known = found;
                        is_new
                    });
                    watcher
                }
                None => {
                    backoff.wait().await;
                    continue;
                }
            };
            backoff = Backoff::default();
            let _ = timeout(LIST_AGAIN, watcher.changed()).await;
        }
    };
    tokio::select! {
        () = followed => {}
        () = leader.closed() => {}
    }
}

/// Finds the leader. Returns `None` if ZooKeeper does not answer.
async fn find(sessions: &Sessions) -> Option<(Option<Leader>, OneshotWatcher)> {
    let session = sessions.session().await.ok()?;
    let list = session.list_and_watch_children(SERVERS);
    let (mut names, watcher) = within_limit(list).await.ok()?;
    nodes::sort_by_election(&mut names);
    for name in names {
        match read(&session, &name).await {
            Ok(Some(leader)) => return Some((Some(leader), watcher)),
            // The node is gone, or its data is not an address; the next one may lead.
            Ok(None) => {}
            Err(_) => return None,
        }
    }
    Some((None, watcher))
}

async fn read(session: &Client, name: &str) -> Result<Option<Leader>, ZooKeeperError> {
    let path = format!("{SERVERS}/{name}");
    match within_limit(session.get_data(&path)).await {
        Ok((data, _)) => {
            Ok(nodes::address(&data).map(|address| Leader { node: name.to_owned(), address }))
        }
        Err(ZooKeeperError::NoNode | ZooKeeperError::NoAuth) => Ok(None),
        Err(error) => Err(error),
    }
}
