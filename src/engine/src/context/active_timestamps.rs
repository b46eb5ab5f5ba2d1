//! The timestamps at which this client still reads, and the publication of the oldest one.
//!
//! Garbage collection drops only entries that no snapshot at or above the horizon can see. The
//! horizon is never above a timestamp that a live client has published. Therefore:
//!
//! - **H1.** The published timestamp is never above an active timestamp, unless the active one is
//!   too old (H3). Before the client requests a timestamp, the active ones already include a lower
//!   bound of it: a timestamp that was assigned earlier.
//! - **H2.** If nothing is published yet, the client first takes a timestamp, publishes it, and
//!   discards it.
//! - **H3.** A timestamp that is older than the age limit is no longer held. A reader at such a
//!   timestamp checks the horizon after each read (S2), and takes a commit timestamp only while the
//!   horizon has not passed the start. It either fails as stale or works as before. It never gets
//!   wrong data.
//! - **H4.** A timestamp is held by the transactor that had published when its lower bound became
//!   active, until that transactor ends or the timestamp is too old. While it certainly holds what
//!   it published (C17), the horizon has not passed the timestamp, so a reader needs no request for
//!   it. A transactor that replaces it holds only later timestamps, because the horizon may have
//!   passed the earlier ones while neither had published.
//!
//! The task that maintains the horizon also publishes. No step of a commit waits for it, nor does
//! the end of a transaction. Two operations wait. Beginning a transaction waits if nothing is
//! published, which is so after the client had no open transaction for a while (H2). A commit that
//! was rolled back by another transaction, or has become stale, waits before it returns: it checks
//! whether the session has ended, which excludes publishing. The published timestamp may lag
//! behind. That holds back more garbage than necessary, never less.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{Coordination, TransactorId};
use fluo_table::{ErrorKind, Result, Timestamp};
use tokio::time::Instant;

use crate::context::session::Session;
use crate::mutex::Mutex;

/// The active timestamps of one client, and the transactor that publishes the oldest one.
#[derive(Debug)]
pub(crate) struct ActiveTimestamps {
    coordination: Arc<dyn Coordination>,
    session: Session,
    state: Mutex<State>,
    /// Held during a publication, so that publications are ordered.
    publishing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// Active timestamps, each with a unique number, because lower bounds may be equal.
    active: BTreeMap<(Timestamp, u64), Active>,
    next_number: u64,
    published: Published,
    /// The latest timestamp that was certainly assigned.
    latest: Timestamp,
}

/// An active timestamp.
#[derive(Clone, Copy, Debug)]
struct Active {
    begun: Instant,
    /// The transactor that holds it (H4).
    holder: Option<TransactorId>,
}

/// The state of the publication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Published {
    /// Nothing: the client has no active timestamp.
    #[default]
    Nothing,
    At {
        oldest: Timestamp,
        by: TransactorId,
    },
    /// A call is in progress, or its outcome is unknown: a timestamp may be published that has to
    /// be withdrawn.
    Unknown,
}

/// The key of an active timestamp.
pub(crate) type ActiveKey = (Timestamp, u64);

