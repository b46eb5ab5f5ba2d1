//! The removal of an application, which must not be running.

use std::sync::Arc;

use fluo_table::{Error, Result};

use super::locks::{is_running, lock_recording};
use crate::paths::{FINDERS, NODES, Paths, SPLITS, TIMESTAMPS, TRANSACTOR};
use crate::zookeeper::{Change, Keeper, NodeKind, Outcome, Session, TRIES, delete_tree, too_busy};

/// Removes an application that is not running, or what an interrupted initialization or removal
/// left of it.
pub(super) async fn remove(keeper: Arc<Keeper>, name: String) -> Result<()> {
    let session = keeper.session().await?;
    let paths = Paths::new(keeper.chroot(), &name);
    let check_exists = async || match session.current_stat(&paths.root).await? {
        Some(_) => Ok(()),
        None => Err(Error::no_such_application(&name)),
    };
    check_exists().await?;
    let _lock = lock_recording(&session, keeper.chroot()).await?;
    check_exists().await?;
    unmark(&session, &paths, &name).await?;
    delete_tree(&session, &paths.root).await
}

/// Deletes the mark of an application together with the parents of transactors and workers, which
/// fails if there is any. None of them can begin after that, because they require the mark. A
/// parent that does not exist is created and deleted in the same step: this fails if it was created
/// meanwhile.
async fn unmark(session: &Session, paths: &Paths, name: &str) -> Result<()> {
    for _ in 0..TRIES {
        if session.current_stat(&paths.mark()).await?.is_none() {
            return Ok(());
        }
        if is_running(session, paths, None).await? {
            return Err(Error::still_running(name));
        }
        let mut changes = vec![Change::delete(paths.mark())];
        let mut parents = vec![NODES, TIMESTAMPS, FINDERS];
        for parent in [TRANSACTOR, NODES, TIMESTAMPS, FINDERS] {
            if session.stat(&paths.at(parent)).await?.is_none() {
                changes.push(Change::create(NodeKind::Persistent, paths.at(parent), []));
                if parent == TRANSACTOR {
                    parents.push(TRANSACTOR);
                }
            }
        }
        let splits = format!("{}/{SPLITS}", paths.at(FINDERS));
        if session.stat(&splits).await?.is_some() {
            changes.push(Change::delete(splits));
        }
        changes.extend(parents.into_iter().map(|parent| Change::delete(paths.at(parent))));
        if let Outcome::Done(_) = session.change(&changes).await? {
            return Ok(());
        }
    }
    Err(too_busy(&paths.root))
}
