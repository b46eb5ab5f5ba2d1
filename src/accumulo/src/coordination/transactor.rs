//! A transactor: its number, its presence, and its oldest active timestamp.
//!
//! Our oracle reads its next timestamp before it lists the published ones, and asks the leader of
//! the ensemble first, so a published node counts from its creation on. An oracle of Java lists
//! first, does not ask the leader, and reads its counter afterwards. If a node is created in
//! between, one update of that oracle may move the horizon above a timestamp that was drawn after
//! the creation. Such an update takes milliseconds. So a new node holds nothing for its [first
//! second](FIRST_SECOND): until then readers ask for the horizon. A change of the data of a node
//! has no such gap, because an update that reads the old data moves the horizon less.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{Transactor, TransactorId, zookeeper_format};
use fluo_table::{Error, Result, Timestamp, locked};
use futures::join;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

use super::in_own_task;
use super::locks::require_shared;
use super::opened::Opened;
use crate::paths::{FORMAT, NODES, TIMESTAMPS, TRANSACTOR, check_format};
use crate::zookeeper::{Change, KeptLease, NodeKind, Outcome, Refusal, Session, TRIES};

/// The time after which an update of the horizon that began before the creation of a node has
/// ended.
const FIRST_SECOND: Duration = Duration::from_secs(1);

/// A transactor of one session. It ends with the session, and also if another client deletes its
/// node, because others then treat it as ended.
#[derive(Debug)]
struct ZooKeeperTransactor {
    own_node: KeptLease,
    publication: Arc<Publication>,
    /// Held by a publication under way. It continues without a caller that does not wait for it,
    /// so a later one must not overtake it.
    publishing: Arc<AsyncMutex<()>>,
}

#[derive(Debug)]
struct Publication {
    id: TransactorId,
    application: Arc<Opened>,
    session: Arc<Session>,
    /// The time at which its node was created, or `None` if the node may not exist.
    created: Mutex<Option<Instant>>,
}

pub(super) async fn begin(application: Arc<Opened>) -> Result<Box<dyn Transactor>> {
    let session = application.keeper.session().await?;
    let (id, path) = create_node(&application, &session).await?;
    let own_node = session.keep_lease(path);
    application.add_lease(&own_node.lease);
    let publication = Publication { id, application, session, created: Mutex::default() };
    let publication = Arc::new(publication);
    let transactor = ZooKeeperTransactor { own_node, publication, publishing: Arc::default() };
    // Another application may have got the name meanwhile. If so, this is dropped.
    let Publication { application, session, .. } = &*transactor.publication;
    application.check_exists(session).await?;
    Ok(Box::new(transactor))
}

/// Creates the node of a new transactor, and returns its path.
async fn create_node(application: &Opened, session: &Session) -> Result<(TransactorId, String)> {
    let count = application.paths.at(zookeeper_format::TRANSACTOR_COUNT);
    for _ in 0..TRIES {
        // A later format is stored during an exclusive use, which the change excludes.
        let shared = require_shared(application, session);
        let (shared, format) = join!(shared, application.data(session, FORMAT));
        let shared = shared?;
        check_format(&application.name, format?.as_deref())?;
        let found = session.node(&count).await?;
        let last = found.as_ref().map(|node| node.data.as_slice());
        let id = TransactorId(zookeeper_format::read_transactor_count(last)? + 1);
        let (path, data) = (count.clone(), zookeeper_format::transactor_count(id.0).to_vec());
        let counting = Change::write(path, data, found.map(|node| node.stat.version));
        let path = application.paths.transactor(id);
        let node = Change::create(NodeKind::Ephemeral, &path, id.to_string());
        let is_present = match application.change(session, [shared, counting, node]).await? {
            Outcome::Done(_) => true,
            Outcome::Refused(_, Refusal::Missing) => {
                application.create_folders(session, &[TRANSACTOR, NODES]).await?;
                false
            }
            Outcome::Refused(..) => false,
            Outcome::Unknown => session.current_stat(&path).await?.is_some_and(|stat| stat.is_own),
        };
        if is_present {
            return Ok((id, path));
        }
    }
    Err(application.too_busy())
}

/// Returns the number of the last transactor, or an error if one that is alive has a higher number.
pub(super) async fn last(application: &Opened, session: &Session) -> Result<TransactorId> {
    let alive = session.children(&application.paths.at(NODES)).await?;
    // After the children, because each counts before its node exists.
    session.sync(&application.paths.root).await?;
    let last = application.data(session, zookeeper_format::TRANSACTOR_COUNT).await?;
    application.check_exists(session).await?;
    let last = TransactorId(zookeeper_format::read_transactor_count(last.as_deref())?);
    let alive = alive.iter().filter_map(|name| TransactorId::parse(name)).max();
    match alive.filter(|alive| *alive > last) {
        None => Ok(last),
        Some(alive) => Err(Error::corrupt(format!(
            "transactor {alive} of application `{}` is alive, and `{}` has {last}",
            application.name,
            zookeeper_format::TRANSACTOR_COUNT,
        ))),
    }
}

impl Publication {
    async fn publish(&self, oldest: Option<Timestamp>) -> Result<()> {
        let Self { id, application, session, .. } = self;
        let is_alive = Change::Require { path: application.paths.transactor(*id), version: None };
        let data = oldest.map(zookeeper_format::timestamp);
        let (mut creates, mut may_be_new) = (false, false);
        for _ in 0..TRIES {
            let path = application.paths.published(*id);
            let change = match &data {
                None => Change::delete(path),
                Some(data) if creates => Change::create(NodeKind::Ephemeral, path, data.clone()),
                Some(data) => Change::Set { path, data: data.clone(), version: None },
            };
            may_be_new |= creates;
            if may_be_new || data.is_none() {
                *locked(&self.created) = None;
            }
            match session.change(&[is_alive.clone(), change]).await? {
                Outcome::Done(_) => {
                    if data.is_some() {
                        locked(&self.created).get_or_insert_with(Instant::now);
                    }
                    return Ok(());
                }
                Outcome::Refused(0, _) => return Err(Error::transactor_ended(*id)),
                // There is nothing to withdraw.
                Outcome::Refused(_, Refusal::Missing) if data.is_none() => return Ok(()),
                Outcome::Refused(_, Refusal::Missing) if creates => {
                    application.create_folders(session, &[TIMESTAMPS]).await?;
                }
                Outcome::Refused(_, Refusal::Missing) => creates = true,
                Outcome::Refused(..) => creates = false,
                Outcome::Unknown => {}
            }
        }
        Err(application.too_busy())
    }
}

#[async_trait]
impl Transactor for ZooKeeperTransactor {
    fn id(&self) -> TransactorId {
        self.publication.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let publication = self.publication.clone();
        let alone = self.publishing.clone().lock_owned().await;
        let published = in_own_task(async move {
            let _alone = alone;
            publication.publish(oldest).await
        });
        match published.await {
            // The error may be a consequence of the end of the session.
            Err(_) if self.publication.session.has_ended() => {
                Err(Error::transactor_ended(self.id()))
            }
            published => published,
        }
    }

    fn is_holding(&self) -> bool {
        let created = *locked(&self.publication.created);
        let is_counted = created.is_some_and(|created| created.elapsed() >= FIRST_SECOND);
        is_counted && self.own_node.lease.is_valid()
    }
}

impl Drop for ZooKeeperTransactor {
    fn drop(&mut self) {
        self.own_node.lease.end();
        let Publication { id, application, session, .. } = &*self.publication;
        let paths = &application.paths;
        session.delete_later(vec![paths.published(*id), paths.transactor(*id)]);
    }
}
