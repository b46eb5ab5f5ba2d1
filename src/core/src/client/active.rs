//! The timestamps that this client still reads at, and the oldest of them as others know it.
//!
//! Garbage collection drops what no snapshot at or above the horizon can see, and the horizon is never above what a
//! live client has published. So:
//! - **H1.** What is published is at no time above an active timestamp. Before a timestamp is asked for, a lower bound
//!   of it is among the active ones already: one that was handed out before it.
//! - **H2.** Where nothing is published yet, a timestamp is taken and published first, and thrown away.
//! - **H3.** A timestamp that is older than the age limit is let go of. Whoever still reads at it looks at the horizon after
//!   each read.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::coordination::{Coordination, Transactor};
use crate::data::Timestamp;
use crate::error::Result;

/// The active timestamps of one client.
#[derive(Debug, Default)]
pub(crate) struct ActiveTimestamps {
    state: Mutex<State>,
    /// Held while something is published, so that there is one order of what is known.
    publishing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Each with a number of its own, because lower bounds may be equal.
    active: BTreeMap<(Timestamp, u64), Instant>,
    next_number: u64,
    published: Published,
    /// The latest that this client knows to have been handed out.
    latest: Timestamp,
}

/// What others know of the oldest active timestamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Published {
    /// That there is none.
    #[default]
    Nothing,
    At(Timestamp),
    /// A call is under way, or its outcome is unknown: something may be published that has to be taken back.
    Unknown,
}

/// The place of an active timestamp.
pub(crate) type ActiveKey = (Timestamp, u64);

impl ActiveTimestamps {
    /// A timestamp that is active until it is [ended](Self::end).
    pub(crate) async fn begin(
        &self,
        coordination: &dyn Coordination,
        transactor: &dyn Transactor,
    ) -> Result<ActiveKey> {
        let bound = loop {
            if let Some(bound) = self.lower_bound() {
                break bound;
            }
            self.publish_first(coordination, transactor).await?;
        };
        let mut holding = Holding {
            all: self,
            key: Some(bound),
        };
        let start = coordination.timestamps(NonZeroU32::MIN).await?.first;
        holding.key = None;
        Ok(self.replace(bound, start))
    }

    /// Lets go of a timestamp.
    pub(crate) fn end(&self, key: ActiveKey) {
        self.locked().active.remove(&key);
    }

    /// Publishes the oldest active timestamp, or that there is none, where that is news.
    pub(crate) async fn publish(
        &self,
        transactor: &dyn Transactor,
        max_age: Duration,
    ) -> Result<()> {
        let _alone = self.publishing.lock().await;
        let Some(oldest) = self.to_publish(max_age) else {
            return Ok(());
        };
        transactor.publish_oldest_active(oldest).await?;
        self.locked().published = oldest.map_or(Published::Nothing, Published::At);
        Ok(())
    }

    fn lower_bound(&self) -> Option<ActiveKey> {
        let mut state = self.locked();
        let Published::At(published) = state.published else {
            return None;
        };
        let bound = published.max(state.latest);
        Some(state.insert(bound))
    }

    async fn publish_first(
        &self,
        coordination: &dyn Coordination,
        transactor: &dyn Transactor,
    ) -> Result<()> {
        let _alone = self.publishing.lock().await;
        if matches!(self.locked().published, Published::At(_)) {
            return Ok(());
        }
        let bound = coordination.timestamps(NonZeroU32::MIN).await?.first;
        self.locked().published = Published::Unknown;
        transactor.publish_oldest_active(Some(bound)).await?;
        let mut state = self.locked();
        state.published = Published::At(bound);
        state.latest = state.latest.max(bound);
        Ok(())
    }

    /// What is to be published: the oldest active timestamp, after those above the age were let go of, or that there is
    /// none; nothing, where that is known already. Where there is none, nothing counts as published from now on:
    /// whoever begins waits until it is settled (H2).
    fn to_publish(&self, max_age: Duration) -> Option<Option<Timestamp>> {
        let mut state = self.locked();
        state.active.retain(|_, begun| begun.elapsed() < max_age);
        let oldest = state.active.keys().next().map(|(oldest, _)| *oldest);
        match (oldest, state.published) {
            (None, Published::Nothing) => None,
            (Some(oldest), Published::At(published)) if oldest == published => None,
            (None, _) => {
                state.published = Published::Unknown;
                Some(None)
            }
            (oldest, _) => Some(oldest),
        }
    }

    fn replace(&self, bound: ActiveKey, start: Timestamp) -> ActiveKey {
        let mut state = self.locked();
        let key = state.insert(start);
        state.active.remove(&bound);
        state.latest = state.latest.max(start);
        key
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, timestamp: Timestamp) -> ActiveKey {
        let key = (timestamp, self.next_number);
        self.next_number += 1;
        self.active.insert(key, Instant::now());
        key
    }
}

/// Lets go of a lower bound if the timestamp never comes: the call failed, or whoever asked has gone.
struct Holding<'a> {
    all: &'a ActiveTimestamps,
    key: Option<ActiveKey>,
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.all.end(key);
        }
    }
}
