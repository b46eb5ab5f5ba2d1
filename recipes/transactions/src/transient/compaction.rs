//! The compaction of transient ranges: [`TransientCompaction`].

use std::fmt;
use std::future::pending;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Client, Error, Result, Span};
use fluo_table::TableAdmin;
use fluo_table::coordination::HeldLock;
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, StreamExt};
use tokio::time::Instant;

use super::{TransientRange, TransientRanges};

/// A function that compacts a part of a table.
type Compact = dyn Fn(Span) -> BoxFuture<'static, Result<()>> + Send + Sync;

/// A function that is called after each compaction of a range.
type Watch = dyn Fn(&CompactedRange) + Send + Sync;

/// A compaction of the transient ranges of an application, once or
/// [repeatedly](Self::repeat). A clone shares nothing that changes.
///
/// | option | default |
/// |---|---|
/// | [`ranges_at_once`](Self::ranges_at_once) | 1 |
/// | [`on_compacted`](Self::on_compacted) | none |
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::transient::{TransientCompaction, TransientRange, TransientRanges};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fluo = Instance::in_memory();
/// let mut ranges = TransientRanges::new();
/// ranges.insert(TransientRange::new("cfm.m1", "m1:d:~", "m1:u:~")?);
/// ranges.insert(TransientRange::new("exportQueue.eq1", "eq1#", "eq1:~")?);
/// let mut web = fluo.application("web");
/// for (name, value) in ranges.to_settings() {
///     web = web.set(name, value);
/// }
/// let client = web.create().await?;
///
/// let compaction = TransientCompaction::for_client(&client, Arc::new(fluo))?;
/// let report = compaction.run().await;
/// assert_eq!(report.len(), 2);
/// assert!(report.iter().all(|compacted| compacted.result.is_ok()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TransientCompaction {
    ranges: TransientRanges,
    ranges_at_once: NonZeroUsize,
    compact: Arc<Compact>,
    watch: Arc<Watch>,
    /// The client whose application has the duty to compact a range repeatedly.
    client: Option<Client>,
}

/// The state of the duty to compact a range.
#[derive(Debug)]
pub(super) enum Duty {
    /// This process compacts the range, as long as the lock is held.
    Own { _lock: Option<Box<dyn HeldLock>> },
    /// Another process compacts it.
    OfAnother,
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
    /// Those of [`TransientRanges::from_settings`].
    pub fn for_client(client: &Client, tables: Arc<dyn TableAdmin>) -> Result<Self, Error> {
        let ranges = TransientRanges::from_settings(&client.application().settings)?;
        let compacting = client.clone();
        let compaction = Self::with_compactor(ranges, move |span| {
            let (client, tables) = (compacting.clone(), Arc::clone(&tables));
            async move {
                client.collect_garbage(&*tables, &span).await?;
                Ok(())
            }
        });
        Ok(Self {
            client: Some(client.clone()),
            ..compaction
        })
    }

    /// Creates a compaction of ranges by a function that compacts one part of a table, for programs
    /// that open the application only during a compaction.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::transient::{TransientCompaction, TransientRange, TransientRanges};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// let ranges = TransientRanges::from_iter([TransientRange::new("queue", "q#", "q:~")?]);
    /// let compaction = TransientCompaction::with_compactor(ranges, |span| async move {
    ///     println!("would compact {span}");
    ///     Ok(())
    /// });
    /// assert!(compaction.run().await[0].result.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_compactor<F>(
        ranges: TransientRanges,
        compact: impl Fn(Span) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Self {
            ranges,
            ranges_at_once: NonZeroUsize::MIN,
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

    /// Sets a function that is called after each compaction of a range, in the order in which they
    /// end. Default: none.
    #[must_use]
    pub fn on_compacted(mut self, watch: impl Fn(&CompactedRange) + Send + Sync + 'static) -> Self {
        self.watch = Arc::new(watch);
        self
    }

    /// Returns the ranges.
    #[must_use]
    pub fn ranges(&self) -> &TransientRanges {
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
    ///
    /// # Examples
    ///
    /// ```
    /// # use fluo_recipes::transient::{TransientCompaction, TransientRange, TransientRanges};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// # let ranges = TransientRanges::from_iter([TransientRange::new("queue", "q#", "q:~")?]);
    /// # let compaction = TransientCompaction::with_compactor(ranges, |_| async { Ok(()) });
    /// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    /// drop(stop);
    /// let report = compaction.run_until(async { drop(stopped.await) }).await;
    /// assert!(report.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_until(&self, stop: impl Future<Output = ()> + Send) -> Vec<CompactedRange> {
        let ranges: Vec<_> = self.ranges.iter().cloned().collect();
        stream::iter(ranges)
            .take_until(stop)
            .map(|range| self.compact(range).boxed())
            .buffered(self.ranges_at_once.get())
            .collect()
            .await
    }

    /// Compacts one range.
    pub(super) async fn compact(&self, range: TransientRange) -> CompactedRange {
        let begun = Instant::now();
        let result = (self.compact)(range.span()).await;
        let compacted = CompactedRange {
            range,
            duration: begun.elapsed(),
            result,
        };
        (self.watch)(&compacted);
        compacted
    }

    /// Takes the duty to compact a range.
    pub(super) async fn take_duty(&self, range: &TransientRange) -> Result<Duty> {
        let Some(client) = &self.client else {
            return Ok(Duty::Own { _lock: None });
        };
        let id = data_encoding::HEXLOWER.encode(range.id().as_bytes());
        let lock = client.take_duty(&format!("transient-{id}")).await?;
        Ok(match lock {
            Some(_) => Duty::Own { _lock: lock },
            None => Duty::OfAnother,
        })
    }

    /// Returns the maximum number of ranges that are compacted at the same time.
    pub(super) fn max_at_once(&self) -> usize {
        self.ranges_at_once.get()
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
