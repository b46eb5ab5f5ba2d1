//! The transactors and workers that are present.

use fluo_table::Result;
use fluo_table::coordination::TransactorId;

use crate::paths::{FINDERS, NODES, Paths, SPLITS, TIMESTAMPS};
use crate::zookeeper::Session;

/// Checks whether an application has a transactor, apart from the own one, or a worker. A
/// transactor of Java that has not locked anything yet has only published a timestamp.
pub(super) async fn is_running(
    session: &Session,
    paths: &Paths,
    own: Option<TransactorId>,
) -> Result<bool> {
    session.sync(paths.root()).await?;
    let own = own.map(|own| own.to_string());
    for parent in [NODES, TIMESTAMPS] {
        let present = session.children(&paths.at(parent)).await?;
        if present.iter().any(|name| Some(name) != own.as_ref()) {
            return Ok(true);
        }
    }
    Ok(!workers(session, paths).await?.is_empty())
}

/// Returns the names of the nodes of all workers. As for Java, every child is a worker, whatever
/// its name is.
pub(super) async fn workers(session: &Session, paths: &Paths) -> Result<Vec<String>> {
    let mut names = session.children(&paths.at(FINDERS)).await?;
    names.retain(|name| name != SPLITS);
    Ok(names)
}
