//! The leading oracle, as ZooKeeper shows it.

use std::time::Duration;

use fluo_table::{Error, Result};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::backoff::Backoff;
use crate::oracle::application::ServedApplication;
use crate::oracle::election;
use crate::paths::SERVERS;
use crate::zookeeper::Watched;

/// The time after which the election nodes are listed again although no watch has fired.
const LIST_AGAIN: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leader {
    path: String,
    pub(super) address: String,
}

/// Publishes the leader until all receivers are dropped. While ZooKeeper is away, the last known
/// leader stays: an oracle decides by itself whether it still leads.
pub(super) async fn follow(application: ServedApplication, publish: watch::Sender<Option<Leader>>) {
    let followed = async {
        let mut backoff = Backoff::default();
        loop {
            let Ok((leader, listed)) = find(&application).await else {
                backoff.wait().await;
                continue;
            };
            backoff = Backoff::default();
            if *publish.borrow() != leader {
                publish.send_replace(leader);
            }
            let _ = timeout(LIST_AGAIN, listed.event()).await;
        }
    };
    tokio::select! {
        () = followed => {}
        () = publish.closed() => {}
    }
}

/// Finds the leader: the first of the election nodes whose data can be read and is an address.
async fn find(application: &ServedApplication) -> Result<(Option<Leader>, Watched<Vec<String>>)> {
    let session = application.keeper.session().await?;
    let servers = application.paths.at(SERVERS);
    let listed = session.watch_children(&servers).await?;
    let listed = listed.ok_or_else(|| Error::no_such_application(&application.name))?;
    for path in election::sorted(&servers, &listed.value) {
        let node = session.readable_node(&path).await?;
        if let Some(address) = node.and_then(|node| election::address(&node.data)) {
            return Ok((Some(Leader { path, address }), listed));
        }
    }
    Ok((None, listed))
}
