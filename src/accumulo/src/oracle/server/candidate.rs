//! A candidate: one election node, from its creation until it is withdrawn.
//!
//! The first of the election nodes leads. The names and the data are those of Fluo, so that oracles
//! in Java and these take over from each other.

use fluo_table::{Error, ErrorKind, Result};
use tokio::time::timeout;
use zookeeper_client::{Acls, Client, CreateMode, Error as ZooKeeperError};

use super::lease::Moment;
use super::predecessor::Predecessor;
use crate::oracle::backoff::Backoff;
use crate::oracle::nodes::{self, SERVERS};
use crate::oracle::session::{REQUEST_LIMIT, request_error, within_limit};

/// An election node of this oracle.
#[derive(Debug)]
pub(super) struct Candidate {
    session: Client,
    name: String,
}

impl Candidate {
    /// Creates an election node with the address of this oracle.
    ///
    /// # Errors
    ///
    /// [`NotFound`](ErrorKind::NotFound) if the application does not exist; the errors of
    /// ZooKeeper. The node may exist then, until the session ends.
    pub(super) async fn stand(session: &Client, address: &str, is_protected: bool) -> Result<Self> {
        let prefix = nodes::election_prefix(fastrand::u128(..));
        let acls = match is_protected {
            true => Acls::creator_all(),
            false => Acls::anyone_all(),
        };
        let path = format!("{SERVERS}/{prefix}");
        let options = CreateMode::EphemeralSequential.with_acls(acls);
        let created = within_limit(session.create(&path, address.as_bytes(), &options)).await;
        let name = match created {
            Ok((_, sequence)) => format!("{prefix}{sequence}"),
            Err(ZooKeeperError::ConnectionLoss | ZooKeeperError::Timeout) => {
                created_in_doubt(session, &prefix).await?
            }
            Err(error) => return Err(request_error("create an election node", error)),
        };
        Ok(Self {
            session: session.clone(),
            name,
        })
    }

    /// Returns the path of the node.
    pub(super) fn path(&self) -> String {
        format!("{SERVERS}/{}", self.name)
    }

    /// Waits until this candidate is the first. Records other leaders in `predecessor`. Returns the
    /// moment at which it was certainly the first.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) if the node does not exist any more; the errors of
    /// ZooKeeper.
    pub(super) async fn wait_for_turn(&self, predecessor: &mut Predecessor) -> Result<Moment> {
        loop {
            let sent = Moment::now();
            let list = async {
                self.session.sync(SERVERS).await?;
                self.session.list_and_watch_children(SERVERS).await
            };
            let (mut names, watcher) = match within_limit(list).await {
                Ok(listed) => listed,
                Err(ZooKeeperError::ConnectionLoss | ZooKeeperError::Timeout) => continue,
                Err(error) => return Err(request_error("list the oracles", error)),
            };
            nodes::sort_by_election(&mut names);
            match names.iter().position(|name| *name == self.name) {
                Some(0) => return Ok(sent),
                Some(_) => {}
                None => return Err(node_removed()),
            }
            self.record(&names, predecessor).await;
            // Watches can be late, but not lost; the limit is a second line of defence.
            let _ = timeout(REQUEST_LIMIT, watcher.changed()).await;
        }
    }

    /// Records the first candidate whose data can be read.
    async fn record(&self, names: &[String], predecessor: &mut Predecessor) {
        for name in names.iter().take_while(|name| **name != self.name) {
            let path = format!("{SERVERS}/{name}");
            if let Ok((data, _)) = within_limit(self.session.get_data(&path)).await {
                predecessor.record(nodes::address(&data));
                return;
            }
        }
    }

    /// Deletes the node.
    pub(super) async fn withdraw(self) {
        let mut backoff = Backoff::default();
        loop {
            match within_limit(self.session.delete(&self.path(), None)).await {
                Err(ZooKeeperError::ConnectionLoss | ZooKeeperError::Timeout) => {
                    backoff.wait().await;
                }
                // Otherwise the node is gone, or it ends with the session.
                _ => return,
            }
        }
    }
}

/// Looks for a node whose creation had no reply.
async fn created_in_doubt(session: &Client, prefix: &str) -> Result<String> {
    let list = async {
        session.sync(SERVERS).await?;
        session.list_children(SERVERS).await
    };
    let names = within_limit(list)
        .await
        .map_err(|error| request_error("list the oracles", error))?;
    let own = names.into_iter().find(|name| name.starts_with(prefix));
    own.ok_or_else(|| {
        let message = "ZooKeeper has not answered the creation of an election node";
        Error::new(ErrorKind::Unavailable, message)
    })
}

/// Returns the error for an election node that was deleted.
pub(super) fn node_removed() -> Error {
    let message = "the election node of this oracle was deleted";
    Error::new(ErrorKind::Unavailable, message)
}

/// Returns the error for a term that ended because timestamps could not be reserved.
pub(super) fn lost() -> Error {
    let message = "the oracle could not reserve timestamps";
    Error::new(ErrorKind::Unavailable, message)
}
