//! The timestamps at which this client still reads, and its transactor, which publishes the oldest.
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
//!
//! Other clients consider a client alive as long as the session of its transactor lasts. A session
//! may end while the process still runs, because the process was suspended or could not reach the
//! coordination for too long. Then other clients roll its transactions back, its published
//! timestamp no longer holds the horizon, and its number is never alive again (C6). So the client
//! begins another transactor, and publishes again the timestamps at which it still reads (H1). It
//! checks whether the session has ended when the coordination refuses to publish, when one of its
//! transactions was rolled back by another one or has become stale, and once in every
//! [`horizon_period`](crate::ClientOptions::horizon_period).
//!
//! A commit in progress keeps the old number in its locks. Other transactions that meet these locks
//! roll it back. That is a conflict like any other, so it runs again with the new number.

use std::collections::BTreeMap;
use std::mem;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{Coordination, Transactor, TransactorId};
use fluo_table::{ErrorKind, Result, Timestamp};
use tokio::time::Instant;
use tracing::warn;

use crate::mutex::Mutex;

#[derive(Debug)]
pub(crate) struct ActiveTimestamps {
    coordination: Arc<dyn Coordination>,
    /// The transactor with which the client currently begins and commits transactions.
    transactor: Mutex<Arc<dyn Transactor>>,
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

#[derive(Clone, Copy, Debug)]
struct Active {
    begun: Instant,
    /// The transactor that holds it (H4).
    holder: Option<TransactorId>,
}

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

pub(crate) type ActiveKey = (Timestamp, u64);

impl ActiveTimestamps {
    pub(crate) fn new(
        coordination: Arc<dyn Coordination>,
        transactor: Box<dyn Transactor>,
    ) -> Self {
        Self {
            coordination,
            transactor: Mutex::new(transactor.into()),
            state: Mutex::default(),
            publishing: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn transactor(&self) -> Arc<dyn Transactor> {
        self.transactor.lock().clone()
    }

    pub(crate) fn replace_transactor(&self, next: Box<dyn Transactor>) {
        let next: Arc<dyn Transactor> = next.into();
        let ended = mem::replace(&mut *self.transactor.lock(), next.clone());
        warn!(
            ended = %ended.id(),
            next = %next.id(),
            "the session of this client has ended; it continues as another transactor"
        );
        metrics::counter!("fluo_sessions_ended_total").increment(1);
    }

    pub(crate) async fn next_timestamp(&self) -> Result<Timestamp> {
        Ok(self.coordination.timestamps(NonZeroU32::MIN).await?.first)
    }

    /// Adds a lower bound of the next timestamp (H1), which is active until it is
    /// [ended](Self::end).
    pub(super) async fn begin(&self) -> Result<ActiveKey> {
        loop {
            if let Some(bound) = self.lower_bound() {
                return Ok(bound);
            }
            self.publish_first().await?;
        }
    }

    pub(crate) fn end(&self, key: ActiveKey) {
        self.state.lock().active.remove(&key);
    }

    /// Publishes the oldest active timestamp, or that there is none, if that has changed.
    pub(crate) async fn publish(&self, max_age: Duration) -> Result<()> {
        let publish = || async {
            let _alone = self.publishing.lock().await;
            match self.to_publish(max_age) {
                Some(oldest) => self.publish_now(oldest).await,
                None => Ok(()),
            }
        };
        self.in_a_live_session(publish).await
    }

    /// Publishes a timestamp, or that there is none. The caller holds `publishing`.
    async fn publish_now(&self, oldest: Option<Timestamp>) -> Result<()> {
        let transactor = self.transactor();
        transactor.publish_oldest_active(oldest).await?;
        let by = transactor.id();
        let at = |oldest| Published::At { oldest, by };
        self.state.lock().published = oldest.map_or(Published::Nothing, at);
        Ok(())
    }

    /// Checks without a request whether the horizon has certainly not passed an active timestamp
    /// until now (H4).
    pub(crate) fn is_held(&self, key: ActiveKey) -> bool {
        let transactor = self.transactor();
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
        let bound = self.next_timestamp().await?;
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
        if self.transactor().id() != suspect {
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
        self.replace_transactor(next);
        Ok(true)
    }

    /// Makes a call, and repeats it once if it was refused because the session, the suspect, had
    /// ended, and another transactor has begun. Another caller may have begun that one before the
    /// refusal arrived.
    pub(super) async fn in_a_live_session<T, F>(&self, call: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let suspect = self.transactor().id();
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
        self.active.insert(key, Active { begun: Instant::now(), holder });
        key
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use async_trait::async_trait;
    use futures::FutureExt;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::InstanceExt;
    use crate::context::{Shared, Start};
    use fluo_table::coordination::{Applications, MemoryApplications};
    use fluo_table::{Error, Instance, MemoryTables};

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

    async fn begin(active: &Arc<ActiveTimestamps>) -> Start {
        Start::begin(active, tracing::Span::none()).await.unwrap()
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
        let active = ActiveTimestamps::new(coordination.clone(), begin_transactor().await);
        let active = Arc::new(active);
        let older = begin(&active).await;
        assert!(older.is_held());
        active.replace_transactor(begin_transactor().await);
        assert!(!older.is_held());
        let hour = Duration::from_secs(3_600);
        active.state.lock().published = Published::Unknown;
        active.publish(hour).await.unwrap();
        assert!(!older.is_held(), "published again");
        let later = begin(&active).await;
        assert!(later.is_held());
        let ended = applications.end_transactor("web", active.transactor().id());
        assert!(ended.unwrap());
        assert!(!later.is_held(), "its transactor has ended");
    }

    /// H4 with H3.
    #[tokio::test]
    async fn a_timestamp_that_is_too_old_is_not_held() {
        let coordination = coordination().await;
        let transactor = coordination.begin_transactor().await.unwrap();
        let active = Arc::new(ActiveTimestamps::new(coordination, transactor));
        let start = begin(&active).await;
        active.publish(Duration::ZERO).await.unwrap();
        assert!(!start.is_held());
    }

    /// While a publication is in progress, for however long, other transactions begin and end.
    #[tokio::test]
    async fn begins_transactions_while_a_publication_is_in_progress() {
        let coordination = coordination().await;
        let may_publish = Arc::new(Semaphore::new(1));
        let slow = SlowTransactor {
            inner: coordination.begin_transactor().await.unwrap(),
            may_publish: may_publish.clone(),
        };
        let active = Arc::new(ActiveTimestamps::new(coordination.clone(), Box::new(slow)));
        let hour = Duration::from_secs(3_600);
        let first = begin(&active).await;
        let first_at = first.fix();
        let mut publishing = Box::pin(active.publish(hour));
        assert!((&mut publishing).now_or_never().is_none());
        let second = begin(&active).now_or_never().unwrap();
        drop((first, second));
        let third = begin(&active).now_or_never().unwrap();
        assert!((&mut publishing).now_or_never().is_none());

        may_publish.add_permits(1);
        publishing.await.unwrap();
        assert!(coordination.advance_horizon().await.unwrap() <= first_at);
        may_publish.add_permits(1);
        active.publish(hour).await.unwrap();
        assert_eq!(coordination.advance_horizon().await.unwrap(), third.fix());

        // The client also publishes that nothing is open. The next transaction then publishes first
        // (H2).
        drop(third);
        may_publish.add_permits(1);
        active.publish(hour).await.unwrap();
        let mut beginning = Box::pin(begin(&active));
        assert!((&mut beginning).now_or_never().is_none());
        may_publish.add_permits(1);
        let fourth = beginning.await;
        assert!(coordination.advance_horizon().await.unwrap() <= fourth.fix());
    }

    /// A transactor whose session has ended. Another task is refused as well, and begins the next
    /// transactor before the refusal arrives.
    #[derive(Debug)]
    struct Ended {
        id: TransactorId,
        client: Weak<Shared>,
    }

    #[async_trait]
    impl Transactor for Ended {
        fn id(&self) -> TransactorId {
            self.id
        }

        async fn publish_oldest_active(&self, _: Option<Timestamp>) -> Result<()> {
            let client = self.client.upgrade().unwrap();
            let next = client.coordination.begin_transactor().await.unwrap();
            client.active.replace_transactor(next);
            Err(Error::new(ErrorKind::Unavailable, "the session has ended"))
        }

        fn is_holding(&self) -> bool {
            false
        }
    }

    /// The refused caller checked whether the next transactor was alive, which it was, and returned
    /// the refusal.
    #[tokio::test]
    async fn retries_a_refused_call_after_another_caller_renewed_the_session() {
        let application = Instance::in_memory().application("web");
        let client = application.create().await.unwrap();
        let end = || {
            let ended = Ended { id: client.transactor(), client: Arc::downgrade(&client.shared) };
            client.shared.active.replace_transactor(Box::new(ended));
        };
        end();
        let held = client.snapshot().await.unwrap();
        assert_eq!(client.transactor(), TransactorId(2));
        end();
        assert_eq!(client.advance_horizon().await.unwrap(), held.start());
        assert_eq!(client.transactor(), TransactorId(3));
    }
}
