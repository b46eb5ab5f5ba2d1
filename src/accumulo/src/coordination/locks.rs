//! Locks of an application: its duties, and its exclusive use. They are beside those of set-ups.
//!
//! A transactor or worker begins with a change that requires the version of the application's mark,
//! which it has read before it looked for an exclusive user. An exclusive user creates its lock,
//! changes that version, and then looks for transactors and workers. So either the change of the
//! other one fails, or the exclusive user finds it.

use std::sync::Arc;

use fluo_table::coordination::{HeldLock, TransactorId, check_duty};
use fluo_table::{Error, Result};
use futures::join;

use super::opened::Opened;
use super::paths::{NODES, TIMESTAMPS};
use super::presence::workers;
use super::setup;
use crate::zookeeper::{Change, Lock, Outcome, Session, Taken};

/// Takes a duty, or returns `None` if another caller has it.
pub(super) async fn take_duty(
    application: Arc<Opened>,
    duty: String,
) -> Result<Option<Box<dyn HeldLock>>> {
    check_duty(&duty)?;
    let session = application.keeper.session().await?;
    application.check_exists(&session).await?;
    let folder = setup::folder(application.paths.chroot());
    // The name of a duty has no dot.
    let path = format!("{folder}/duties/{}.{duty}", application.name);
    Ok(match Lock::take(&session, vec![path]).await? {
        Taken::Own(lock) => Some(Box::new(lock)),
        Taken::ByOther(_) => None,
    })
}

/// Begins the exclusive use of an application by a transactor of this process.
pub(super) async fn exclude_others(
    application: Arc<Opened>,
    own: TransactorId,
) -> Result<Box<dyn HeldLock>> {
    let session = application.keeper.session().await?;
    let own_node = session.current_stat(&application.paths.transactor(own)).await?;
    if !own_node.is_some_and(|stat| stat.is_own) {
        return Err(Error::transactor_ended(own));
    }
    let Taken::Own(lock) = Lock::take(&session, vec![exclusive(&application)]).await? else {
        return Err(Error::used_alone(&application.name));
    };
    change_version(&application, &session).await?;
    session.sync(application.paths.root()).await?;
    let own = own.to_string();
    for parent in [NODES, TIMESTAMPS] {
        let present = session.children(&application.paths.at(parent)).await?;
        if present.iter().any(|name| *name != own) {
            return Err(Error::still_running(&application.name));
        }
    }
    if !workers(&session, &application.paths).await?.is_empty() {
        return Err(Error::still_running(&application.name));
    }
    Ok(Box::new(lock))
}

/// Returns the part of a change by which a transactor begins or a worker joins: it fails if the
/// application was removed, or if its exclusive use began meanwhile.
pub(super) async fn require_shared(application: &Opened, session: &Session) -> Result<Change> {
    // Requests of a session are answered in their order.
    let (mark, exclusive) = (application.paths.mark(), exclusive(application));
    let (found, exclusive) = join!(session.stat(&mark), session.stat(&exclusive));
    let found = application.check_mark(found?)?;
    if exclusive?.is_some() {
        return Err(Error::used_alone(&application.name));
    }
    Ok(Change::Require { path: mark, version: Some(found.version) })
}

/// Writes the application's mark again, so that it has another version.
async fn change_version(application: &Opened, session: &Session) -> Result<()> {
    let path = application.paths.mark();
    settle!(&application.name, async {
        application.check_exists(session).await?;
        let node = session.node(&path).await?;
        let node = node.ok_or_else(|| Error::no_such_application(&application.name))?;
        let change =
            Change::Set { path: path.clone(), data: node.data, version: Some(node.stat.version) };
        let changed = application.change(session, &[change]).await?;
        Ok(matches!(changed, Outcome::Done(_)).then_some(()))
    })
}

fn exclusive(application: &Opened) -> String {
    let folder = setup::folder(application.paths.chroot());
    format!("{folder}/exclusive/{}", application.name)
}
