//! An application at the time at which it was opened.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use fluo_table::coordination::{Application, TimestampBlock, zookeeper_format};
use fluo_table::{Error, ErrorKind, Result, TableAdmin, Timestamp, locked};
use futures::future::try_join_all;
use futures::join;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::timeout;

use crate::gathered::Gathered;
use crate::oracle::{OracleClient, ServedApplication};
use crate::paths::{FORMAT, LEGACY_OBSERVERS, Paths, check_format};
use crate::zookeeper::{
    Change, Keeper, Lease, NodeKind, NodeStat, Outcome, Refusal, Session, too_busy,
};

/// Longest wait for ZooKeeper beside a request for timestamps. An oracle answers while ZooKeeper is
/// away, and checks the id of the application.
const LIMIT: Duration = Duration::from_secs(1);

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
    pub(super) fn add_lease(&self, lease: &Arc<Lease>) {
        let mut leases = locked(&self.leases);
        leases.retain(|lease| lease.strong_count() > 0);
        leases.push(Arc::downgrade(lease));
    }

    pub(super) async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.check_not_removed()?;
        let oracle = self.oracle.get_or_try_init(|| self.oracle_client()).await?;
        let block = oracle.timestamps(count).await;
        // After the answer, so that the application existed when the timestamps were handed out.
        if !self.certainly_exists()
            && let Ok(Err(error)) = timeout(LIMIT, self.look()).await
            && error.kind() == ErrorKind::NotFound
        {
            return Err(error);
        }
        block
    }

    /// Creates the client that all handles of an application in this process share.
    async fn oracle_client(&self) -> Result<OracleClient> {
        let found = ServedApplication::find(self.keeper.clone(), self.name.clone()).await?;
        // Another application may have got the name before that.
        self.check_exists(&*self.keeper.session().await?).await?;
        Ok(OracleClient::new(found))
    }

    /// Checks whether the application certainly exists, without a request: it is not removed while
    /// it has a transactor.
    fn certainly_exists(&self) -> bool {
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
            // Before the reads: if the connection breaks, all are sent again, in any order.
            session.sync(&self.paths.root).await?;
            let (data, exists) = join!(self.data(&session, path), self.check_exists(&session));
            exists?;
            zookeeper_format::read_timestamp(path, data?.as_deref())
        };
        self.looks.get(Duration::ZERO, look).await
    }

    pub(super) async fn check_exists(&self, session: &Session) -> Result<()> {
        self.check_mark(session.stat(&self.paths.mark()).await?).map(|_| ())
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

    pub(super) fn check_not_removed(&self) -> Result<()> {
        if self.is_removed.load(Ordering::Acquire) {
            return Err(Error::no_such_application(&self.name));
        }
        Ok(())
    }

    /// Creates nodes without data that do not exist yet, parents first. If an answer is lost, some
    /// may still not exist.
    pub(super) async fn create_folders(&self, session: &Session, nodes: &[&str]) -> Result<()> {
        for node in nodes {
            let create = Change::create(NodeKind::Persistent, self.paths.at(node), []);
            self.change(session, [create]).await?;
        }
        Ok(())
    }

    pub(super) fn too_busy(&self) -> Error {
        too_busy(&self.paths.root)
    }

    /// Makes changes, or fails if the application does not exist.
    pub(super) async fn change(
        &self,
        session: &Session,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<Outcome> {
        let mut all = vec![Change::Require { path: self.paths.mark(), version: None }];
        all.extend(changes);
        match session.change(&all).await? {
            Outcome::Refused(0, Refusal::Missing) => Err(Error::no_such_application(&self.name)),
            outcome => Ok(outcome),
        }
    }

    pub(super) async fn data(&self, session: &Session, node: &str) -> Result<Option<Vec<u8>>> {
        Ok(session.node(&self.paths.at(node)).await?.map(|node| node.data))
    }

    /// Returns the settings alone, of which an application of Java may have none.
    pub(super) async fn settings(&self, session: &Session) -> Result<BTreeMap<String, String>> {
        let text = self.data(session, zookeeper_format::SETTINGS).await?;
        zookeeper_format::read_settings(&text.unwrap_or_default())
    }

    pub(super) async fn stored(&self, session: &Session) -> Result<Application> {
        session.sync(&self.paths.root).await?;
        let paths = [
            zookeeper_format::ID,
            zookeeper_format::TABLE,
            zookeeper_format::OBSERVERS,
            zookeeper_format::SETTINGS,
            LEGACY_OBSERVERS,
            FORMAT,
        ];
        let nodes = paths.map(|path| async move { Ok((path, self.data(session, path).await?)) });
        let nodes: BTreeMap<_, _> = try_join_all(nodes).await?.into_iter().collect();
        // After the reads, because the data may belong to a later application of the same name.
        self.check_exists(session).await?;
        if nodes.get(LEGACY_OBSERVERS).is_some_and(Option::is_some) {
            return Err(Error::corrupt(format!(
                "the application `{}` has observers in the format before Fluo 1.2; initialize it again",
                self.name
            )));
        }
        check_format(&self.name, nodes.get(FORMAT).and_then(Option::as_deref))?;
        zookeeper_format::read_application(|path| Ok(nodes.get(path).cloned().flatten()))
    }
}
