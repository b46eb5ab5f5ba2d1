//! A worker, as a finder of Fluo.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::Result;
use fluo_table::coordination::{WorkerMembership, no_such_application, worker_ended};
use fluo_table::layout::Partition;

use super::opened::Opened;
use super::paths::FINDERS;
use super::presence::workers;
use super::{TRIES, too_busy};
use crate::zookeeper::{Change, Outcome, Refusal, Session};

/// The content of the node of a worker: the number of workers from which on Java divides them into
/// groups. Java workers stop while it differs among the workers, so it is Java's default.
const GROUP_SIZE: &[u8] = b"7";

/// The beginning of the name of a worker's node.
const PREFIX: &str = "/f-";

#[derive(Debug)]
struct ZooKeeperWorker {
    /// The name of its node.
    name: String,
    application: Arc<Opened>,
    session: Arc<Session>,
}

/// Joins the workers of an application.
pub(super) async fn join(application: Arc<Opened>) -> Result<Box<dyn WorkerMembership>> {
    let session = application.keeper.session().await?;
    let prefix = application.paths.at(FINDERS) + PREFIX;
    let changes = [
        application.require(),
        Change::CreateNumbered {
            path: prefix.clone(),
            data: GROUP_SIZE.to_vec(),
        },
    ];
    for _ in 0..TRIES {
        application.check_exists(&session).await?;
        let mut numbered = session.numbering.lock().await;
        match session.change(&changes).await? {
            Outcome::Done(paths) => {
                numbered.extend(paths.iter().cloned());
                drop(numbered);
                let name = paths.last().and_then(|path| path.rsplit('/').next());
                let worker = ZooKeeperWorker {
                    name: name.unwrap_or_default().to_owned(),
                    application,
                    session,
                };
                // Another application may have got the name meanwhile. If so, this is dropped.
                worker.application.check_exists(&worker.session).await?;
                return Ok(Box::new(worker));
            }
            Outcome::Refused(0, _) => return Err(no_such_application(&application.name)),
            Outcome::Refused(_, Refusal::Missing) => {
                application.create_folders(&session, &[FINDERS]).await?;
            }
            Outcome::Refused(..) => {}
            Outcome::Unknown => {
                delete_unknown(&application, &session, &numbered).await?;
            }
        }
    }
    Err(too_busy(&application.name))
}

/// Deletes the node that a request created whose answer was lost. All other nodes of this session
/// are `known`.
async fn delete_unknown(
    application: &Opened,
    session: &Arc<Session>,
    known: &[String],
) -> Result<()> {
    session.sync(application.paths.root()).await?;
    let mut unknown = Vec::new();
    for name in workers(session, &application.paths).await? {
        let path = format!("{}/{name}", application.paths.at(FINDERS));
        let stat = session.stat(&path).await?;
        if stat.is_some_and(|stat| stat.is_own) && !known.contains(&path) {
            unknown.push(path);
        }
    }
    session.delete_later(unknown);
    Ok(())
}

impl ZooKeeperWorker {
    fn path(&self) -> String {
        format!("{}/{}", self.application.paths.at(FINDERS), self.name)
    }
}

#[async_trait]
impl WorkerMembership for ZooKeeperWorker {
    async fn share(&self) -> Result<Partition> {
        if self.session.has_ended() {
            return Err(worker_ended());
        }
        let present = workers(&self.session, &self.application.paths).await?;
        let rank = present.iter().position(|name| *name == self.name);
        share_of(present.len(), rank)
    }
}

fn share_of(workers: usize, rank: Option<usize>) -> Result<Partition> {
    let number = |count: usize| u32::try_from(count).ok();
    let workers = number(workers).and_then(NonZeroU32::new);
    let (Some(workers), Some(rank)) = (workers, rank.and_then(number)) else {
        return Err(worker_ended());
    };
    Partition::new(workers, rank)
}

impl Drop for ZooKeeperWorker {
    fn drop(&mut self) {
        let path = self.path();
        self.session.delete_later(vec![path.clone()]);
        if let Ok(mut numbered) = self.session.numbering.try_lock() {
            numbered.retain(|known| *known != path);
        }
    }
}
