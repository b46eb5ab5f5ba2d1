//! The pauses of a repeated compaction: [`CompactionSchedule`].

use std::time::Duration;

use fluo_engine::Error;

/// The pauses between the runs of a range: the interval, or a multiple of the duration of the last
/// run, whichever is longer.
///
/// | option | unit | default |
/// |---|---|---|
/// | interval, required | duration, more than 0 | |
/// | [`multiplier`](Self::multiplier) | durations of a run | 3 |
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use fluo_recipes::transient::CompactionSchedule;
///
/// # fn main() -> fluo_engine::Result<()> {
/// let schedule = CompactionSchedule::new(Duration::from_secs(600))?.multiplier(10);
/// assert_eq!(schedule.pause_after(Duration::from_secs(20)), Duration::from_secs(600));
/// assert_eq!(schedule.pause_after(Duration::from_secs(80)), Duration::from_secs(800));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionSchedule {
    interval: Duration,
    multiplier: u32,
}

/// The multiplier of Fluo Recipes: a range is compacted for at most a quarter of the time.
const MULTIPLIER: u32 = 3;

impl CompactionSchedule {
    /// Creates a schedule with this interval.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_engine::ErrorKind::Invalid) if the interval is 0, because the servers
    /// would compact without a pause.
    pub fn new(interval: Duration) -> Result<Self, Error> {
        if interval.is_zero() {
            return Err(Error::invalid(
                "the interval between two compactions is 0; give a pause, such as 10 minutes",
            ));
        }
        Ok(Self {
            interval,
            multiplier: MULTIPLIER,
        })
    }

    /// Sets the minimum pause in durations of the run before it. With 0 only the interval counts.
    /// Default: 3, so that a range is compacted for at most a quarter of the time.
    #[must_use]
    pub fn multiplier(mut self, multiplier: u32) -> Self {
        self.multiplier = multiplier;
        self
    }

    /// Returns the pause after a run of this duration. It is at most [`Duration::MAX`].
    #[must_use]
    pub fn pause_after(&self, run: Duration) -> Duration {
        self.interval.max(run.saturating_mul(self.multiplier))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_for_the_interval_or_a_multiple_of_the_run() {
        let schedule = CompactionSchedule::new(Duration::from_secs(60)).unwrap();
        let pause = |schedule: CompactionSchedule, millis| {
            schedule
                .pause_after(Duration::from_millis(millis))
                .as_millis()
        };
        assert_eq!(
            [0, 20_000, 20_001].map(|millis| pause(schedule, millis)),
            [60_000, 60_000, 60_003]
        );
        assert_eq!(pause(schedule.multiplier(0), 90_000), 60_000);
    }

    /// The Java command multiplies in 32 bits, so 30 days become a negative pause.
    #[test]
    fn long_durations_do_not_overflow() {
        let month = Duration::from_secs(30 * 24 * 3_600);
        let schedule = CompactionSchedule::new(month).unwrap().multiplier(u32::MAX);
        assert_eq!(schedule.pause_after(Duration::ZERO), month);
        assert_eq!(schedule.pause_after(Duration::MAX), Duration::MAX);
    }

    #[test]
    fn rejects_an_interval_of_zero() {
        let error = CompactionSchedule::new(Duration::ZERO).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the interval between two compactions is 0; give a pause, such as 10 minutes"
        );
    }
}
