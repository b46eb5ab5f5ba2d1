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

use fluo_table::{Error, Result};
use tokio::time::timeout;

use crate::oracle::election;
use crate::zookeeper::{Change, NodeKind, Outcome, Session};

/// The time after which a candidate looks at the others again although no watch has fired.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// Stands for election with the address of this oracle, and returns the path of its node once it is
/// the first. Records the address of another leader in `predecessor`.
///
/// # Errors
///
/// Those of ZooKeeper. The node may exist then, until the session ends.
pub(super) async fn stand(
    session: &Session,
    servers: &str,
    address: &str,
    predecessor: &mut Option<String>,
) -> Result<String> {
    let prefix = election::election_prefix(fastrand::u128(..));
    let create = [Change::create(NodeKind::Numbered, format!("{servers}/{prefix}"), address)];
    loop {
        session.sync(servers).await?;
        let listed = session.watch_children(servers).await?.ok_or_else(servers_removed)?;
        let nodes = election::nodes(session, servers, listed.value.clone()).await?;
        let (mut kept, mut leader, mut others) = (None, None, Vec::new());
        for (index, (path, node)) in nodes.into_iter().enumerate() {
            match node {
                Some(node) if !node.stat.is_own => {
                    leader = leader.or_else(|| election::address(&node.data));
                }
                Some(node) if kept.is_none() && node.data == address.as_bytes() => {
                    kept = Some((index, path, leader.take()));
                }
                Some(_) => others.push(path),
                None => {}
            }
        }
        let is_alone = others.is_empty();
        delete(session, others).await?;
        match kept {
            None => {
                if let Outcome::Refused(..) = session.change(&create).await? {
                    return Err(servers_removed());
                }
            }
            Some(_) if !is_alone => {}
            Some((0, path, _)) => return Ok(path),
            Some((.., leader)) => {
                *predecessor = leader.or(predecessor.take());
                // Watches can be late, but not lost; the limit is a second line of defense.
                let _ = timeout(LOOK_AGAIN, listed.event()).await;
            }
        }
    }
}

/// Deletes all election nodes of the session.
pub(super) async fn withdraw(session: &Session, servers: &str) -> Result<()> {
    loop {
        session.sync(servers).await?;
        let names = session.children(servers).await?;
        let nodes = election::nodes(session, servers, names).await?.into_iter();
        let own = nodes.filter(|(_, node)| node.as_ref().is_some_and(|node| node.stat.is_own));
        let own: Vec<_> = own.map(|(path, _)| path).collect();
        if own.is_empty() {
            return Ok(());
        }
        delete(session, own).await?;
    }
}

/// Deletes election nodes. A node that is left is found by the next look at the own ones.
async fn delete(session: &Session, paths: Vec<String>) -> Result<()> {
    for path in paths {
        session.change(&[Change::delete(path)]).await?;
    }
    Ok(())
}

fn servers_removed() -> Error {
    Error::unavailable("the parent of the election nodes was deleted")
}
