//! Timestamps, from the leading oracle of an application.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::{TimestampBlock, zookeeper_format};
use fluo_table::{Error, Result};
use tokio::time::timeout;

use super::opened::Opened;
use crate::oracle::{OracleClient, Sessions};

/// Longest wait for ZooKeeper beside a request for timestamps. An oracle answers while ZooKeeper is
/// away, and checks the id of the application.
const LIMIT: Duration = Duration::from_secs(1);

/// Requests timestamps.
pub(super) async fn request(application: &Opened, count: NonZeroU32) -> Result<TimestampBlock> {
    application.check_not_removed()?;
    let oracle = application.oracle.get_or_try_init(|| client(application));
    let oracle = oracle.await?;
    let block = oracle.timestamps(count).await;
    // After the answer, so that the application existed when the timestamps were handed out.
    if application.certainly_exists() || !is_removed(application).await {
        return block;
    }
    Err(Error::no_such_application(&application.name))
}

/// Creates the client that all handles of an application in this process share.
async fn client(application: &Opened) -> Result<OracleClient> {
    let session = application.keeper.session().await?;
    let id = application.data(&session, zookeeper_format::ID).await?;
    application.check_exists(&session).await?;
    let id = id.and_then(|id| String::from_utf8(id).ok());
    let id = id.ok_or_else(|| Error::no_such_application(&application.name))?;
    let root = application.paths.root();
    let sessions = Sessions::of(application.keeper.clone(), root, &application.name);
    Ok(OracleClient::new(sessions, id))
}

/// Checks whether the application was removed, as far as ZooKeeper answers.
async fn is_removed(application: &Opened) -> bool {
    let checked = timeout(LIMIT, application.look()).await;
    matches!(checked, Ok(Err(error)) if error.kind() == fluo_table::ErrorKind::NotFound)
}
