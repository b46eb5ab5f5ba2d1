//! The places of workers that were stopped, which their successors take.
//!
//! A worker that stops leaves its place behind as a node in `vacancies`, in the same step in which
//! its node in `finders` is deleted. For the shares, a vacancy is a worker that processes nothing.
//! The next worker that joins takes it, so that a worker that restarts changes the share of no
//! other one. After a [time](super::worker_settings::WorkerSettings::max_vacancy) the others
//! delete it, and its notifications move to them.
//!
//! Workers of Java do not count vacancies. They process nothing in their pause after a worker has
//! left, which is longer than a vacancy lasts.

use std::collections::BTreeMap;
use std::time::Duration;

use fluo_table::Result;
use tokio::time::Instant;

use super::opened::Opened;
use crate::paths::{FINDERS, SPLITS, VACANCIES};
use crate::zookeeper::{Change, Children, Session};

/// The vacancies, as one worker sees them.
#[derive(Debug)]
pub(super) struct Vacancies {
    pub(super) nodes: Children,
    /// The times at which they were noticed, by name and number of the creation.
    noticed: BTreeMap<(String, i64), Instant>,
}

impl Vacancies {
    pub(super) fn new(application: &Opened) -> Self {
        Self { nodes: Children::new(application.paths.at(VACANCIES)), noticed: BTreeMap::new() }
    }

    /// Returns the names of those that have lasted for longer than a limit, and the time until the
    /// next one has.
    pub(super) fn expired(&mut self, limit: Duration) -> (Vec<String>, Option<Duration>) {
        let now = Instant::now();
        let nodes = self.nodes.iter();
        let found: BTreeMap<_, _> = nodes
            .map(|(name, node)| {
                let vacancy = (name.to_owned(), node.stat.created);
                let noticed = self.noticed.get(&vacancy).copied().unwrap_or(now);
                (vacancy, noticed)
            })
            .collect();
        self.noticed = found;
        let left = |noticed: &Instant| limit.saturating_sub(now - *noticed);
        let next = self.noticed.values().map(left).filter(|left| !left.is_zero()).min();
        let expired = self.noticed.iter().filter(|(_, noticed)| left(noticed).is_zero());
        (expired.map(|((name, _), _)| name.clone()).collect(), next)
    }
}

/// Returns the first vacancy.
pub(super) async fn first(application: &Opened, session: &Session) -> Result<Option<String>> {
    Ok(session.children(&application.paths.at(VACANCIES)).await?.into_iter().min())
}

/// Returns the change that takes or deletes a vacancy.
pub(super) fn delete(application: &Opened, name: &str) -> Change {
    Change::delete(format!("{}/{name}", application.paths.at(VACANCIES)))
}

/// Deletes all vacancies if `own` is the only worker: no worker before it has just stopped.
pub(super) async fn clear(application: &Opened, session: &Session, own: &str) -> Result<()> {
    let workers = session.children(&application.paths.at(FINDERS)).await?;
    if workers.iter().any(|worker| worker != own && worker != SPLITS) {
        return Ok(());
    }
    for name in session.children(&application.paths.at(VACANCIES)).await? {
        application.change(session, [delete(application, &name)]).await?;
    }
    Ok(())
}
