//! The lock under which applications are recorded and removed.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use tokio::time::Instant;

use super::setup;
use crate::zookeeper::{Lock, Session, Taken};

/// Longest wait for another caller, which takes a fraction of a second.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits until no other caller records or removes an application below a chroot. Requests of a
/// holder whose session has ended have no effect, because ZooKeeper rejects them.
pub(super) async fn lock(session: &Arc<Session>, chroot: &str) -> Result<Lock> {
    let path = format!("{}/recording", setup::folder(chroot));
    let end = Instant::now() + LIMIT;
    loop {
        if let Taken::Own(lock) = Lock::take(session, vec![path.clone()]).await? {
            return Ok(lock);
        }
        let left = end.saturating_duration_since(Instant::now());
        if session.wait_for_end(&path, left).await? {
            return Err(Error::new(
                ErrorKind::Unavailable,
                format!(
                    "another caller has been recording or removing an application for {} s, and holds `{path}` in \
                     ZooKeeper; try again",
                    LIMIT.as_secs()
                ),
            ));
        }
    }
}
