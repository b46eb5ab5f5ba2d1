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
