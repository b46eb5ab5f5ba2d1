//! The horizon: the leader computes it from the published timestamps and stores it, for the garbage
//! collection of the tablet servers.
//!
//! The next timestamp is read before the published ones are listed. A transactor publishes before
//! it requests its start, so a transactor that is not listed yet starts at or above that timestamp
//! (rule C5).
//!
//! Fluo's `advance_horizon` has no call at the oracle. A process that moves the horizon by itself
//! writes the node, and the leader watches the node and adopts a higher value.

use std::time::Duration;

use fluo_table::coordination::zookeeper_format::{HORIZON, timestamp};
use fluo_table::{Error, Result, Timestamp};
use tokio::time::{Instant, sleep_until};
use zookeeper_client::{Client, Error as ZooKeeperError};

use super::term::Term;
use crate::backoff::Backoff;
use crate::oracle::nodes::{self, PUBLISHED};
use crate::oracle::session::{read_current, request_error, within_limit};

/// Reads the stored horizon at the begin of a term.
pub(super) async fn adopt(session: &Client, term: &Term) -> Result<()> {
    let found = read_current(session, HORIZON).await;
    if let Some((data, _)) = found.map_err(|error| request_error("read the horizon", error))? {
        adopt_data(term, &data);
    }
    Ok(())
}

fn adopt_data(term: &Term, data: &[u8]) {
    match nodes::timestamp(data) {
        Some(found) if found <= term.next() => {
            term.advance_horizon(found);
        }
        _ => tracing::error!(
            "the data at `{HORIZON}` is not a timestamp that was handed out; it is ignored"
        ),
    }
}

/// Updates the horizon every `period` until the future is dropped. Adopts a higher value that
/// another process stores.
pub(super) async fn maintain(session: &Client, term: &Term, period: Duration) -> Error {
    let mut backoff = Backoff::default();
    let mut due = Instant::now() + period;
    loop {
        let watched = within_limit(session.get_and_watch_data(HORIZON)).await;
        let (data, _, watcher) = match watched {
            Ok(watched) => watched,
            Err(ZooKeeperError::SessionExpired | ZooKeeperError::ClientClosed) => {
                return request_error("watch the horizon", ZooKeeperError::SessionExpired);
            }
            Err(_) => {
                backoff.wait().await;
                continue;
            }
        };
        backoff = Backoff::default();
        adopt_data(term, &data);
        tokio::select! {
            _ = watcher.changed() => {}
            () = sleep_until(due) => {
                due = Instant::now() + period;
                if let Err(error) = update(session, term).await {
                    tracing::warn!(%error, "the horizon stays where it is");
                }
            }
        }
    }
}

/// Moves the horizon as far as the published timestamps allow.
async fn update(session: &Client, term: &Term) -> Result<()> {
    let next = term.next();
    let Some(horizon) = oldest_published(session, next).await? else {
        return Ok(());
    };
    if term.leads() && term.advance_horizon(horizon) {
        store(session, term).await?;
    }
    Ok(())
}

/// Returns the smallest published timestamp, or `next` if there is none below it. Returns `None` if
/// a published timestamp is damaged, because it protects an unknown part of the data.
async fn oldest_published(session: &Client, next: Timestamp) -> Result<Option<Timestamp>> {
    let failed = |error| request_error("read the published timestamps", error);
    let list = async {
        session.sync(PUBLISHED).await?;
        session.list_children(PUBLISHED).await
    };
    let children = match within_limit(list).await {
        Ok(children) => children,
        Err(ZooKeeperError::NoNode) => return Ok(Some(next)),
        Err(error) => return Err(failed(error)),
    };
    let mut oldest = next;
    for child in children {
        let path = format!("{PUBLISHED}/{child}");
        let published = match within_limit(session.get_data(&path)).await {
            Ok((data, _)) => nodes::timestamp(&data),
            // Its transactor has withdrawn it.
            Err(ZooKeeperError::NoNode) => continue,
            Err(error) => return Err(failed(error)),
        };
        let Some(published) = published else {
            tracing::error!(
                "the data at `{path}` is not a timestamp, so no garbage is collected; end the process that wrote it"
            );
            return Ok(None);
        };
        oldest = oldest.min(published);
    }
    Ok(Some(oldest))
}

/// Stores the horizon of the term unless a higher one is stored.
async fn store(session: &Client, term: &Term) -> Result<()> {
    let failed = |error| request_error("store the horizon", error);
    loop {
        let (data, stat) = within_limit(session.get_data(HORIZON)).await.map_err(failed)?;
        let horizon = term.horizon();
        if nodes::timestamp(&data).is_some_and(|stored| stored >= horizon) {
            return Ok(());
        }
        let data = timestamp(horizon);
        match within_limit(session.set_data(HORIZON, &data, Some(stat.version))).await {
            Ok(_) => return Ok(()),
            Err(ZooKeeperError::BadVersion) => {}
            Err(error) => return Err(failed(error)),
        }
    }
}