impl ActiveTimestamps {
    pub(crate) fn new(coordination: Arc<dyn Coordination>, session: Session) -> Self {
        Self {
            coordination,
            session,
            state: Mutex::default(),
            publishing: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Takes a timestamp, which is active until it is [ended](Self::end).
    pub(crate) async fn begin(&self) -> Result<ActiveKey> {
        self.in_a_live_session(|| self.try_to_begin()).await
    }

    async fn try_to_begin(&self) -> Result<ActiveKey> {
        let bound = loop {
            if let Some(bound) = self.lower_bound() {
                break bound;
            }
            self.publish_first().await?;
        };
        let mut holding = Holding { all: self, key: Some(bound) };
        let start = self.coordination.timestamps(NonZeroU32::MIN).await?.first;
        holding.key = None;
        Ok(self.replace(bound, start))
    }

    pub(crate) fn end(&self, key: ActiveKey) {
        self.state.lock().active.remove(&key);
    }

    /// Publishes the oldest active timestamp, or that there is none, if that has changed.
    pub(crate) async fn publish(&self, max_age: Duration) -> Result<()> {
        self.in_a_live_session(|| self.try_to_publish(max_age)).await
    }

    async fn try_to_publish(&self, max_age: Duration) -> Result<()> {
        let _alone = self.publishing.lock().await;
        match self.to_publish(max_age) {
            Some(oldest) => self.publish_now(oldest).await,
            None => Ok(()),
        }
    }

    /// Publishes a timestamp, or that there is none. The caller holds `publishing`.
    async fn publish_now(&self, oldest: Option<Timestamp>) -> Result<()> {
        let transactor = self.session.transactor();
        transactor.publish_oldest_active(oldest).await?;
        let by = transactor.id();
        let at = |oldest| Published::At { oldest, by };
        self.state.lock().published = oldest.map_or(Published::Nothing, at);
        Ok(())
    }

    /// Checks without a request whether the horizon has certainly not passed an active timestamp
    /// until now (H4).
    pub(crate) fn is_held(&self, key: ActiveKey) -> bool {
        let transactor = self.session.transactor();
        if !transactor.is_holding() {
            return false;
        }
        let state = self.state.lock();
        let holder = state.active.get(&key).and_then(|active| active.holder);
        holder == Some(transactor.id())
    }

    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        self.state.lock().oldest()
    }

    fn lower_bound(&self) -> Option<ActiveKey> {
        let mut state = self.state.lock();
        let Published::At { oldest, by } = state.published else {
            return None;
        };
        let bound = oldest.max(state.latest);
        Some(state.insert(bound, Some(by)))
    }

    async fn publish_first(&self) -> Result<()> {
        let _alone = self.publishing.lock().await;
        if matches!(self.state.lock().published, Published::At { .. }) {
            return Ok(());
        }
        let bound = self.coordination.timestamps(NonZeroU32::MIN).await?.first;
        let oldest = {
            let mut state = self.state.lock();
            state.published = Published::Unknown;
            state.latest = state.latest.max(bound);
            // After a new session, older timestamps may be active.
            state.oldest().map_or(bound, |oldest| oldest.min(bound))
        };
        self.publish_now(Some(oldest)).await
    }

    /// Begins another transactor if the session of the suspect has ended, unless another caller has
    /// already done so. Returns whether the session had ended. The timestamp that the suspect
    /// published no longer counts, so the next transaction publishes first.
    pub(crate) async fn renew_session(&self, suspect: TransactorId) -> Result<bool> {
        let _alone = self.publishing.lock().await;
        if self.session.id() != suspect {
            // Another caller was faster.
            return Ok(true);
        }
        if self.coordination.is_alive(suspect).await? {
            return Ok(false);
        }
        let next = self.coordination.begin_transactor().await?;
        // It has published nothing. But its next publication may take effect although its answer is
        // lost.
        self.state.lock().published = Published::Unknown;
        self.session.replace(next);
        Ok(true)
    }

    /// Makes a call, and repeats it once if it was refused because the session, the suspect, had
    /// ended, and another transactor has begun. Another caller may have begun that one before the
    /// refusal arrived.
    async fn in_a_live_session<T, F>(&self, call: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let suspect = self.session.id();
        match call().await {
            Err(refusal) if refusal.kind() == ErrorKind::Unavailable => {
                if self.renew_session(suspect).await? { call().await } else { Err(refusal) }
            }
            done => done,
        }
    }

    /// Returns the timestamp to publish: the oldest active one after timestamps above the age limit
    /// were ended, or `Some(None)` if there is none. Returns `None` if that is already published.
    /// If there is no active timestamp, nothing counts as published from now on: a transaction that
    /// begins waits until the publication is complete (H2).
    fn to_publish(&self, max_age: Duration) -> Option<Option<Timestamp>> {
        let mut state = self.state.lock();
        state.active.retain(|_, active| active.begun.elapsed() < max_age);
        let oldest = state.oldest();
        let is_published = match state.published {
            Published::Nothing => oldest.is_none(),
            Published::At { oldest: published, .. } => oldest == Some(published),
            Published::Unknown => false,
        };
        if is_published {
            return None;
        }
        if oldest.is_none() {
            state.published = Published::Unknown;
        }
        Some(oldest)
    }

    /// Replaces an active timestamp by a later one.
    pub(crate) fn replace(&self, bound: ActiveKey, start: Timestamp) -> ActiveKey {
        let mut state = self.state.lock();
        // The bound may have become too old (H3).
        let bound = state.active.remove(&bound);
        let key = state.insert(start, bound.and_then(|bound| bound.holder));
        state.latest = state.latest.max(start);
        key
    }
}

impl State {
    fn oldest(&self) -> Option<Timestamp> {
        self.active.keys().next().map(|(oldest, _)| *oldest)
    }

