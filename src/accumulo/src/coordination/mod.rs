//! The applications of an Accumulo instance, in ZooKeeper at the paths of Fluo's Java client.
//!
//! ```text
//! <chroot>/<application>/
//!   config/..                 the stored application: `zookeeper_format`
//!   config/format             the format of the nodes that only this project has; without it, 1
//!   config/shared.config      the settings. Created last and deleted first: an application exists
//!                             as long as this node does, and another node is another application
//!   oracle/..                 timestamps and the horizon
//!   oracle/timeline           the times of timestamps, which only this project reads
//!   transactor/count          the last transactor's number
//!   transactor/nodes/<id>     ephemeral: a transactor that is alive
//!   transactor/timestamps/<id>  ephemeral: the oldest active timestamp of a transactor
//!   finders/f-<number>        ephemeral: a worker; its data is the group size
//!   finders/splits            the split points that divide the table among groups of workers
//!   hand-overs/f-<number>-<checksum>  ephemeral: a worker that has given up its share by earlier
//!                             lists of workers, which only this project reads: `hand_over`
//!   vacancies/f-<number>      the place of a worker that was stopped, for its successor: `vacancies`
//!   dead-letters/<hash>       failed notifications, which only this project reads
//! <chroot>-setup/
//!   applications/<name>       ephemeral: an application that is being created or removed
//!   tables/<table>            ephemeral: its table
//!   recording                 ephemeral: one caller records or removes an application at a time
//!   duties/<name>.<duty>      ephemeral: a duty of an application that one process has
//!   exclusive/<name>          ephemeral: the exclusive use of an application
//! ```
//!
//! All changes that need several requests run in tasks of their own, so that a caller that is
//! cancelled leaves no node behind.

mod applications;
mod backup;
mod cluster;
mod dead_letters;
mod finders;
mod hand_over;
mod handle;
mod initialization;
mod locks;
mod opened;
mod place;
mod presence;
mod removal;
mod splits;
mod transactor;
mod vacancies;
mod worker;
mod worker_settings;

pub(crate) use applications::ZooKeeperApplications;
pub use backup::{StoredNode, back_up_application, restore_application};
pub(crate) use cluster::AccumuloCluster;

use fluo_table::{Error, ErrorKind, Result};

/// Runs a call in a task of its own, which continues if the caller is cancelled.
async fn in_own_task<T: Send + 'static>(
    call: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match tokio::spawn(call).await {
        Ok(result) => result,
        Err(error) => {
            let message =
                "a call to ZooKeeper ended early, because the runtime stops or it panicked";
            Err(Error::with_source(ErrorKind::Uncertain, message, error))
        }
    }
}
