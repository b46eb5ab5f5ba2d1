//! The port to all applications.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Applications, Coordination, HeldLock, check_application_name, zookeeper_format,
};
use fluo_table::{Error, ErrorKind, Result, TableAdmin};
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::sync::{Mutex, OnceCell};
use uuid::Uuid;

use super::cluster::AccumuloCluster;
use super::handle::ZooKeeperCoordination;
use super::opened::Opened;
use super::worker_settings::WorkerSettings;
use super::{in_own_task, initialization, locks, removal};
use crate::gathered::Gathered;
use crate::paths::Paths;
use crate::zookeeper::{AT_ONCE, Keeper, NodeStat, Session};

#[derive(Debug)]
pub(crate) struct ZooKeeperApplications {
    keeper: Arc<Keeper>,
    cluster: AccumuloCluster,
    tables: Arc<dyn TableAdmin>,
    /// A text that no other connection draws.
    epoch: Arc<str>,
    /// The applications with handles, which share a client of the oracle.
    opened: Mutex<BTreeMap<String, Weak<Opened>>>,
}

impl ZooKeeperApplications {
    pub(crate) fn new(
        keeper: Keeper,
        cluster: AccumuloCluster,
        tables: Arc<dyn TableAdmin>,
    ) -> Self {
        Self {
            keeper: Arc::new(keeper),
            cluster,
            tables,
            epoch: Uuid::new_v4().to_string().into(),
            opened: Mutex::default(),
        }
    }
}

/// Returns the paths of an application that exists, and the node that marks it as complete.
pub(super) async fn find(
    keeper: &Keeper,
    session: &Session,
    name: &str,
) -> Result<(Paths, NodeStat)> {
    if check_application_name(name).is_err() {
        return Err(Error::no_such_application(name));
    }
    let paths = Paths::new(keeper.chroot(), name);
    if let Some(mark) = session.current_stat(&paths.mark()).await? {
        return Ok((paths, mark));
    }
    Err(match session.stat(&paths.root).await? {
        None => Error::no_such_application(name),
        Some(_) => interrupted(name),
    })
}

/// Creates the error for an application of which only a part is stored.
fn interrupted(name: &str) -> Error {
    let message = format!(
        "the application `{name}` is incomplete; wait for its creation or removal, or repeat it"
    );
    Error::new(ErrorKind::NotFound, message)
}

#[async_trait]
impl Applications for ZooKeeperApplications {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        check_application_name(name)?;
        application.check()?;
        WorkerSettings::from_settings(&application.settings)?;
        in_own_task(initialization::record(
            self.keeper.clone(),
            self.cluster.clone(),
            name.to_owned(),
            application,
        ))
        .await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        let session = self.keeper.session().await?;
        let (paths, mark) = find(&self.keeper, &session, name).await?;
        let instance = session.node(&paths.at(zookeeper_format::INSTANCE_ID)).await?;
        let instance = instance.map(|node| node.data).unwrap_or_default();
        self.cluster.check(name, &instance)?;
        let mut opened = self.opened.lock().await;
        opened.retain(|_, application| application.strong_count() > 0);
        let known = opened.get(name).and_then(Weak::upgrade);
        let known = known.filter(|known| known.created == mark.created);
        let application = known.unwrap_or_else(|| {
            Arc::new(Opened {
                name: name.to_owned(),
                paths,
                keeper: self.keeper.clone(),
                created: mark.created,
                is_removed: AtomicBool::default(),
                tables: self.tables.clone(),
                ended_workers: std::sync::Mutex::default(),
                adding: Mutex::default(),
                leases: std::sync::Mutex::default(),
                looks: Gathered::default(),
                oracle: OnceCell::default(),
                epoch: self.epoch.clone(),
            })
        });
        opened.insert(name.to_owned(), Arc::downgrade(&application));
        Ok(Arc::new(ZooKeeperCoordination { application }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        let session = self.keeper.session().await?;
        let chroot = self.keeper.chroot();
        session.sync(chroot).await?;
        let mut names = session.children(chroot).await?;
        names.retain(|name| check_application_name(name).is_ok());
        names.sort();
        let session = &session;
        let found = stream::iter(names).map(|name| async move {
            let mark = Paths::new(chroot, &name).mark();
            Ok(session.stat(&mark).await?.is_some().then_some(name))
        });
        let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        let session = self.keeper.session().await?;
        let (paths, _) = find(&self.keeper, &session, name).await?;
        locks::is_running(&session, &paths, None).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let setup = locks::lock_setup(self.keeper.clone(), name.to_owned(), table.to_owned());
        in_own_task(setup).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        if check_application_name(name).is_err() {
            return Err(Error::no_such_application(name));
        }
        in_own_task(removal::remove(self.keeper.clone(), name.to_owned())).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_an_interrupted_initialization() {
        let error = interrupted("web");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(
            error.to_string(),
            "the application `web` is incomplete; wait for its creation or removal, or repeat it"
        );
    }
}