    fn insert(&mut self, timestamp: Timestamp, holder: Option<TransactorId>) -> ActiveKey {
        let key = (timestamp, self.next_number);
        self.next_number += 1;
        let begun = Instant::now();
        self.active.insert(key, Active { begun, holder });
        key
    }
}

/// A guard that ends a lower bound if its timestamp never arrives: the call failed, or the caller
/// was cancelled.
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
    use async_trait::async_trait;
    use futures::FutureExt;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::InstanceExt;
    use fluo_table::coordination::{Applications, MemoryApplications, Transactor};
    use fluo_table::{Instance, MemoryTables};

    /// A transactor that publishes only when the test allows it.
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

        fn is_holding(&self) -> bool {
            self.inner.is_holding()
        }
    }

    async fn applications() -> MemoryApplications {
        let applications = MemoryApplications::new();
        let tables = Arc::new(MemoryTables::new());
        let fluo = Instance::new(tables, Arc::new(applications.clone()));
        fluo.application("web").initialize().await.unwrap();
        applications
    }

    async fn coordination() -> Arc<dyn Coordination> {
        applications().await.open("web").await.unwrap()
    }

    /// H4: while no transactor was alive, the horizon may have passed the older timestamps.
    #[tokio::test]
    async fn a_new_transactor_holds_only_later_timestamps() {
        let applications = applications().await;
        let coordination = applications.open("web").await.unwrap();
        let begin_transactor = async || coordination.begin_transactor().await.unwrap();
        let session = Session::new(begin_transactor().await);
        let active = ActiveTimestamps::new(coordination.clone(), session);
        let begin = async || active.begin().await.unwrap();
        let older = begin().await;
        assert!(active.is_held(older));
        active.session.replace(begin_transactor().await);
        assert!(!active.is_held(older));
        let hour = Duration::from_secs(3_600);
        active.state.lock().published = Published::Unknown;
        active.publish(hour).await.unwrap();
        assert!(!active.is_held(older), "published again");
        let later = begin().await;
        assert!(active.is_held(later));
        let ended = applications.end_transactor("web", active.session.id());
        assert!(ended.unwrap());
        assert!(!active.is_held(later), "its transactor has ended");
    }

    /// H4 with H3.
    #[tokio::test]
    async fn a_timestamp_that_is_too_old_is_not_held() {
        let coordination = coordination().await;
        let session = Session::new(coordination.begin_transactor().await.unwrap());
        let active = ActiveTimestamps::new(coordination, session);
        let start = active.begin().await.unwrap();
        active.publish(Duration::ZERO).await.unwrap();
        assert!(!active.is_held(start));
    }

    /// While a publication is in progress, for however long, other transactions begin and end.
    #[tokio::test]
    async fn begins_transactions_while_a_publication_is_in_progress() {
        let coordination = coordination().await;
        let may_publish = Arc::new(Semaphore::new(1));
        let session = Session::new(Box::new(SlowTransactor {
            inner: coordination.begin_transactor().await.unwrap(),
            may_publish: may_publish.clone(),
        }));
        let active = ActiveTimestamps::new(coordination.clone(), session);
        let hour = Duration::from_secs(3_600);
        let begin = async || active.begin().await.unwrap();
        let first = begin().await;
        let mut publishing = Box::pin(active.publish(hour));
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
        active.publish(hour).await.unwrap();
        assert_eq!(coordination.advance_horizon().await.unwrap(), third.0);

        // The client also publishes that nothing is open. The next transaction then publishes first
        // (H2).
        active.end(third);
        may_publish.add_permits(1);
        active.publish(hour).await.unwrap();
        let mut beginning = Box::pin(begin());
        assert!((&mut beginning).now_or_never().is_none());
        may_publish.add_permits(1);
        let fourth = beginning.await;
        assert!(coordination.advance_horizon().await.unwrap() <= fourth.0);
    }
}
