//! A transactor: its number, its presence, and its oldest active timestamp.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Transactor, TransactorId, zookeeper_format};
use fluo_table::{Error, Result, Timestamp};
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

use super::in_own_task;
use super::locks::require_shared;
use super::opened::Opened;
use super::paths::{NODES, TRANSACTOR};
use super::publication::Publication;
use crate::zookeeper::{Change, Lease, Outcome, Refusal, Session};

/// A transactor of one session. It ends with the session, and also if another client deletes its
/// node, because others then treat it as ended.
#[derive(Debug)]
struct ZooKeeperTransactor {
    id: TransactorId,
    application: Arc<Opened>,
    session: Arc<Session>,
    /// The lease of the node.
    lease: Arc<Lease>,
    /// The task that keeps the lease.
    keeping: Option<AbortHandle>,
    publication: Arc<Publication>,
    /// Held by a publication under way. It continues without a caller that does not wait for it,
    /// so a later one must not overtake it.
    publishing: Arc<Mutex<()>>,
}

/// Begins a transactor of an application.
pub(super) async fn begin(application: Arc<Opened>) -> Result<Box<dyn Transactor>> {
    let session = application.keeper.session().await?;
    let (id, path) = settle!(&application.name, async {
        let shared = require_shared(&application, &session).await?;
        let count = application.paths.at(zookeeper_format::TRANSACTOR_COUNT);
        let found = session.node(&count).await?;
        let last = found.as_ref().map(|node| node.data.as_slice());
        let id = TransactorId(zookeeper_format::read_transactor_count(last)? + 1);
        let bytes = zookeeper_format::transactor_count(id.0).to_vec();
        let counting = match found {
            Some(node) => {
                Change::Set { path: count, data: bytes, version: Some(node.stat.version) }
            }
            None => Change::create(count, bytes),
        };
        let path = application.paths.transactor(id);
        let changes = [
            shared,
            counting,
            Change::CreateEphemeral { path: path.clone(), data: id.to_string().into_bytes() },
        ];
        let is_present = match application.change(&session, &changes).await? {
            Outcome::Done(_) => true,
            Outcome::Refused(_, Refusal::Missing) => {
                application.create_folders(&session, &[TRANSACTOR, NODES]).await?;
                false
            }
            Outcome::Refused(..) => false,
            Outcome::Unknown => {
                let found = session.current_stat(&path).await?;
                found.is_some_and(|stat| stat.is_own)
            }
        };
        Ok(is_present.then_some((id, path)))
    })?;
    let (lease, keeping) = session.keep_lease(path);
    application.add_lease(&lease);
    let transactor = ZooKeeperTransactor {
        id,
        application,
        session,
        lease,
        keeping,
        publication: Arc::default(),
        publishing: Arc::default(),
    };
    // Another application may have got the name meanwhile. If so, this is dropped.
    let (application, session) = (&transactor.application, &transactor.session);
    application.check_exists(session).await?;
    Ok(Box::new(transactor))
}

impl ZooKeeperTransactor {
    /// Publishes a timestamp, or withdraws it.
    async fn publish(
        application: &Opened,
        session: &Session,
        publication: &Publication,
        (id, oldest): (TransactorId, Option<Timestamp>),
    ) -> Result<()> {
        let path = application.paths.published(id);
        let is_alive = Change::Require { path: application.paths.transactor(id), version: None };
        let data = oldest.map(zookeeper_format::timestamp);
        let (mut creates, mut may_be_new) = (false, false);
        settle!(&application.name, async {
            let path = path.clone();
            let change = match &data {
                None => Change::delete(path),
                Some(data) if creates => Change::CreateEphemeral { path, data: data.clone() },
                Some(data) => Change::Set { path, data: data.clone(), version: None },
            };
            may_be_new |= creates;
            if may_be_new || data.is_none() {
                publication.before_change();
            }
            match session.change(&[is_alive.clone(), change]).await? {
                Outcome::Done(_) => {
                    if data.is_some() {
                        publication.after_publication(may_be_new);
                    }
                    return Ok(Some(()));
                }
                Outcome::Refused(0, _) => return Err(Error::transactor_ended(id)),
                // There is nothing to withdraw.
                Outcome::Refused(_, Refusal::Missing) if data.is_none() => return Ok(Some(())),
                Outcome::Refused(_, Refusal::Missing) if creates => {
                    let folder = [super::paths::TIMESTAMPS];
                    application.create_folders(session, &folder).await?;
                }
                Outcome::Refused(_, Refusal::Missing) => creates = true,
                Outcome::Refused(..) => creates = false,
                Outcome::Unknown => {}
            }
            Ok(None)
        })
    }
}

#[async_trait]
impl Transactor for ZooKeeperTransactor {
    fn id(&self) -> TransactorId {
        self.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        let (id, session) = (self.id, self.session.clone());
        let (application, publication) = (self.application.clone(), self.publication.clone());
        let alone = self.publishing.clone().lock_owned().await;
        let published = in_own_task(async move {
            let _alone = alone;
            Self::publish(&application, &session, &publication, (id, oldest)).await
        });
        match published.await {
            // The error may be a consequence of the end of the session.
            Err(_) if self.session.has_ended() => Err(Error::transactor_ended(id)),
            published => published,
        }
    }

    fn is_holding(&self) -> bool {
        self.publication.is_counted() && self.lease.is_valid()
    }
}

impl Drop for ZooKeeperTransactor {
    fn drop(&mut self) {
        if let Some(keeping) = &self.keeping {
            keeping.abort();
        }
        self.lease.end();
        let paths = &self.application.paths;
        let nodes = vec![paths.published(self.id), paths.transactor(self.id)];
        self.session.delete_later(nodes);
    }
}
