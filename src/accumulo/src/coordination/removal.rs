//! The removal of an application.

use std::sync::Arc;

use fluo_table::{Error, Result};

use super::paths::{FINDERS, NODES, Paths, SPLITS, TIMESTAMPS, TRANSACTOR};
use super::presence::is_running;
use super::recording;
use crate::zookeeper::{Change, Keeper, Outcome, Session, delete_tree};

/// Removes an application that is not running, or what an interrupted initialization or removal
/// left of it.
pub(super) async fn remove(keeper: Arc<Keeper>, chroot: Arc<str>, name: String) -> Result<()> {
    let session = keeper.session().await?;
    let paths = Paths::new(&chroot, &name);
    if session.current_stat(paths.root()).await?.is_none() {
        return Err(Error::no_such_application(&name));
    }
    let _lock = recording::lock(&session, &chroot).await?;
    if session.current_stat(paths.root()).await?.is_none() {
        return Err(Error::no_such_application(&name));
    }
    unmark(&session, &paths, &name).await?;
    delete_tree(&session, paths.root()).await
}

/// Deletes the mark of an application together with the parents of transactors and workers, which
/// fails if there is any. None of them can begin after that, because they require the mark. A
/// parent that does not exist is created and deleted in the same step: this fails if it was created
/// meanwhile.
async fn unmark(session: &Session, paths: &Paths, name: &str) -> Result<()> {
    settle!(name, async {
        if session.current_stat(&paths.mark()).await?.is_none() {
            return Ok(Some(()));
        }
        if is_running(session, paths).await? {
            return Err(Error::still_running(name));
        }
        let splits = format!("{FINDERS}/{SPLITS}");
        let mut changes = vec![Change::delete(paths.mark())];
        let has_transactors = session.stat(&paths.at(TRANSACTOR)).await?.is_some();
        if !has_transactors {
            changes.push(Change::create(paths.at(TRANSACTOR), []));
        }
        for parent in [NODES, TIMESTAMPS, FINDERS] {
            if session.stat(&paths.at(parent)).await?.is_none() {
                changes.push(Change::create(paths.at(parent), []));
            }
        }
        if session.stat(&paths.at(&splits)).await?.is_some() {
            changes.push(Change::delete(paths.at(&splits)));
        }
        let parents = [NODES, TIMESTAMPS, FINDERS];
        changes.extend(parents.map(|parent| Change::delete(paths.at(parent))));
        if !has_transactors {
            changes.push(Change::delete(paths.at(TRANSACTOR)));
        }
        let changed = session.change(&changes).await?;
        Ok(matches!(changed, Outcome::Done(_)).then_some(()))
    })
}
