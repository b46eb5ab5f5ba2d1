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
use super::{in_own_task, initialization, locks, presence, removal};
use crate::gathered::Gathered;
use crate::paths::Paths;
use crate::zookeeper::{AT_ONCE, Keeper, NodeStat, Session};

#[derive(Debug)]
pub(crate) struct ZooKeeperApplications {
    keeper: Arc<Keeper>,
    chroot: Arc<str>,
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
        chroot: &str,
        cluster: AccumuloCluster,
        tables: Arc<dyn TableAdmin>,
    ) -> Self {
        Self {
            keeper: Arc::new(keeper),
            chroot: chroot.into(),
            cluster,
            tables,
            epoch: Uuid::new_v4().to_string().into(),
            opened: Mutex::default(),
        }
    }

    /// Returns the paths of an application that exists, and the node that marks it as complete.
    async fn find(&self, session: &Session, name: &str) -> Result<(Paths, NodeStat)> {
        if check_application_name(name).is_err() {
            return Err(Error::no_such_application(name));
        }
        let paths = Paths::new(&self.chroot, name);
        if let Some(mark) = session.current_stat(&paths.mark()).await? {
            return Ok((paths, mark));
        }
        Err(match session.stat(paths.root()).await? {
            None => Error::no_such_application(name),
            Some(_) => interrupted(name),
        })
    }
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
        in_own_task(initialization::record(
            self.keeper.clone(),
            self.chroot.clone(),
            self.cluster.clone(),
            name.to_owned(),
            application,
        ))
        .await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        let session = self.keeper.session().await?;
        let (paths, mark) = self.find(&session, name).await?;
        let instance = session.node(&paths.at(zookeeper_format::INSTANCE_ID)).await?;
        let instance = instance.map(|node| node.data).unwrap_or_default();
        check_cluster(name, &instance, &self.cluster)?;
        let mut opened = self.opened.lock().await;
        opened.retain(|_, application| application.strong_count() > 0);
        let known = opened.get(name).and_then(Weak::upgrade);
        if let Some(application) = known.filter(|known| known.created == mark.created) {
            return Ok(Arc::new(ZooKeeperCoordination { application }));
        }
        let application = Arc::new(Opened {
            name: name.to_owned(),
            paths,
            keeper: self.keeper.clone(),
            created: mark.created,
            is_removed: AtomicBool::new(false),
            tables: self.tables.clone(),
            ended_workers: std::sync::Mutex::default(),
            adding: Mutex::default(),
            leases: std::sync::Mutex::default(),
            looks: Gathered::default(),
            oracle: OnceCell::new(),
            epoch: self.epoch.clone(),
        });
        opened.insert(name.to_owned(), Arc::downgrade(&application));
        Ok(Arc::new(ZooKeeperCoordination { application }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        let session = self.keeper.session().await?;
        session.sync(&self.chroot).await?;
        let mut names = session.children(&self.chroot).await?;
        names.retain(|name| check_application_name(name).is_ok());
        names.sort();
        let session = &session;
        let found = stream::iter(names).map(|name| async move {
            let mark = Paths::new(&self.chroot, &name).mark();
            let exists = session.stat(&mark).await?.is_some();
            Ok(exists.then_some(name))
        });
        let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        let session = self.keeper.session().await?;
        let (paths, _) = self.find(&session, name).await?;
        presence::is_running(&session, &paths).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn HeldLock>> {
        let session = self.keeper.session().await?;
        let (chroot, name, table) = (self.chroot.clone(), name.to_owned(), table.to_owned());
        in_own_task(async move { locks::lock_setup(&session, &chroot, &name, &table).await }).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        if check_application_name(name).is_err() {
            return Err(Error::no_such_application(name));
        }
        let removal = removal::remove(self.keeper.clone(), self.chroot.clone(), name.to_owned());
        in_own_task(removal).await
    }
}

/// Rejects an application of another Accumulo instance: its table is not in this one.
fn check_cluster(name: &str, stored: &[u8], cluster: &AccumuloCluster) -> Result<()> {
    if stored == cluster.id.as_bytes() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the application `{name}` belongs to the Accumulo instance `{}`, not to `{}` (`{}`); connect to the former",
        String::from_utf8_lossy(stored).escape_debug(),
        cluster.name,
        cluster.id
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_an_application_of_another_instance() {
        let cluster = AccumuloCluster { name: "here".to_owned(), id: "1-2".to_owned() };
        assert!(check_cluster("web", b"1-2", &cluster).is_ok());
        let error = check_cluster("web", b"3-4", &cluster).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "the application `web` belongs to the Accumulo instance `3-4`, not to `here` (`1-2`); connect to the former"
        );
    }

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
