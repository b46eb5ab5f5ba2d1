//! The applications of an Accumulo instance, in ZooKeeper at the paths of Fluo's Java client.
//!
//! ```text
//! <chroot>/<application>/
//!   config/..                 the stored application: `zookeeper_format`
//!   config/shared.config      the settings. Created last and deleted first: an application exists
//!                             as long as this node does, and another node is another application
//!   oracle/..                 timestamps and the horizon
//!   transactor/count          the last transactor's number
//!   transactor/nodes/<id>     ephemeral: a transactor that is alive
//!   transactor/timestamps/<id>  ephemeral: the oldest active timestamp of a transactor
//!   finders/f-<number>        ephemeral: a worker; its data is the group size
//!   finders/splits            the split points that divide the table among groups of workers
//!   dead-letters/<hash>       failed notifications, which only this project reads
//! <chroot>-setup/
//!   applications/<name>       ephemeral: an application that is being created or removed
//!   tables/<table>            ephemeral: its table
//!   recording                 ephemeral: one caller records or removes an application at a time
//!   duties/<name>.<duty>      ephemeral: a duty of an application that one process has
//!   exclusive/<name>          ephemeral: the exclusive use of an application
//! ```
//!
//! The nodes of set-up locks are beside the chroot, because Java lists all nodes below the chroot
//! as applications.
//!
//! All changes that need several requests run in tasks of their own, so that a caller that is
//! cancelled leaves no node behind.

/// Repeats a change of the application `$name` that other clients prevent, or whose answer was
/// lost, until the future `$change` returns a value. A macro, because the future of an asynchronous
/// closure is not known to be `Send`.
macro_rules! settle {
    ($name:expr, $change:expr) => {{
        let mut tries = 0;
        loop {
            let changed: fluo_table::Result<Option<_>> = $change.await;
            match changed {
                Ok(None) if tries < super::TRIES => tries += 1,
                Ok(None) => break Err(super::too_busy($name)),
                Ok(Some(settled)) => break Ok(settled),
                Err(error) => break Err(error),
            }
        }
    }};
}

mod applications;
mod cluster;
mod dead_letter;
mod dead_letters;
mod finders;
mod handle;
mod initialization;
mod locks;
mod opened;
mod paths;
mod pause;
mod place;
mod presence;
mod publication;
mod recording;
mod removal;
mod setup;
mod shuffle;
mod splits;
mod timestamps;
mod transactor;
mod worker;
mod worker_settings;

pub(crate) use applications::ZooKeeperApplications;
pub(crate) use cluster::AccumuloCluster;

use std::future::Future;

use fluo_table::{Error, ErrorKind, Result};

/// Maximum number of times to repeat a change that other clients prevent.
const TRIES: u32 = 1_000;

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

/// Creates the error for a change that other clients prevented too often.
fn too_busy(name: &str) -> Error {
    Error::unavailable(format!(
        "other clients keep changing the state of the application `{name}`; try again"
    ))
}
