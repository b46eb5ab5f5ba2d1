//! An application at the time at which it was opened.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use fluo_table::coordination::{Application, zookeeper_format};
use fluo_table::{Error, Result, TableAdmin, Timestamp};
use futures::join;
use tokio::sync::{Mutex, OnceCell};

use super::paths::{LEGACY_OBSERVERS, Paths};
use crate::gathered::Gathered;
use crate::locked::locked;
use crate::oracle::OracleClient;
use crate::zookeeper::{Change, Keeper, Lease, NodeStat, Outcome, Refusal, Session};

/// An application at the time at which it was opened. All calls are of this application: if it is
/// removed, and another one gets the name, they fail.
///
/// A call compares the creation of its mark before and after it reads, and before it changes
/// anything. A change that overlaps both the removal of the application and the initialization of
/// the next one may take effect on the latter.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) name: String,
    pub(super) paths: Paths,
    pub(super) keeper: Arc<Keeper>,
    /// The creation of the node that marks the application as complete.
    pub(super) created: i64,
    /// True once a call has found the application removed, which is final.
    pub(super) is_removed: AtomicBool,
    /// The tables of the instance, one of which is that of the application.
    pub(super) tables: Arc<dyn TableAdmin>,
    /// The names of workers of this process that have ended, whose places the next ones take.
    pub(super) ended_workers: std::sync::Mutex<Vec<String>>,
    /// Held while a failed notification is stored.
    pub(super) adding: Mutex<()>,
    /// The leases of the transactors of this process. An application with a transactor is not
    /// removed.
    pub(super) leases: std::sync::Mutex<Vec<Weak<Lease>>>,
    /// The requests of all callers that ask whether the application exists, and for its horizon.
    pub(super) looks: Gathered<Timestamp>,
    /// The client of the oracle, once timestamps were requested.
    pub(super) oracle: OnceCell<OracleClient>,
    /// The text that this connection draws for its epochs.
    pub(super) epoch: Arc<str>,
}

impl Opened {
    /// Records that a worker of this process has ended.
    pub(super) fn add_ended_worker(&self, name: String) {
        locked(&self.ended_workers).push(name);
    }

    /// Returns the name of a worker of this process that has ended, only once.
    pub(super) fn take_ended_worker(&self) -> Option<String> {
        locked(&self.ended_workers).pop()
    }

    /// Adds the lease of a transactor of this process.
    pub(super) fn add_lease(&self, lease: &Arc<Lease>) {
        let mut leases = locked(&self.leases);
        leases.retain(|lease| lease.strong_count() > 0);
        leases.push(Arc::downgrade(lease));
    }

    /// Checks whether the application certainly exists, without a request: it is not removed while
    /// it has a transactor.
    pub(super) fn certainly_exists(&self) -> bool {
        let leases = locked(&self.leases);
        let mut leases = leases.iter().filter_map(Weak::upgrade);
        leases.any(|lease| lease.is_valid())
    }

    /// Returns the horizon, or an error if the application was removed. Callers that wait share one
    /// request.
    pub(super) async fn look(&self) -> Result<Timestamp> {
        let look = async || {
            let session = self.keeper.session().await?;
            let path = zookeeper_format::HORIZON;
            let (synced, data, exists) = join!(
                session.sync(self.paths.root()),
                self.data(&session, path),
                self.check_exists(&session),
            );
            synced.and(exists)?;
            zookeeper_format::read_timestamp(path, data?.as_deref())
        };
        self.looks.get(look).await
    }

    /// Returns an error if the application was removed.
    pub(super) async fn check_exists(&self, session: &Session) -> Result<()> {
        self.check_not_removed()?;
        let found = session.stat(&self.paths.mark()).await?;
        self.check_mark(found).map(|_| ())
    }

    /// Returns the state of the mark that was found, or an error if it is not that of this
    /// application, which then was removed.
    pub(super) fn check_mark(&self, found: Option<NodeStat>) -> Result<NodeStat> {
        self.check_not_removed()?;
        found.filter(|mark| mark.created == self.created).ok_or_else(|| {
            self.is_removed.store(true, Ordering::Release);
            Error::no_such_application(&self.name)
        })
    }

    /// Returns an error if the application was found to be removed.
    pub(super) fn check_not_removed(&self) -> Result<()> {
        if self.is_removed.load(Ordering::Acquire) {
            return Err(Error::no_such_application(&self.name));
        }
        Ok(())
    }

    /// Returns the part of a change that fails if the application was removed.
    pub(super) fn require(&self) -> Change {
        Change::Require { path: self.paths.mark(), version: None }
    }

    /// Creates nodes without data that do not exist yet, parents first.
    pub(super) async fn create_folders(&self, session: &Session, nodes: &[&str]) -> Result<()> {
        for node in nodes {
            let changes = [self.require(), Change::create(self.paths.at(node), [])];
            settle!(&self.name, async {
                match self.change(session, &changes).await? {
                    Outcome::Done(_) | Outcome::Refused(_, Refusal::Exists) => Ok(Some(())),
                    Outcome::Refused(..) => Err(Error::no_such_application(&self.name)),
                    Outcome::Unknown => Ok(None),
                }
            })?;
        }
        Ok(())
    }

    /// Makes changes of which the first is refused if the application does not exist.
    pub(super) async fn change(&self, session: &Session, changes: &[Change]) -> Result<Outcome> {
        match session.change(changes).await? {
            Outcome::Refused(0, Refusal::Missing) => Err(Error::no_such_application(&self.name)),
            outcome => Ok(outcome),
        }
    }

    /// Returns the data of a node, or `None` if it does not exist.
    pub(super) async fn data(&self, session: &Session, node: &str) -> Result<Option<Vec<u8>>> {
        let found = session.node(&self.paths.at(node)).await?;
        Ok(found.map(|node| node.data))
    }

    /// Reads the stored application.
    pub(super) async fn stored(&self, session: &Session) -> Result<Application> {
        session.sync(self.paths.root()).await?;
        let (id, table, observers, settings, legacy) = join!(
            self.data(session, zookeeper_format::ID),
            self.data(session, zookeeper_format::TABLE),
            self.data(session, zookeeper_format::OBSERVERS),
            self.data(session, zookeeper_format::SETTINGS),
            self.data(session, LEGACY_OBSERVERS),
        );
        let nodes = [
            (zookeeper_format::ID, id?),
            (zookeeper_format::TABLE, table?),
            (zookeeper_format::OBSERVERS, observers?),
            (zookeeper_format::SETTINGS, settings?),
        ];
        let is_legacy = legacy?.is_some();
        // After the reads, because the data may belong to a later application of the same name.
        self.check_exists(session).await?;
        if is_legacy {
            return Err(Error::corrupt(format!(
                "the application `{}` has observers in the format before Fluo 1.2; initialize it again",
                self.name
            )));
        }
        let nodes = BTreeMap::from(nodes);
        zookeeper_format::read_application(|path| Ok(nodes.get(path).cloned().flatten()))
    }
}
