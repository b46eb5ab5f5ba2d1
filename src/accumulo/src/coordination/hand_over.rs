//! The hand-over of notifications when the list of workers changes.
//!
//! ```text
//! hand-overs/f-0000000003-1a2b3c4d    the worker f-0000000003 begins no notification that is not
//!                                     in its share by the list with the checksum 1a2b3c4d
//! ```
//!
//! A worker has one such node, in the session of its node in `finders`. Before it creates the node
//! for a list, it gives up its share by the list before, unless its share stays the same. Once
//! every worker of a list has its node, those whose shares changed begin. Workers of Java and of
//! earlier versions have none: beside them a worker begins after the pause of Java.
//!
//! No two workers begin the same notification, except an unpartitioned one, which all workers of a
//! group have. Let `A` have found the nodes of all workers for the list `L`, and `B` those for
//! `M`, not earlier in the order of ZooKeeper. When `A` found them, its own was for `L`, and when
//! `B` found them, that of `A` was for `M`, or `A` had ended. So by then `A` had given up its
//! share by `L`, or has the same share by `M`. The shares by `M` have no notification in common.
//!
//! A worker whose session has ended notices it by its own clock, at the latest after 7/5 of the
//! timeout of the session. ZooKeeper ends it after the timeout, and the others begin at once. In
//! between, both may begin a notification: a strong one commits once, a weak one may run twice.
//!
//! After the pause instead, this holds if each worker notices a list within half of the pause.
//! Sessions end after that time by default.

use flate2::Crc;
use fluo_table::Result;

use super::finders::Finders;
use super::opened::Opened;
use crate::paths::HAND_OVERS;
use crate::zookeeper::{Change, NodeKind, Outcome, Refusal, Session, TRIES, Watched};

/// The nodes for hand-overs, as one worker sees them.
#[derive(Debug, Default)]
pub(super) struct HandOver {
    /// The name of the node of this worker, or `None` if it is not known.
    own: Option<String>,
    /// The names of all nodes.
    all: Option<Watched<Vec<String>>>,
}

/// Returns the name of the node of a worker for a list with this checksum.
fn node(worker: &str, list: u32) -> String {
    format!("{worker}-{list:08x}")
}

impl Finders<'_> {
    /// Returns the checksum of everything from which the shares follow.
    pub(super) fn checksum(&self) -> u32 {
        let mut checksum = Crc::new();
        for (name, data) in self.nodes() {
            // Neither a name nor the size of a group has a zero byte.
            for bytes in [name.as_bytes(), b"\0", data, b"\0"] {
                checksum.update(bytes);
            }
        }
        checksum.sum()
    }
}

impl HandOver {
    /// Checks whether the node of a worker for a list exists.
    pub(super) fn is_for(&self, worker: &str, list: u32) -> bool {
        self.own.as_ref() == Some(&node(worker, list))
    }

    /// Returns the path of the node of this worker, if it is known.
    pub(super) fn own_path(&self, application: &Opened) -> Option<String> {
        let own = self.own.as_ref()?;
        Some(format!("{}/{own}", application.paths.at(HAND_OVERS)))
    }

    /// Creates the node of a worker for a list, in place of its earlier ones.
    pub(super) async fn create(
        &mut self,
        application: &Opened,
        session: &Session,
        worker: &str,
        list: u32,
    ) -> Result<()> {
        if self.is_for(worker, list) {
            return Ok(());
        }
        let (folder, node) = (application.paths.at(HAND_OVERS), node(worker, list));
        for _ in 0..TRIES {
            let own = match self.own.take() {
                Some(own) => vec![own],
                None => {
                    session.sync(&folder).await?;
                    let mut own = session.children(&folder).await?;
                    // No name of a worker continues with a hyphen. One may belong to the session of
                    // an earlier worker of this name, so all are created again.
                    own.retain(|own| own.rsplit_once('-').is_some_and(|(name, _)| name == worker));
                    own
                }
            };
            let deletes = own.iter().map(|own| Change::delete(format!("{folder}/{own}")));
            let create = Change::create(NodeKind::Ephemeral, format!("{folder}/{node}"), []);
            let changes: Vec<_> = deletes.chain([create]).collect();
            match application.change(session, changes).await? {
                Outcome::Done(_) => {
                    self.own = Some(node);
                    return Ok(());
                }
                Outcome::Refused(_, Refusal::Missing) => {
                    application.create_folders(session, &[HAND_OVERS]).await?;
                }
                Outcome::Refused(..) | Outcome::Unknown => {}
            }
        }
        Err(application.too_busy())
    }

    /// Checks whether all workers have their nodes for a list.
    pub(super) async fn is_complete(
        &mut self,
        application: &Opened,
        session: &Session,
        finders: &Finders<'_>,
        list: u32,
    ) -> Result<bool> {
        if !self.all.as_ref().is_some_and(Watched::is_current) {
            self.all = session.watch_children(&application.paths.at(HAND_OVERS)).await?;
        }
        let all = self.all.as_ref().map(|all| &*all.value).unwrap_or_default();
        Ok(finders.present().all(|worker| all.contains(&node(worker, list))))
    }
}
