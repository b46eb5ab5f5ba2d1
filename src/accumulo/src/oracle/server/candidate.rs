//! A candidate: one election node, from its creation until it is withdrawn.
//!
//! The first of the election nodes leads. The names and the data are those of Fluo, so that oracles
//! in Java and these take over from each other.
//!
//! The answer to the creation of a node may be lost, and the node may appear later. So the owner of
//! a node decides whose it is, and not the name: every election node of the own session is the own
//! one. The candidate keeps the first that has its address, and deletes the others. A node that it
//! did not recognize would be first for as long as the session lasts, and no oracle would lead.

use std::collections::BTreeMap;
use std::time::Duration;

use fluo_table::{Error, Result};
use tokio::sync::watch;
use tokio::time::timeout;

use super::predecessor::wait_until_it_stops;
use crate::oracle::election;
use crate::zookeeper::{Change, KeptLease, NodeKind, Outcome, Session};

/// The time after which a candidate looks at the others again although no watch has fired.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// `Ok` while an oracle leads or stands by, otherwise the reason why it does not.
pub(super) type Candidacy = Result<()>;

/// An election node of this oracle.
struct LeasedNode {
    path: String,
    lease: KeptLease,
}

/// Stands for election with the address of this oracle, and returns the lease of its node once that
/// is the first and the former leader has stopped. Records the address of another leader in
/// `predecessor`, and in `candidacy` that the node exists. After an error the node may exist until
/// the session ends.
///
/// The lease is kept from the beginning, because that of a silent session would begin late.
pub(super) async fn stand(
    session: &Session,
    servers: &str,
    address: &str,
    predecessor: &mut Option<String>,
    candidacy: &watch::Sender<Candidacy>,
) -> Result<KeptLease> {
    let keep = |path: String| LeasedNode { lease: session.keep_lease(path.clone()), path };
    let prefix = election::election_prefix(fastrand::u128(..));
    let create = [Change::create(NodeKind::Numbered, format!("{servers}/{prefix}"), address)];
    let mut own: Option<LeasedNode> = None;
    // The owner and the data of a numbered node stay the same.
    let mut known = BTreeMap::new();
    loop {
        session.sync(servers).await?;
        let listed = session.watch_children(servers).await?.ok_or_else(servers_removed)?;
        let paths = election::sorted(servers, &listed.value);
        known.retain(|path, _| paths.contains(path));
        let (mut kept, mut leader, mut others) = (None, None, Vec::new());
        for (index, path) in paths.into_iter().enumerate() {
            if !known.contains_key(&path) {
                match session.readable_node(&path).await {
                    // The others are only looked at.
                    Err(_) if own.as_ref().is_some_and(|own| own.path != path) => {}
                    node => known.extend(node?.map(|node| (path.clone(), node))),
                }
            }
            match known.get(&path) {
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
        // A node that is left is found by the next look.
        for path in others {
            session.change(&[Change::delete(path)]).await?;
        }
        let Some((index, path, leader)) = kept else {
            if own.is_some() {
                return Err(Error::unavailable("the election node of this oracle was deleted"));
            }
            own = match session.change(&create).await? {
                Outcome::Done(paths) => paths.into_iter().next().map(keep),
                Outcome::Refused(..) => return Err(servers_removed()),
                Outcome::Unknown => None,
            };
            continue;
        };
        let own_node = own.take().filter(|own| own.path == path).unwrap_or_else(|| keep(path));
        let _ = candidacy.send_replace(Ok(()));
        if index > 0 && is_alone {
            *predecessor = leader.or(predecessor.take());
            // Watches can be late, but not lost; the limit is a second line of defense.
            let _ = timeout(LOOK_AGAIN, listed.event()).await;
        } else if is_alone {
            match predecessor.take().filter(|former| former != address) {
                // It may take long to stop.
                Some(former) => wait_until_it_stops(&former).await,
                None => return Ok(own_node.lease),
            }
        }
        own = Some(own_node);
    }
}

fn servers_removed() -> Error {
    Error::unavailable("the parent of the election nodes was deleted")
}
