//! Locks: of set-ups, of applications that are recorded or removed, of duties, and of the exclusive
//! use of an application.
//!
//! A transactor or worker begins with a change that requires the version of the application's mark,
//! which it has read before it looked for an exclusive user. An exclusive user creates its lock,
//! changes that version, and then looks for transactors and workers. So either the change of the
//! other one fails, or the exclusive user finds it.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{HeldLock, TransactorId, check_duty};
use fluo_table::{Error, Result};
use futures::join;
use tokio::time::Instant;

use super::opened::Opened;
use crate::paths::{FINDERS, NODES, Paths, SPLITS, TIMESTAMPS};
use crate::zookeeper::{Change, Keeper, Lock, Outcome, Session, TRIES};

/// Longest wait for another caller that records or removes an application, which takes a fraction
/// of a second.
const RECORDING_LIMIT: Duration = Duration::from_secs(60);

/// The folder of the locks of all applications below a chroot. It is beside the chroot, because
/// Java lists all nodes below the chroot as applications.
fn folder(chroot: &str) -> String {
    format!("{chroot}-setup")
}

pub(super) async fn lock_setup(
    keeper: Arc<Keeper>,
    application: String,
    table: String,
) -> Result<Box<dyn HeldLock>> {
    check_names(&application, &table)?;
    let folder = folder(keeper.chroot());
    let paths =
        vec![format!("{folder}/applications/{application}"), format!("{folder}/tables/{table}")];
    match Lock::take(&keeper.session().await?, paths).await? {
        Ok(lock) => Ok(Box::new(lock)),
        Err(0) => Err(Error::setup_locked("application", &application)),
        Err(_) => Err(Error::setup_locked("table", &table)),
    }
}

/// Rejects names that would be the paths of other nodes.
fn check_names(application: &str, table: &str) -> Result<()> {
    for name in [application, table] {
        if matches!(name, "" | "." | "..") || name.contains('/') {
            return Err(Error::invalid(format!(
                "`{}` is neither the name of an application nor of a table",
                name.escape_debug()
            )));
        }
    }
    Ok(())
}

/// Waits until no other caller records or removes an application below a chroot. Requests of a
/// holder whose session has ended have no effect, because ZooKeeper rejects them.
pub(super) async fn lock_recording(session: &Arc<Session>, chroot: &str) -> Result<Lock> {
    let path = format!("{}/recording", folder(chroot));
    let end = Instant::now() + RECORDING_LIMIT;
    loop {
        if let Ok(lock) = Lock::take(session, vec![path.clone()]).await? {
            return Ok(lock);
        }
        let left = end.saturating_duration_since(Instant::now());
        if session.wait_for_end(&path, left).await? {
            return Err(Error::unavailable(format!(
                "another caller has been recording or removing an application for {} s, and holds `{path}` in \
                 ZooKeeper; try again",
                RECORDING_LIMIT.as_secs()
            )));
        }
    }
}

pub(super) async fn take_duty(
    application: Arc<Opened>,
    duty: String,
) -> Result<Option<Box<dyn HeldLock>>> {
    check_duty(&duty)?;
    let session = application.keeper.session().await?;
    application.check_exists(&session).await?;
    let folder = folder(application.keeper.chroot());
    // The name of a duty has no dot.
    let path = format!("{folder}/duties/{}.{duty}", application.name);
    Ok(Lock::take(&session, vec![path]).await?.ok().map(|lock| Box::new(lock) as _))
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
    let Ok(lock) = Lock::take(&session, vec![exclusive(&application)]).await? else {
        return Err(Error::used_alone(&application.name));
    };
    change_version(&application, &session).await?;
    if is_running(&session, &application.paths, Some(own)).await? {
        return Err(Error::still_running(&application.name));
    }
    Ok(Box::new(lock))
}

/// Checks whether an application has a transactor, apart from the own one, or a worker. A
/// transactor of Java that has not locked anything yet has only published a timestamp.
pub(super) async fn is_running(
    session: &Session,
    paths: &Paths,
    own: Option<TransactorId>,
) -> Result<bool> {
    session.sync(&paths.root).await?;
    let own = own.map(|own| own.to_string());
    let own = own.as_deref();
    // Every child of `FINDERS` but `splits` is a worker, as for Java.
    for (parent, not_counted) in [(NODES, own), (TIMESTAMPS, own), (FINDERS, Some(SPLITS))] {
        let present = session.children(&paths.at(parent)).await?;
        if present.iter().any(|name| Some(&**name) != not_counted) {
            return Ok(true);
        }
    }
    Ok(false)
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
    for _ in 0..TRIES {
        application.check_exists(session).await?;
        let node = session.node(&path).await?;
        let node = node.ok_or_else(|| Error::no_such_application(&application.name))?;
        let change =
            Change::Set { path: path.clone(), data: node.data, version: Some(node.stat.version) };
        if let Outcome::Done(_) = application.change(session, [change]).await? {
            return Ok(());
        }
    }
    Err(application.too_busy())
}

fn exclusive(application: &Opened) -> String {
    format!("{}/exclusive/{}", folder(application.keeper.chroot()), application.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_name_that_is_a_path() {
        assert!(check_names("web", "ns.pages").is_ok());
        let error = check_names("web", "a/b").unwrap_err();
        assert_eq!(error.to_string(), "`a/b` is neither the name of an application nor of a table");
        assert!(check_names("..", "t").is_err());
    }
}
