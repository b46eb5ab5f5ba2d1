//! The compaction of transient ranges: [`TransientCompaction`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, Error, Result, Span};
use fluo_table::TableAdmin;
use fluo_table::coordination::HeldLock;
use futures::future::{BoxFuture, FutureExt, Shared, join_all};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::TransientRange;

type Compact = dyn Fn(Span) -> BoxFuture<'static, Result<()>> + Send + Sync;

type Watch = dyn Fn(&CompactedRange) + Send + Sync;

/// The multiplier of Fluo Recipes: a range is compacted for at most a quarter of the time.
const MULTIPLIER: u32 = 3;

/// A compaction of the transient ranges of an application, once or
/// [repeatedly](Self::repeat_until).
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
#[must_use]
pub struct TransientCompaction {
    /// In the order of their ids.
    ranges: Vec<TransientRange>,
    multiplier: u32,
    compact: Arc<Compact>,
    watch: Arc<Watch>,
    /// The client whose application has the duty to compact a range repeatedly.
    client: Option<Client>,
}

/// The result of the compaction of one range.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    pub fn with_compactor<F>(
        ranges: impl IntoIterator<Item = TransientRange>,
        compact: impl Fn(Span) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Self {
            ranges: ranges.into_iter().collect(),
            multiplier: MULTIPLIER,
            compact: Arc::new(move |span| compact(span).boxed()),
            watch: Arc::new(|_| ()),
            client: None,
        }
    }

    /// Sets the minimum pause of a [repeated](Self::repeat_until) compaction, in durations of the
    /// run before it. With 0 only the interval counts. Default: 3, so that a range is compacted for
    /// at most a quarter of the time.
    pub fn multiplier(self, multiplier: u32) -> Self {
        Self { multiplier, ..self }
    }

    /// Sets a function that is called after each compaction of a range, in the order in which they
    /// end. Default: none.
    pub fn on_compacted(self, watch: impl Fn(&CompactedRange) + Send + Sync + 'static) -> Self {
        Self { watch: Arc::new(watch), ..self }
    }

    /// Returns the ranges.
    pub fn ranges(&self) -> &[TransientRange] {
        &self.ranges
    }

    /// Compacts each range once, one after the other, and returns the results in the order of the
    /// ids. If a range fails, the others are compacted nevertheless.
    ///
    /// If the future is dropped, the compaction in progress is cancelled, which is safe: it drops
    /// only garbage.
    pub async fn run(&self) -> Vec<CompactedRange> {
        let mut compacted = Vec::with_capacity(self.ranges.len());
        for range in &self.ranges {
            compacted.push(self.compact(range).await);
        }
        compacted
    }

    /// Compacts each range repeatedly, until a signal. The first run of a range begins at once.
    /// After each run, failed or not, the range pauses for the interval, or for
    /// [a multiple](Self::multiplier) of the duration of the run if that is longer. One range is
    /// compacted at a time. After the signal no run begins; the one in progress ends.
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
        let (stop, turn) = (stop.boxed().shared(), Mutex::new(()));
        let repeat = async |range| {
            while self.compact_and_pause(range, interval, &turn, &stop).await.is_some() {}
        };
        join_all(self.ranges.iter().map(repeat)).await;
        Ok(())
    }

    /// Compacts a range and pauses, or returns `None` at the stop. It keeps the duty during the
    /// pause, so that no other process compacts the range meanwhile.
    async fn compact_and_pause(
        &self,
        range: &TransientRange,
        interval: Duration,
        turn: &Mutex<()>,
        stop: &Stop<'_>,
    ) -> Option<()> {
        let duty = unless(stop, self.take_duty(range)).await?;
        let mut pause = interval;
        match &duty {
            Ok(None) => {}
            Ok(Some(_)) => {
                let _turn = unless(stop, turn.lock()).await?;
                let took = self.compact(range).await.duration;
                pause = pause.max(took.saturating_mul(self.multiplier));
            }
            Err(error) => {
                let (range, result) = (range.clone(), Err(error.clone()));
                (self.watch)(&CompactedRange { range, duration: Duration::ZERO, result });
            }
        }
        unless(stop, sleep(pause)).await
    }

    async fn compact(&self, range: &TransientRange) -> CompactedRange {
        let begun = Instant::now();
        let result = (self.compact)(range.span()).await;
        let (range, duration) = (range.clone(), begun.elapsed());
        let compacted = CompactedRange { range, duration, result };
        (self.watch)(&compacted);
        compacted
    }

    /// Takes the duty to compact a range. Returns `None` if another process has it. Without a
    /// client it needs no lock.
    async fn take_duty(&self, range: &TransientRange) -> Result<Option<Duty>> {
        let Some(client) = &self.client else {
            return Ok(Some(None));
        };
        let id = data_encoding::HEXLOWER.encode(range.id().as_bytes());
        let lock = client.take_duty(&format!("transient-{id}")).await?;
        Ok(lock.map(Some))
    }
}

/// The duty of this process to compact a range, as long as the lock is held.
type Duty = Option<Box<dyn HeldLock>>;

type Stop<'s> = Shared<BoxFuture<'s, ()>>;

/// Awaits `work`. Returns `None` if the stop comes first.
async fn unless<T>(stop: &Stop<'_>, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = stop.clone() => None,
        done = work => Some(done),
    }
}

impl fmt::Debug for TransientCompaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransientCompaction").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
