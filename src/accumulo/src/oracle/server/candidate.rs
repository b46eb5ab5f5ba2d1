//! A candidate: one election node, from its creation until it is withdrawn.
//!
//! The first of the election nodes leads. The names and the data are those of Fluo, so that oracles
//! in Java and these take over from each other.
//!
//! The answer to the creation of a node may be lost, and the node may appear later. So the owner of
//! a node decides whose it is, and not the name: every election node of the own session is the own
//! one. The candidate keeps the first that has its address, and deletes the others. A node that it
//! did not recognize would be first for as long as the session lasts, and no oracle would lead.

use fluo_table::{Error, Result};
use tokio::time::timeout;
use zookeeper_client::{Acls, Client, CreateMode, Error as ZooKeeperError, OneshotWatcher};

use super::predecessor::Predecessor;
use crate::backoff::Backoff;
use crate::oracle::nodes::{self, SERVERS};
use crate::oracle::session::{REQUEST_LIMIT, request_error, within_limit};
use crate::zookeeper::{Moment, is_connection_lost};

/// An election node of this oracle.
#[derive(Debug)]
pub(super) struct Candidate {
    session: Client,
    name: String,
    address: String,
}

impl Candidate {
    /// Creates an election node with the address of this oracle, unless its session has one.
    ///
    /// # Errors
    ///
    /// Those of ZooKeeper. The node may exist then, until the session ends.
    pub(super) async fn stand(session: &Client, address: &str, is_protected: bool) -> Result<Self> {
        let prefix = nodes::election_prefix(fastrand::u128(..));
        let acls = if is_protected { Acls::creator_all() } else { Acls::anyone_all() };
        let path = format!("{SERVERS}/{prefix}");
        let options = CreateMode::EphemeralSequential.with_acls(acls);
        let mut backoff = Backoff::default();
        let name = loop {
            if let Some(name) = keep_first(session, address).await? {
                break name;
            }
            let created = within_limit(session.create(&path, address.as_bytes(), &options)).await;
            match created {
                Ok((_, sequence)) => break format!("{prefix}{sequence}"),
                Err(error) if is_connection_lost(&error) => {
                    tracing::warn!(%error, "ZooKeeper has not answered the creation of an election node");
                    backoff.wait().await;
                }
                Err(error) => return Err(request_error("create an election node", error)),
            }
        };
        Ok(Self { session: session.clone(), name, address: address.to_owned() })
    }

    /// Returns the path of the node.
    pub(super) fn path(&self) -> String {
        path(&self.name)
    }

    /// Waits until this candidate is the first. Records other leaders in `predecessor`. Returns the
    /// moment at which it was certainly the first.
    pub(super) async fn wait_for_turn(&mut self, predecessor: &mut Predecessor) -> Result<Moment> {
        loop {
            let (sent, names, watcher) = self.list().await?;
            let place = names.iter().position(|name| *name == self.name);
            let earlier = match place.and_then(|place| names.get(..place)) {
                Some([]) => return Ok(sent),
                Some(earlier) => earlier,
                None => return Err(node_removed()),
            };
            if self.record(earlier, predecessor).await {
                let kept = keep_first(&self.session, &self.address).await?;
                self.name = kept.ok_or_else(node_removed)?;
                continue;
            }
            // Watches can be late, but not lost; the limit is a second line of defense.
            let _ = timeout(REQUEST_LIMIT, watcher.changed()).await;
        }
    }

    /// Lists the election nodes in their order, with the moment of the request.
    async fn list(&self) -> Result<(Moment, Vec<String>, OneshotWatcher)> {
        let mut backoff = Backoff::default();
        loop {
            let sent = Moment::now();
            let list = async {
                self.session.sync(SERVERS).await?;
                self.session.list_and_watch_children(SERVERS).await
            };
            match within_limit(list).await {
                Ok((mut names, watcher)) => {
                    nodes::sort_by_election(&mut names);
                    return Ok((sent, names, watcher));
                }
                Err(error) if is_connection_lost(&error) => backoff.wait().await,
                Err(error) => return Err(request_error("list the oracles", error)),
            }
        }
    }

    /// Records the first candidate whose data can be read. Returns whether it is of the own
    /// session.
    async fn record(&self, earlier: &[String], predecessor: &mut Predecessor) -> bool {
        for name in earlier {
            let Ok((data, stat)) = within_limit(self.session.get_data(&path(name))).await else {
                continue;
            };
            if stat.ephemeral_owner == self.session.session_id().0 {
                return true;
            }
            predecessor.record(nodes::address(&data));
            return false;
        }
        false
    }

    /// Deletes all election nodes of the session.
    pub(super) async fn withdraw(self) {
        loop {
            match own_nodes(&self.session).await {
                Ok(own) if own.is_empty() => return,
                Ok(own) => delete(&self.session, own.iter().map(|node| &*node.name)).await,
                // The session has ended, and its nodes with it.
                Err(_) => return,
            }
        }
    }
}

/// An election node of the own session.
#[derive(Debug)]
struct OwnNode {
    name: String,
    data: Vec<u8>,
}

/// Returns the first election node of the session with this address, and deletes the others of the
/// session.
async fn keep_first(session: &Client, address: &str) -> Result<Option<String>> {
    let mut own = own_nodes(session).await?;
    let first = own.iter().position(|node| node.data == address.as_bytes());
    let kept = first.map(|index| own.remove(index).name);
    delete(session, own.iter().map(|node| &*node.name)).await;
    Ok(kept)
}

/// Returns the election nodes of the session, in their order.
async fn own_nodes(session: &Client) -> Result<Vec<OwnNode>> {
    let read = async || {
        session.sync(SERVERS).await?;
        let mut names = session.list_children(SERVERS).await?;
        nodes::sort_by_election(&mut names);
        let mut own = Vec::new();
        for name in names {
            match session.get_data(&path(&name)).await {
                Ok((data, stat)) if stat.ephemeral_owner == session.session_id().0 => {
                    own.push(OwnNode { name, data });
                }
                Ok(_) | Err(ZooKeeperError::NoNode | ZooKeeperError::NoAuth) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(own)
    };
    let mut backoff = Backoff::default();
    loop {
        match within_limit(read()).await {
            Err(error) if is_connection_lost(&error) => backoff.wait().await,
            read => return read.map_err(|error| request_error("list the oracles", error)),
        }
    }
}

/// Deletes election nodes. A node that is left is found by the next look at the own ones.
async fn delete(session: &Client, names: impl Iterator<Item = &str>) {
    for name in names {
        if let Err(error) = within_limit(session.delete(&path(name), None)).await {
            tracing::debug!(%error, name, "an election node is not deleted");
        }
    }
}

fn path(name: &str) -> String {
    format!("{SERVERS}/{name}")
}

/// Returns the error for an election node that was deleted.
pub(super) fn node_removed() -> Error {
    Error::unavailable("the election node of this oracle was deleted")
}

/// Returns the error for a term that ended because timestamps could not be reserved.
pub(super) fn lost() -> Error {
    Error::unavailable("the oracle could not reserve timestamps")
}
