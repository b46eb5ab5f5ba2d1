//! The removal of an application.

use std::sync::Arc;

use fluo_table::Result;
use fluo_table::coordination::{no_such_application, still_running};

use super::paths::{FINDERS, NODES, Paths, SPLITS, TIMESTAMPS};
use super::presence::is_running;
use super::{TRIES, recording, too_busy};
use crate::zookeeper::{Change, Keeper, Outcome, Session, delete_tree};

/// Removes an application that is not running, or what an interrupted initialisation or removal
/// left of it.
pub(super) async fn remove(keeper: Arc<Keeper>, chroot: Arc<str>, name: String) -> Result<()> {
    let session = keeper.session().await?;
    let paths = Paths::new(&chroot, &name);
    if session.current_stat(paths.root()).await?.is_none() {
        return Err(no_such_application(&name));
    }
    let _lock = recording::lock(&session, &chroot).await?;
    if session.current_stat(paths.root()).await?.is_none() {
        return Err(no_such_application(&name));
    }
    unmark(&session, &paths, &name).await?;
    delete_tree(&session, paths.root()).await
}

/// Deletes the mark of an application together with the parents of transactors and workers, which
/// fails if there is any. None of them can begin after that, because they require the mark.
async fn unmark(session: &Session, paths: &Paths, name: &str) -> Result<()> {
    for _ in 0..TRIES {
        if session.current_stat(&paths.mark()).await?.is_none() {
            return Ok(());
        }
        if is_running(session, paths).await? {
            return Err(still_running(name));
        }
        let splits = format!("{FINDERS}/{SPLITS}");
        let mut changes = vec![Change::delete(paths.mark())];
        for node in [NODES, TIMESTAMPS, splits.as_str(), FINDERS] {
            let path = paths.at(node);
            if session.stat(&path).await?.is_some() {
                changes.push(Change::delete(path));
            }
        }
        if let Outcome::Done(_) = session.change(&changes).await? {
            return Ok(());
        }
    }
    Err(too_busy(name))
}
