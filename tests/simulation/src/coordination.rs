//! The coordination, as one client reaches it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, FailedNotification, HeldLock, PendingCommit, Presence,
    TimestampBlock, Transactor, TransactorId, WorkerMembership,
};
use fluo_table::{Result, RowColumn, Timestamp};
use tokio::time::sleep;

use super::WorldBug;
use super::link::{Fate, Link, unavailable, uncertain};

/// The coordination at the other end of a link.
#[derive(Debug)]
pub(super) struct SimulatedCoordination {
    pub(super) link: Arc<Link>,
}

/// Sends a call over a link: it fails before or after it took effect, or its client is cut off
/// there.
async fn send<T>(link: &Link, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
    link.travel().await;
    send_to(link, link.fate(), call).await
}

/// Sends a call that may also arrive after its client has cancelled it, even after calls of other
/// kinds that its client sent later.
async fn send_or_late<T: Send + 'static>(
    link: &Arc<Link>,
    what: String,
    call: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    link.travel().await;
    let fate = link.fate();
    if fate != Fate::Late {
        return send_to(link, fate, call).await;
    }
    let link = link.clone();
    let delay = link.world.random.time_below(link.world.dials.slow);
    tokio::spawn(async move {
        sleep(delay).await;
        // It is refused if the session has ended meanwhile.
        let answer = call.await;
        link.say(format_args!("late: {what}: {:?}", answer.as_ref().map(|_| ())));
        // A transactor that its client never received ends like that of a disconnected client.
        sleep(link.world.dials.session).await;
    });
    Err(uncertain())
}

/// Applies the fate of a call. A late call takes effect at once here, because most calls cannot
/// wait for their client.
async fn send_to<T>(
    link: &Link,
    fate: Fate,
    call: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    let answer = match fate {
        Fate::Before => return Err(unavailable()),
        Fate::Lost => Err(uncertain()),
        Fate::Fine => call.await,
        Fate::After | Fate::Late => {
            call.await?;
            Err(uncertain())
        }
        Fate::Cut { takes_effect } => {
            if takes_effect {
                call.await?;
            }
            link.cut().await;
            Err(uncertain())
        }
    };
    link.travel().await;
    answer
}

impl SimulatedCoordination {
    async fn send<T>(&self, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        send(&self.link, call).await
    }

    async fn timestamps_once(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        let world = &self.link.world;
        let mut block = world.coordination.timestamps(count).await?;
        if world.strikes(WorldBug::TimestampTwice) {
            block.first = Timestamp::new(block.first.get().saturating_sub(1))?;
        }
        self.link.say(format_args!("timestamp {} (horizon {})", block.first, block.horizon));
        Ok(block)
    }
}

#[async_trait]
impl Coordination for SimulatedCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.send(self.timestamps_once(count)).await
    }

    async fn begin_commit(&self, start: Timestamp) -> Result<Option<PendingCommit>> {
        let link = &self.link;
        link.travel().await;
        let fate = link.fate();
        let begin = link.world.coordination.begin_commit(start);
        if fate != Fate::Fine {
            // A pending commit that its client never receives ends at once.
            return send_to(link, fate, async { begin.await.map(drop) }).await.map(|()| None);
        }
        let begun = begin.await?;
        link.say(format_args!("begins the commit of {start}: {begun:?}"));
        Ok(link.travel_with(begun).await)
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.send(self.link.world.coordination.horizon()).await
    }

    async fn ages(&self, timestamps: &[Timestamp]) -> Result<Vec<Option<Duration>>> {
        self.send(self.link.world.coordination.ages(timestamps)).await
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        let coordination = self.link.world.coordination.clone();
        let advance = async move { coordination.advance_horizon().await };
        let advanced = send_or_late(&self.link, "moves the horizon up".to_owned(), advance).await?;
        self.link.say(format_args!("horizon {advanced}"));
        Ok(advanced)
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        let coordination = self.link.world.coordination.clone();
        let begin = async move { coordination.begin_transactor().await };
        let inner = send_or_late(&self.link, "begins a transactor".to_owned(), begin).await?;
        self.link.set_transactor(inner.id());
        self.link.say(format_args!("is transactor {}", inner.id()));
        Ok(Box::new(SimulatedTransactor {
            link: self.link.clone(),
            inner: inner.into(),
            publications: Arc::default(),
        }))
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.send(self.link.world.coordination.is_alive(transactor)).await
    }

    async fn last_transactor(&self) -> Result<TransactorId> {
        self.send(self.link.world.coordination.last_transactor()).await
    }

    async fn presence(&self) -> Result<Presence> {
        self.send(self.link.world.coordination.presence()).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        self.send(self.link.world.coordination.join_workers()).await
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.send(self.link.world.coordination.add_dead_letter(failed)).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.send(self.link.world.coordination.dead_letters()).await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        let coordination = &self.link.world.coordination;
        self.send(coordination.remove_dead_letter(cell, up_to)).await
    }

    async fn application(&self) -> Result<Application> {
        self.send(self.link.world.coordination.application()).await
    }

    async fn check_epoch(&self, found: Option<&str>) -> Result<()> {
        self.send(self.link.world.coordination.check_epoch(found)).await
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.send(self.link.world.coordination.begin_epoch(found)).await
    }

    async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.send(self.link.world.coordination.take_duty(duty)).await
    }

    async fn exclude_others(&self, own: TransactorId) -> Result<Box<dyn HeldLock>> {
        self.send(self.link.world.coordination.exclude_others(own)).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        self.send(self.link.world.coordination.update_settings(settings)).await
    }
}

#[derive(Debug)]
struct SimulatedTransactor {
    link: Arc<Link>,
    inner: Arc<dyn Transactor>,
    /// Number of publications that were sent.
    publications: Arc<AtomicU64>,
}

#[async_trait]
impl Transactor for SimulatedTransactor {
    fn id(&self) -> TransactorId {
        self.inner.id()
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        self.link.say(format_args!("publishes {oldest:?}"));
        let (inner, publications) = (self.inner.clone(), self.publications.clone());
        let number = publications.fetch_add(1, Ordering::Relaxed) + 1;
        let publish = async move {
            match publications.load(Ordering::Relaxed) == number {
                true => inner.publish_oldest_active(oldest).await,
                // It does not take effect after a later one (C5).
                false => Err(uncertain()),
            }
        };
        send_or_late(&self.link, format!("publishes {oldest:?}"), publish).await
    }

    fn is_holding(&self) -> bool {
        self.inner.is_holding()
    }
}
