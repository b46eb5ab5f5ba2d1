//! The renewal of the lease of a leader.

use fluo_table::{Error, ErrorKind};
use tokio::time::{sleep, timeout};
use zookeeper_client::{Client, Error as ZooKeeperError, OneshotWatcher};

use super::candidate::{Candidate, node_removed};
use super::term::Term;
use crate::oracle::session::{check_application, request_error};
use crate::zookeeper::{Moment, is_connection_lost};

/// The number of renewals within a session timeout.
const RENEWALS: u32 = 15;

/// Renews the lease until the term must end, and returns the reason.
pub(super) async fn renew(
    session: &Client,
    candidate: &Candidate,
    term: &Term,
    application: &str,
    id: &str,
) -> Error {
    let interval = session.session_timeout() / RENEWALS;
    let path = candidate.path();
    loop {
        let Some(remaining) = term.lease.remaining(Moment::now()) else {
            return Error::unavailable(
                "ZooKeeper has not answered for too long, so this oracle stops to lead",
            );
        };
        let sent = Moment::now();
        let watcher = match timeout(remaining, confirm(session, &path)).await {
            Ok(Ok(Some(watcher))) => {
                term.lease.renew(sent);
                watcher
            }
            Ok(Ok(None)) => return node_removed(),
            Ok(Err(error)) if is_connection_lost(&error) => {
                sleep(interval.min(remaining)).await;
                continue;
            }
            Ok(Err(error)) => return request_error("renew the lease", error),
            Err(_) => continue,
        };
        if let Err(error) = check_application(session, application, id).await
            && error.kind() == ErrorKind::NotFound
        {
            return error;
        }
        // The watch fires if the node is deleted.
        let _ = timeout(interval, watcher.changed()).await;
    }
}

/// Returns a watch on the election node if it exists. The session was alive when the request
/// arrived at the leader of the ensemble.
async fn confirm(session: &Client, path: &str) -> Result<Option<OneshotWatcher>, ZooKeeperError> {
    session.sync(path).await?;
    let (stat, watcher) = session.check_and_watch_stat(path).await?;
    Ok(stat.map(|_| watcher))
}
