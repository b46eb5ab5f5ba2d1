//! A candidate: one election node, from its creation until it is withdrawn.
//!
//! The first of the election nodes leads. The names and the data are those of Fluo, so that oracles
//! in Java and these take over from each other.
//!
//! The answer to the creation of a node may be lost, and the node may appear later. So the owner of
//! a node decides whose it is, and not the name: every election node of the own session is the own
//! one. The candidate keeps the first that has its address, and deletes the others. A node that it
//! did not recognize would be first for as long as the session lasts, and no oracle would lead.

use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use tokio::time::timeout;

use crate::oracle::election;
use crate::zookeeper::{Change, Node, NodeKind, Outcome, Session};

/// The time after which a candidate looks at the others again although no watch has fired.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Candidate<'a> {
    session: &'a Session,
    /// The path of all election nodes.
    servers: &'a str,
    name: String,
    address: &'a str,
}

impl<'a> Candidate<'a> {
    /// Creates an election node with the address of this oracle, unless its session has one.
    ///
    /// # Errors
    ///
    /// Those of ZooKeeper. The node may exist then, until the session ends.
    pub(super) async fn stand(
        session: &'a Session,
        servers: &'a str,
        address: &'a str,
    ) -> Result<Self> {
        let prefix = election::election_prefix(fastrand::u128(..));
        let path = format!("{servers}/{prefix}");
        let create = [Change::create(NodeKind::Numbered, path, address)];
        loop {
            if let Some(name) = keep_first(session, servers, address).await? {
                return Ok(Self { session, servers, name, address });
            }
            if let Outcome::Refused(..) = session.change(&create).await? {
                return Err(node_removed());
            }
        }
    }

    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.servers, self.name)
    }

    /// Waits until this candidate is the first. Records the address of another leader in
    /// `predecessor`.
    pub(super) async fn wait_for_turn(&mut self, predecessor: &mut Option<String>) -> Result<()> {
        loop {
            self.session.sync(self.servers).await?;
            let listed = self.session.watch_children(self.servers).await?;
            let mut listed = listed.ok_or_else(node_removed)?;
            election::sort_by_election(&mut listed.value);
            let place = listed.value.iter().position(|name| *name == self.name);
            let place = place.ok_or_else(node_removed)?;
            if place == 0 {
                return Ok(());
            }
            match self.first_of(listed.value.iter().take(place)).await {
                Some(node) if node.stat.is_own => {
                    let kept = keep_first(self.session, self.servers, self.address).await?;
                    self.name = kept.ok_or_else(node_removed)?;
                    continue;
                }
                Some(node) => {
                    if let Some(address) = election::address(&node.data) {
                        *predecessor = Some(address);
                    }
                }
                None => {}
            }
            // Watches can be late, but not lost; the limit is a second line of defense.
            let _ = timeout(LOOK_AGAIN, listed.event()).await;
        }
    }

    async fn first_of(&self, names: impl Iterator<Item = &String>) -> Option<Node> {
        for name in names {
            if let Ok(Some(node)) = self.session.node(&format!("{}/{name}", self.servers)).await {
                return Some(node);
            }
        }
        None
    }
}

pub(super) async fn withdraw(session: &Session, servers: &str) -> Result<()> {
    loop {
        let own = own_nodes(session, servers).await?;
        if own.is_empty() {
            return Ok(());
        }
        delete(session, servers, own).await?;
    }
}

/// Returns the name of the first election node of the session with this address, and deletes the
/// others of the session.
async fn keep_first(session: &Session, servers: &str, address: &str) -> Result<Option<String>> {
    let mut own = own_nodes(session, servers).await?;
    let first = own.iter().position(|(_, data)| data == address.as_bytes());
    let kept = first.map(|index| own.remove(index).0);
    delete(session, servers, own).await?;
    Ok(kept)
}

/// Returns the names and the data of the election nodes of the session, in their order.
async fn own_nodes(session: &Session, servers: &str) -> Result<Vec<(String, Vec<u8>)>> {
    session.sync(servers).await?;
    let mut names = session.children(servers).await?;
    election::sort_by_election(&mut names);
    let mut own = Vec::new();
    for name in names {
        match session.node(&format!("{servers}/{name}")).await {
            Ok(Some(node)) if node.stat.is_own => own.push((name, node.data)),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Denied => {}
            Err(error) => return Err(error),
        }
    }
    Ok(own)
}

/// Deletes election nodes. A node that is left is found by the next look at the own ones.
async fn delete(session: &Session, servers: &str, nodes: Vec<(String, Vec<u8>)>) -> Result<()> {
    for (name, _) in nodes {
        session.change(&[Change::delete(format!("{servers}/{name}"))]).await?;
    }
    Ok(())
}

fn node_removed() -> Error {
    Error::unavailable("the election node of this oracle was deleted")
}
