//! The ages of timestamps: the leader stores samples of its next timestamp in a node that Java's
//! oracles ignore. Errors have no effect on its term.

use std::convert::Infallible;
use std::future::pending;

use fluo_table::coordination::Timeline;
use fluo_table::coordination::zookeeper_format::TIMELINE;
use fluo_table::{Clock, ErrorKind, Result, Timestamp};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::term::Term;
use crate::oracle::WallClock;
use crate::zookeeper::{Change, Outcome};

/// Stores a sample in each period in which the next timestamp has changed, until the future is
/// dropped.
pub(super) async fn maintain(term: &Term) -> Infallible {
    let mut due = interval_at(Instant::now() + Timeline::PERIOD, Timeline::PERIOD);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        due.tick().await;
        let next = term.next().await;
        if last == Some(next) || !term.leads() {
            continue;
        }
        match store(term, next, WallClock.now_ms()).await {
            Ok(true) => last = Some(next),
            Ok(false) => {}
            Err(error) if error.kind() == ErrorKind::Invalid => {
                tracing::warn!(%error, "this oracle stores no times of timestamps");
                return pending().await;
            }
            Err(error) => tracing::debug!(%error, "the time of timestamp {next} is not stored"),
        }
    }
}

/// Adds a sample to the node, unless that has a later format. Replaces damaged data. Returns
/// `false` if it is not certain that this succeeded.
async fn store(term: &Term, next: Timestamp, now_ms: i64) -> Result<bool> {
    let path = term.application.paths.at(TIMELINE);
    let stored = term.session.node(&path).await?;
    let mut timeline = match stored.as_ref().map(|node| Timeline::decode(&node.data)) {
        Some(Err(error)) if error.kind() == ErrorKind::Invalid => return Err(error),
        timeline => timeline.and_then(Result::ok).unwrap_or_default(),
    };
    timeline.record(next, now_ms);
    let version = stored.map(|node| node.stat.version);
    let change = Change::write(path, timeline.encode(), version);
    Ok(matches!(term.session.change(&[change]).await?, Outcome::Done(_)))
}
