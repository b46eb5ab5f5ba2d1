//! The compaction of transient ranges: [`TransientCompaction`].

use std::fmt;
use std::future::pending;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, Error, Result, Span};
use fluo_table::TableAdmin;
use fluo_table::coordination::HeldLock;
use futures::future::{BoxFuture, FutureExt, Shared, join_all};
use futures::stream::{self, StreamExt};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::TransientRange;

/// A function that compacts a part of a table.
type Compact = dyn Fn(Span) -> BoxFuture<'static, Result<()>> + Send + Sync;

/// A function that is called after each compaction of a range.
type Watch = dyn Fn(&CompactedRange) + Send + Sync;

/// The multiplier of Fluo Recipes: a range is compacted for at most a quarter of the time.
const MULTIPLIER: u32 = 3;

/// A compaction of the transient ranges of an application, once or
/// [repeatedly](Self::repeat_until). A clone shares nothing that changes.
///
/// | option | default |
/// |---|---|
/// | [`ranges_at_once`](Self::ranges_at_once) | 1 |
/// | [`multiplier`](Self::multiplier) | 3 |
/// | [`on_compacted`](Self::on_compacted) | none |
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::transient::{TransientCompaction, TransientRange};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fluo = Instance::in_memory();
/// let (name, value) = TransientRange::new("queue", "jobs#", "jobs:~")?.to_setting();
/// let client = fluo.application("web").set(name, value).create().await?;
///
/// let compaction = TransientCompaction::for_client(&client, Arc::new(fluo))?
///     .on_compacted(|one| println!("{} took {:?}", one.range.id(), one.duration));
/// assert!(compaction.run().await.iter().all(|one| one.result.is_ok()));
/// // In a process that maintains the table, until a signal:
/// # let stop = async {};
/// compaction.repeat_until(Duration::from_secs(600), stop).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TransientCompaction {
    /// In the order of their ids.
    ranges: Vec<TransientRange>,
    ranges_at_once: NonZeroUsize,
    multiplier: u32,
    compact: Arc<Compact>,
    watch: Arc<Watch>,
    /// The client whose application has the duty to compact a range repeatedly.
    client: Option<Client>,
}

/// The result of the compaction of one range.
#[derive(Clone, Debug)]
#[must_use = "the compaction of a range may have failed"]
pub struct CompactedRange {
    /// The range.
    pub range: TransientRange,
    /// The time that the compaction took, or the time until it failed.
    pub duration: Duration,
    /// The error of a failed compaction. All entries that were dropped before it were garbage.
    pub result: Result<()>,
}

impl TransientCompaction {
    /// Creates a compaction of all transient ranges in the settings of an application, as they were
    /// when the client was opened. `tables` has the table of the application.
    ///
    /// Each range is compacted by [`Client::collect_garbage`]. The compaction keeps the client
    /// open.
    ///
    /// # Errors
    ///
    /// Those of [`TransientRange::all_from_settings`].
    pub fn for_client(client: &Client, tables: Arc<dyn TableAdmin>) -> Result<Self, Error> {
        let ranges = TransientRange::all_from_settings(&client.application().settings)?;
        let compacting = client.clone();
        let compaction = Self::with_compactor(ranges, move |span| {
            let (client, tables) = (compacting.clone(), Arc::clone(&tables));
            async move {
                client.collect_garbage(&*tables, &span).await?;
                Ok(())
            }
        });
        Ok(Self { client: Some(client.clone()), ..compaction })
    }

