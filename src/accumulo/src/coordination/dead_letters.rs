//! The failed notifications of an application. Their number is limited: each new one also writes
//! their parent, so that of two concurrent ones one counts again.

use std::sync::Arc;

use fluo_table::coordination::FailedNotification;
use fluo_table::{Error, Result, RowColumn, Timestamp};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::dead_letter::{decode, encode, name_of};
use super::opened::Opened;
use crate::paths::DEAD_LETTERS;
use crate::zookeeper::{AT_ONCE, Change, NodeKind, Outcome, Refusal, Session, TRIES};

pub(super) async fn add(application: Arc<Opened>, failed: FailedNotification) -> Result<()> {
    // One at a time in this process, because concurrent ones would count again each time.
    let _alone = application.adding.lock().await;
    let session = application.keeper.session().await?;
    let (folder, path) = (application.paths.at(DEAD_LETTERS), path_of(&application, &failed.cell));
    let data = encode(&failed.bounded())?;
    for _ in 0..TRIES {
        application.check_exists(&session).await?;
        let (path, data) = (path.clone(), data.clone());
        let changes = if session.current_stat(&path).await?.is_some() {
            vec![Change::Set { path, data, version: None }]
        } else if let Some(parent) = session.stat(&folder).await? {
            if parent.children >= FailedNotification::MAX_DEAD_LETTERS {
                return Err(Error::too_many_dead_letters());
            }
            let (folder, version) = (folder.clone(), Some(parent.version));
            let counting = Change::Set { path: folder, data: Vec::new(), version };
            vec![counting, Change::create(NodeKind::Persistent, path, data)]
        } else {
            application.create_folders(&session, &[DEAD_LETTERS]).await?;
            continue;
        };
        if let Outcome::Done(_) = application.change(&session, changes).await? {
            return Ok(());
        }
    }
    Err(application.too_busy())
}

pub(super) async fn list(
    application: &Opened,
    session: &Session,
) -> Result<Vec<FailedNotification>> {
    let folder = application.paths.at(DEAD_LETTERS);
    session.sync(&folder).await?;
    let names = session.children(&folder).await?;
    let found = stream::iter(names).map(|name| {
        let path = format!("{folder}/{name}");
        async move { session.node(&path).await }
    });
    let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
    // One that was removed meanwhile is missing.
    let found = found.iter().flatten().map(|node| decode(&node.data));
    let mut found = found.collect::<Result<Vec<_>>>()?;
    found.sort_by(|a, b| a.cell.cmp(&b.cell));
    Ok(found)
}

/// Removes the failed notification of a cell if its timestamp is not above `up_to`; returns whether
/// it did.
pub(super) async fn remove(
    application: Arc<Opened>,
    cell: RowColumn,
    up_to: Timestamp,
) -> Result<bool> {
    let session = application.keeper.session().await?;
    let path = path_of(&application, &cell);
    // An attempt whose answer was lost may have removed it.
    let mut may_have_removed = false;
    for _ in 0..TRIES {
        application.check_exists(&session).await?;
        let Some(node) = session.current_node(&path).await? else {
            return Ok(may_have_removed);
        };
        if decode(&node.data)?.timestamp > up_to {
            return Ok(false);
        }
        let delete = Change::Delete { path: path.clone(), version: Some(node.stat.version) };
        match application.change(&session, [delete]).await? {
            Outcome::Done(_) => return Ok(true),
            Outcome::Refused(_, Refusal::Missing) => return Ok(may_have_removed),
            Outcome::Refused(..) => {}
            Outcome::Unknown => may_have_removed = true,
        }
    }
    Err(application.too_busy())
}

fn path_of(application: &Opened, cell: &RowColumn) -> String {
    format!("{}/{}", application.paths.at(DEAD_LETTERS), name_of(cell))
}
