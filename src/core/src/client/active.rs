//! The timestamps that this client still reads at, and the oldest of them as others know it.
//!
//! Garbage collection drops what no snapshot at or above the horizon can see, and the horizon is never above what a
//! live client has published. So:
//! - **H1.** What is published is at no time above an active timestamp, until one is too old (H3). Before a timestamp is
//!   asked for, a lower bound of it is among the active ones already: one that was handed out before it.
//! - **H2.** Where nothing is published yet, a timestamp is taken and published first, and thrown away.
//! - **H3.** A timestamp that is older than the age limit is let go of. Whoever still reads at it looks at the horizon after
//!   each read (S2), and takes a commit timestamp only where it is not passed: it is told that it is stale, or is
//!   served as before. It never gets wrong data.
//!
//! Publishing is a matter of the task that keeps the horizon. No step of a commit waits for it, and neither does the end
//! of a transaction. The beginning of one does where nothing is published: after the client had nothing open for a
//! while (H2). So does a commit that was rolled back by somebody else, or has become stale, before it says so: it looks
//! whether the session has ended, which excludes publishing. What is published lags behind, and so holds back more
//! garbage than it has to, never less.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::client::session::Session;
use crate::coordination::{Coordination, TransactorId};
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
        session: &Session,
    ) -> Result<ActiveKey> {
        let bound = loop {
            if let Some(bound) = self.lower_bound() {
                break bound;
            }
            self.publish_first(coordination, session).await?;
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
    pub(crate) async fn publish(&self, session: &Session, max_age: Duration) -> Result<()> {
        let _alone = self.publishing.lock().await;
        let Some(oldest) = self.to_publish(max_age) else {
            return Ok(());
        };
        session.transactor().publish_oldest_active(oldest).await?;
        self.locked().published = oldest.map_or(Published::Nothing, Published::At);
        Ok(())
    }

    /// The oldest of them.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        self.locked().oldest()
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
        session: &Session,
    ) -> Result<()> {
        let _alone = self.publishing.lock().await;
        if matches!(self.locked().published, Published::At(_)) {
            return Ok(());
        }
        let bound = coordination.timestamps(NonZeroU32::MIN).await?.first;
        let oldest = {
            let mut state = self.locked();
            state.published = Published::Unknown;
            // There are older ones where the session is a new one.
            state.oldest().map_or(bound, |oldest| oldest.min(bound))
        };
        session
            .transactor()
            .publish_oldest_active(Some(oldest))
            .await?;
        let mut state = self.locked();
        state.published = Published::At(oldest);
        state.latest = state.latest.max(bound);
        Ok(())
    }

    /// Begins another transactor if the session of the suspect has ended, unless somebody has done so; says whether it
    /// had. What the suspect had published is gone: the next to begin publishes first.
    pub(crate) async fn renew_session(
        &self,
        coordination: &dyn Coordination,
        session: &Session,
        suspect: TransactorId,
    ) -> Result<bool> {
        let _alone = self.publishing.lock().await;
        if session.id() != suspect {
            // Somebody else was faster.
            return Ok(true);
        }
        if coordination.is_alive(suspect).await? {
            return Ok(false);
        }
        let next = coordination.begin_transactor().await?;
        // It has published nothing. But what it publishes next may be published although its answer is lost.
        self.locked().published = Published::Unknown;
        session.replace(next);
        Ok(true)
    }

    /// What is to be published: the oldest active timestamp, after those above the age were let go of, or that there is
    /// none; nothing, where that is known already. Where there is none, nothing counts as published from now on:
    /// whoever begins waits until it is settled (H2).
    fn to_publish(&self, max_age: Duration) -> Option<Option<Timestamp>> {
        let mut state = self.locked();
        state.active.retain(|_, begun| begun.elapsed() < max_age);
        let oldest = state.oldest();
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
    fn oldest(&self) -> Option<Timestamp> {
        self.active.keys().next().map(|(oldest, _)| *oldest)
    }

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;
    use futures::FutureExt;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::admin::{Initialization, initialize};
    use crate::coordination::{Applications, MemoryApplications, Transactor, TransactorId};
    use crate::table::MemoryTables;

    /// A transactor whose publishing waits until it is let go.
    #[derive(Debug)]
    struct SlowTransactor {
        inner: Box<dyn Transactor>,
        may_publish: Arc<Semaphore>,
    }

    #[async_trait]
    impl Transactor for SlowTransactor {
        fn id(&self) -> TransactorId {
            self.inner.id()
        }

        async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
            self.may_publish.acquire().await.unwrap().forget();
            self.inner.publish_oldest_active(oldest).await
        }
    }

    async fn coordination() -> Arc<dyn Coordination> {
        let applications = MemoryApplications::new();
        let web = Initialization::new("1", "web");
        initialize(&MemoryTables::new(), &applications, "web", web)
            .await
            .unwrap();
        applications.open("web").await.unwrap()
    }

    /// While what is published is on its way, for as long as that may take, others begin and end.
    #[tokio::test]
    async fn publishing_keeps_nobody_waiting_who_has_something_published() {
        let coordination = coordination().await;
        let may_publish = Arc::new(Semaphore::new(1));
        let session = Session::new(Box::new(SlowTransactor {
            inner: coordination.begin_transactor().await.unwrap(),
            may_publish: may_publish.clone(),
        }));
        let active = ActiveTimestamps::default();
        let hour = Duration::from_secs(3_600);
        let begin = async || active.begin(&*coordination, &session).await.unwrap();
        let first = begin().await;
        let mut publishing = Box::pin(active.publish(&session, hour));
        assert!((&mut publishing).now_or_never().is_none());
        let second = begin().now_or_never().unwrap();
        active.end(first);
        active.end(second);
        let third = begin().now_or_never().unwrap();
        assert!((&mut publishing).now_or_never().is_none());

        may_publish.add_permits(1);
        publishing.await.unwrap();
        assert!(coordination.advance_horizon().await.unwrap() <= first.0);
        may_publish.add_permits(1);
        active.publish(&session, hour).await.unwrap();
        assert_eq!(coordination.advance_horizon().await.unwrap(), third.0);

        // Where nothing is open that is published too; whoever begins then publishes first (H2).
        active.end(third);
        may_publish.add_permits(1);
        active.publish(&session, hour).await.unwrap();
        let mut beginning = Box::pin(begin());
        assert!((&mut beginning).now_or_never().is_none());
        may_publish.add_permits(1);
        let fourth = beginning.await;
        assert!(coordination.advance_horizon().await.unwrap() <= fourth.0);
    }
}
