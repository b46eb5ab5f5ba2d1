//! The horizon: the leader computes it from the published timestamps and stores it, for the garbage
//! collection of the tablet servers.
//!
//! The next timestamp is read before the published ones are listed. A transactor publishes before
//! it requests its start, so a transactor that is not listed yet starts at or above that timestamp
//! (rule C5).
//!
//! Fluo's `advance_horizon` has no call at the oracle. A process that moves the horizon by itself
//! writes the node, and the leader watches the node and adopts a higher value.

use std::convert::Infallible;
use std::time::Duration;

use fluo_table::coordination::zookeeper_format::{HORIZON, read_timestamp, timestamp};
use fluo_table::{Error, Result, Timestamp};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::term::Term;
use crate::paths::TIMESTAMPS;
use crate::zookeeper::{Change, Node, Outcome};

/// Adopts the stored horizon, unless it is damaged or above the next timestamp.
pub(super) async fn adopt(term: &Term, stored: Option<&Node>) {
    match read_timestamp(HORIZON, stored.map(|node| &node.data[..])) {
        Ok(found) if found <= term.next().await => {
            term.advance_horizon(found);
        }
        _ => tracing::error!(
            "the data at `{HORIZON}` is not a timestamp that was handed out; it is ignored"
        ),
    }
}

/// Updates the horizon every `period` until the future is dropped. Adopts a higher value that
/// another process stores.
pub(super) async fn maintain(term: &Term, period: Duration) -> Infallible {
    let path = term.application.paths.at(HORIZON);
    let mut due = interval_at(Instant::now() + period, period);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let watched = match term.session.watch_node(&path).await {
            Ok(Some(watched)) => watched,
            // The lease and the watch of the application end the term, not the horizon.
            missing => {
                let error = missing.err();
                tracing::error!(?error, "`{path}` cannot be read; the horizon stays where it is");
                due.tick().await;
                continue;
            }
        };
        adopt(term, Some(&watched.value)).await;
        tokio::select! {
            () = watched.event() => continue,
            _ = due.tick() => {}
        }
        if let Err(error) = update(term, &path, watched.value).await {
            tracing::warn!(%error, "the horizon stays where it is");
        }
    }
}

/// Moves the horizon as far as the published timestamps allow, and stores it unless `stored`, the
/// node, has one that is as high.
async fn update(term: &Term, path: &str, mut stored: Node) -> Result<()> {
    let oldest = oldest_published(term).await?;
    if !term.leads() {
        return Ok(());
    }
    term.advance_horizon(oldest);
    loop {
        let horizon = term.horizon();
        if read_timestamp(path, Some(&stored.data)).is_ok_and(|stored| stored >= horizon) {
            return Ok(());
        }
        let (data, version) = (timestamp(horizon), Some(stored.stat.version));
        let store = Change::Set { path: path.to_owned(), data, version };
        if let Outcome::Done(_) = term.session.change(&[store]).await? {
            return Ok(());
        }
        let found = term.session.node(path).await?;
        stored = found.ok_or_else(|| Error::no_such_application(&term.application.name))?;
    }
}

/// Returns the smallest published timestamp, or the next timestamp if there is none below it. Fails
/// if one is damaged, because it protects an unknown part of the data.
async fn oldest_published(term: &Term) -> Result<Timestamp> {
    let session = &term.session;
    let published = term.application.paths.at(TIMESTAMPS);
    let mut oldest = term.next().await;
    session.sync(&published).await?;
    for child in session.children(&published).await? {
        let path = format!("{published}/{child}");
        // A transactor may have withdrawn it.
        if let Some(node) = session.node(&path).await? {
            let timestamp = read_timestamp(&path, Some(&node.data)).map_err(|error| {
                let message =
                    format!("{error}, so no garbage is collected; end the process that wrote it");
                Error::corrupt(message)
            })?;
            oldest = oldest.min(timestamp);
        }
    }
    Ok(oldest)
}
