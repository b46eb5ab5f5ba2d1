//! A compaction that repeats: [`RepeatedCompaction`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::compaction::Duty;
use super::status::Statuses;
use super::{CompactionSchedule, RangeStatus, TransientCompaction, TransientRange};

/// A compaction of transient ranges that repeats until it is stopped or dropped.
///
/// Each range has a task of its own on the runtime of tokio. Its first run begins at once. After
/// each run, failed or not, the task pauses as the [`CompactionSchedule`] says. A range whose turn
/// has come waits while [as many ranges as allowed](TransientCompaction::ranges_at_once) are
/// compacted. If several processes of an application repeat the
/// [compaction of their client](TransientCompaction::for_client), one of them compacts a range; if
/// it ends, another one takes over after the interval.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_recipes::transient::{CompactionSchedule, TransientCompaction, TransientRange};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let fluo = Instance::in_memory();
/// # let (name, value) = TransientRange::new("queue", "jobs#", "jobs:~")?.to_setting();
/// # let client = fluo.application("web").set(name, value).create().await?;
/// let schedule = CompactionSchedule::new(Duration::from_secs(600))?;
/// let compaction = TransientCompaction::for_client(&client, Arc::new(fluo))?.repeat(schedule);
/// # while compaction.status()["queue"].runs == 0 {
/// #     tokio::task::yield_now().await;
/// # }
/// // Later, for a page that shows the state of the process:
/// for (id, status) in compaction.status() {
///     println!("{id}: {} runs, the last one took {:?}", status.runs, status.last_duration);
/// }
/// // At the end of the process:
/// let status = compaction.stop().await;
/// assert_eq!(status["queue"].failures, 0);
/// # Ok(())
/// # }
/// ```
#[must_use = "a repeated compaction that is dropped stops at once"]
pub struct RepeatedCompaction {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    statuses: Arc<Statuses>,
}

/// The task of one range.
struct RangeTask {
    compaction: Arc<TransientCompaction>,
    range: TransientRange,
    schedule: CompactionSchedule,
    slots: Arc<Semaphore>,
    statuses: Arc<Statuses>,
    stop: watch::Receiver<bool>,
}

impl TransientCompaction {
    /// Starts to compact each range repeatedly.
    ///
    /// # Panics
    ///
    /// If it is called outside of a runtime of tokio and there are ranges.
    pub fn repeat(self, schedule: CompactionSchedule) -> RepeatedCompaction {
        let (stop, stopped) = watch::channel(false);
        let statuses = Arc::new(Statuses::new(self.ranges()));
        let most = self.max_at_once().min(Semaphore::MAX_PERMITS);
        let slots = Arc::new(Semaphore::new(most));
        let compaction = Arc::new(self);
        let mut tasks = JoinSet::new();
        for range in compaction.ranges().iter() {
            let task = RangeTask {
                compaction: Arc::clone(&compaction),
                range: range.clone(),
                schedule,
                slots: Arc::clone(&slots),
                statuses: Arc::clone(&statuses),
                stop: stopped.clone(),
            };
            tasks.spawn(task.run());
        }
        RepeatedCompaction {
            stop,
            tasks,
            statuses,
        }
    }
}

impl RepeatedCompaction {
    /// Returns the state of each range, by its id.
    #[must_use]
    pub fn status(&self) -> BTreeMap<String, RangeStatus> {
        self.statuses.get()
    }

    /// Stops the compaction, and returns the last state of each range. Runs in progress end first,
    /// and no run begins.
    pub async fn stop(mut self) -> BTreeMap<String, RangeStatus> {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
        self.statuses.get()
    }
}

impl RangeTask {
    /// Compacts the range and pauses in turn, until the stop. It keeps the duty during the pause
    /// after a run, so that no other process compacts the range meanwhile.
    async fn run(mut self) {
        loop {
            let taken = self.compaction.take_duty(&self.range);
            let (_duty, pause) = match unless_stopped(&mut self.stop, taken).await {
                Some(Ok(duty @ Duty::Own { .. })) => match self.compact().await {
                    Some(pause) => (Some(duty), pause),
                    None => return,
                },
                Some(Ok(Duty::OfAnother)) => (None, self.schedule.pause_after(Duration::ZERO)),
                Some(Err(error)) => {
                    self.statuses.fail(self.range.id(), error);
                    (None, self.schedule.pause_after(Duration::ZERO))
                }
                None => return,
            };
            if unless_stopped(&mut self.stop, sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// Compacts the range as soon as there is a slot. Returns the pause after it, or `None` if the
    /// stop came first.
    async fn compact(&mut self) -> Option<Duration> {
        let slot = unless_stopped(&mut self.stop, self.slots.acquire()).await?;
        self.statuses.begin(self.range.id());
        let compacted = self.compaction.compact(self.range.clone()).await;
        self.statuses.end(&compacted);
        drop(slot);
        Some(self.schedule.pause_after(compacted.duration))
    }
}

/// Awaits `work`. Returns `None` if the stop comes first.
async fn unless_stopped<T>(
    stop: &mut watch::Receiver<bool>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        _ = stop.wait_for(|is_stopped| *is_stopped) => None,
        done = work => Some(done),
    }
}

impl fmt::Debug for RepeatedCompaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepeatedCompaction")
            .field("statuses", &self.statuses)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
