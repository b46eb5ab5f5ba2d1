//! Locks on applications and tables that are being created or removed.

use std::sync::Arc;

use fluo_table::coordination::HeldLock;
use fluo_table::{Error, Result};

use crate::zookeeper::{Lock, Session, Taken};

/// The folder of the locks of all applications below a chroot. It is beside the chroot, because
/// Java lists all nodes below the chroot as applications.
pub(super) fn folder(chroot: &str) -> String {
    format!("{chroot}-setup")
}

/// Locks an application and a table, both or neither.
pub(super) async fn lock(
    session: &Arc<Session>,
    chroot: &str,
    application: &str,
    table: &str,
) -> Result<Box<dyn HeldLock>> {
    check_names(application, table)?;
    let folder = folder(chroot);
    let paths =
        vec![format!("{folder}/applications/{application}"), format!("{folder}/tables/{table}")];
    match Lock::take(session, paths).await? {
        Taken::Own(lock) => Ok(Box::new(lock)),
        Taken::ByOther(0) => Err(Error::application_locked(application)),
        Taken::ByOther(_) => Err(Error::table_locked(table)),
    }
}

/// Rejects names that would be the paths of other nodes.
fn check_names(application: &str, table: &str) -> Result<()> {
    let wrong = [application, table]
        .into_iter()
        .find(|name| matches!(*name, "" | "." | "..") || name.contains('/'));
    match wrong {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "`{}` is neither the name of an application nor of a table",
            name.escape_debug()
        ))),
    }
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