    /// Creates a compaction of ranges by a function that compacts one part of a table, for programs
    /// that open the application only during a compaction.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::transient::{TransientCompaction, TransientRange};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// let queue = TransientRange::new("queue", "q#", "q:~")?;
    /// let compaction = TransientCompaction::with_compactor([queue], |span| async move {
    ///     println!("would compact {span}");
    ///     Ok(())
    /// });
    /// assert!(compaction.run().await[0].result.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_compactor<F>(
        ranges: impl IntoIterator<Item = TransientRange>,
        compact: impl Fn(Span) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Self {
            ranges: ranges.into_iter().collect(),
            ranges_at_once: NonZeroUsize::MIN,
            multiplier: MULTIPLIER,
            compact: Arc::new(move |span| compact(span).boxed()),
            watch: Arc::new(|_| ()),
            client: None,
        }
    }

    /// Sets the maximum number of ranges that are compacted at the same time. Default: 1.
    #[must_use]
    pub fn ranges_at_once(mut self, ranges: NonZeroUsize) -> Self {
        self.ranges_at_once = ranges;
        self
    }

    /// Sets the minimum pause of a [repeated](Self::repeat_until) compaction, in durations of the
    /// run before it. With 0 only the interval counts. Default: 3, so that a range is compacted for
    /// at most a quarter of the time.
    #[must_use]
    pub fn multiplier(mut self, multiplier: u32) -> Self {
        self.multiplier = multiplier;
        self
    }

    /// Sets a function that is called after each compaction of a range, in the order in which they
    /// end. Default: none.
    #[must_use]
    pub fn on_compacted(mut self, watch: impl Fn(&CompactedRange) + Send + Sync + 'static) -> Self {
        self.watch = Arc::new(watch);
        self
    }

    /// Returns the ranges.
    #[must_use]
    pub fn ranges(&self) -> &[TransientRange] {
        &self.ranges
    }

    /// Compacts each range once, and returns the results in the order of the ids. If a range fails,
    /// the others are compacted nevertheless.
    ///
    /// If the future is dropped, the compactions in progress are cancelled, which is safe: they
    /// drop only garbage.
    pub async fn run(&self) -> Vec<CompactedRange> {
        self.run_until(pending()).await
    }

    /// Compacts each range once, like [`run`](Self::run), until a signal. After the signal no
    /// compaction begins; those in progress end. The result omits the ranges whose compaction has
    /// not begun.
    pub async fn run_until(&self, stop: impl Future<Output = ()> + Send) -> Vec<CompactedRange> {
        stream::iter(self.ranges.clone())
            .take_until(stop)
            .map(|range| self.compact(range).boxed())
            .buffered(self.ranges_at_once.get())
            .collect()
            .await
    }

    /// Compacts each range repeatedly, until a signal. The first run of a range begins at once.
    /// After each run, failed or not, the range pauses for the interval, or for
    /// [a multiple](Self::multiplier) of the duration of the run if that is longer. After the
    /// signal no run begins; those in progress end.
    ///
    /// If several processes of an application repeat the [compaction](Self::for_client) of their
    /// client, one of them compacts a range; if it ends, another one takes over after the interval.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) if the interval is 0, because the servers would
    /// compact without a pause.
    pub async fn repeat_until(
        &self,
        interval: Duration,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<()> {
        if interval.is_zero() {
            return Err(Error::invalid(
                "the interval between two compactions is 0; give a pause, such as 10 minutes",
            ));
        }
        let stop = stop.boxed().shared();
        let most = self.ranges_at_once.get().min(Semaphore::MAX_PERMITS);
        let slots = Semaphore::new(most);
        let mut repeated = Vec::new();
        for range in &self.ranges {
            repeated.push(self.repeat(range, interval, &slots, stop.clone()).boxed());
        }
        join_all(repeated).await;
        Ok(())
    }

    /// Compacts a range and pauses in turn, until the stop. It keeps the duty during the pause
    /// after a run, so that no other process compacts the range meanwhile.
    async fn repeat(
        &self,
        range: &TransientRange,
        interval: Duration,
        slots: &Semaphore,
        stop: Stop<'_>,
    ) {
        loop {
            let Some(duty) = unless(&stop, self.take_duty(range)).await else {
                return;
            };
            let (_duty, pause) = match duty {
                Ok(Duty::Own(lock)) => {
                    let Some(slot) = unless(&stop, slots.acquire()).await else {
                        return;
                    };
                    let took = self.compact(range.clone()).await.duration;
                    drop(slot);
                    (lock, interval.max(took.saturating_mul(self.multiplier)))
                }
                Ok(Duty::OfAnother) => (None, interval),
                Err(error) => {
                    drop(self.report(range.clone(), Duration::ZERO, Err(error)));
                    (None, interval)
                }
            };
            if unless(&stop, sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// Compacts one range.
    async fn compact(&self, range: TransientRange) -> CompactedRange {
        let begun = Instant::now();
        let result = (self.compact)(range.span()).await;
        self.report(range, begun.elapsed(), result)
    }

    fn report(
        &self,
        range: TransientRange,
        duration: Duration,
        result: Result<()>,
    ) -> CompactedRange {
        let compacted = CompactedRange { range, duration, result };
        (self.watch)(&compacted);
        compacted
    }

    /// Takes the duty to compact a range.
    async fn take_duty(&self, range: &TransientRange) -> Result<Duty> {
        let Some(client) = &self.client else {
            return Ok(Duty::Own(None));
        };
        let id = data_encoding::HEXLOWER.encode(range.id().as_bytes());
        let lock = client.take_duty(&format!("transient-{id}")).await?;
        Ok(match lock {
            Some(lock) => Duty::Own(Some(lock)),
            None => Duty::OfAnother,
        })
    }
}

/// The duty to compact a range.
enum Duty {
    /// This process compacts the range, as long as the lock is held. Without a client it needs no
    /// lock.
    Own(Option<Box<dyn HeldLock>>),
    /// Another process compacts it.
    OfAnother,
}

/// The signal that ends a repeated compaction.
type Stop<'s> = Shared<BoxFuture<'s, ()>>;

/// Awaits `work`. Returns `None` if the stop comes first.
async fn unless<T>(stop: &Stop<'_>, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = stop.clone() => None,
        done = work => Some(done),
    }
}

impl CompactedRange {
    /// Returns the error of a failed compaction.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.result.as_ref().err()
    }
}

impl fmt::Debug for TransientCompaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransientCompaction")
            .field("ranges", &self.ranges)
            .field("ranges_at_once", &self.ranges_at_once)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
