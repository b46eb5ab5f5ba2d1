//! The times at which timestamps were handed out.

use std::time::Duration;

use crate::data::Timestamp;

/// The times at which the timestamps of an application were handed out, from samples.
///
/// A sample is the next timestamp at some time: that one and all later ones were handed out after
/// it. [`ReservedTimestamps`](super::ReservedTimestamps) takes one with each reservation, which
/// serves for 10 seconds at most. So the age of a timestamp is known from the last sample before
/// it, and is at most 10 seconds too high. Older samples are thinned: then it is at most a quarter
/// too high. About 60 samples cover a month, and the first one stays.
///
/// Samples of a clock that was set back count as taken when that was found.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use fluo_table::Timestamp;
/// use fluo_table::coordination::Timeline;
///
/// # fn main() -> fluo_table::Result<()> {
/// let mut timeline = Timeline::default();
/// timeline.record(Timestamp::new(2)?, 0);
/// timeline.record(Timestamp::new(52)?, 60_000);
/// let timeline = timeline.up_to(Timestamp::new(100)?);
/// let age = |timestamp| Ok::<_, fluo_table::Error>(timeline.age(Timestamp::new(timestamp)?, 70_000));
/// assert_eq!(age(51)?, Some(Duration::from_secs(70)));
/// assert_eq!(age(52)?, Some(Duration::from_secs(10)));
/// assert_eq!(age(100)?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// In increasing order.
    samples: Vec<Sample>,
    /// The first timestamp of which it says nothing.
    end: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    next: Timestamp,
    at_ms: i64,
}

/// The format of the stored text.
const FORMAT: &str = "1";
/// The samples of this quotient of their age are thinned.
const PART: i64 = 4;

impl Timeline {
    /// The time after which an implementation of [`Coordination`](super::Coordination) takes the
    /// next sample, if it hands out timestamps.
    pub const PERIOD: Duration = Duration::from_secs(10);

    /// Records that `next` is the next timestamp, at `now_ms` milliseconds since 1970.
    pub fn record(&mut self, next: Timestamp, now_ms: i64) {
        self.samples.retain(|sample| sample.next < next);
        for sample in &mut self.samples {
            sample.at_ms = sample.at_ms.min(now_ms);
        }
        self.samples.push(Sample { next, at_ms: now_ms });
        self.thin(now_ms);
    }

    /// Removes samples between two others that are close to each other.
    fn thin(&mut self, now_ms: i64) {
        let period = i64::try_from(Self::PERIOD.as_millis()).unwrap_or(i64::MAX);
        let mut kept: Vec<Sample> = Vec::new();
        for (index, sample) in self.samples.iter().enumerate() {
            let around = kept.last().zip(self.samples.get(index + 1));
            let is_close = around.is_some_and(|(before, after)| {
                let allowed = now_ms.saturating_sub(after.at_ms) / PART;
                after.at_ms.saturating_sub(before.at_ms) <= allowed.max(period)
            });
            if !is_close {
                kept.push(*sample);
            }
        }
        self.samples = kept;
    }

    /// Takes a sample if the last one is older than [`PERIOD`](Self::PERIOD).
    pub fn record_if_due(&mut self, next: Timestamp, now_ms: i64) {
        let since = self.samples.last().map(|last| now_ms.saturating_sub(last.at_ms));
        let is_recent = |since: i64| {
            u64::try_from(since).is_ok_and(|since| Duration::from_millis(since) < Self::PERIOD)
        };
        if !since.is_some_and(is_recent) {
            self.record(next, now_ms);
        }
    }

    /// Returns the timeline with another end: the first timestamp of which it says nothing.
    #[must_use]
    pub fn up_to(self, end: Timestamp) -> Self {
        Self { end, ..self }
    }

    /// Returns the timeline if it ends at `end`. Otherwise a program that takes no samples has
    /// handed out timestamps since, and the result is empty.
    #[must_use]
    pub fn if_up_to(self, end: Timestamp) -> Self {
        if self.end == end { self } else { Self::default() }
    }

    /// Returns the age of a timestamp at `now_ms` milliseconds since 1970, or `None` if it is not
    /// known. It is too high by at most 10 seconds, or a quarter if that is more.
    pub fn age(&self, timestamp: Timestamp, now_ms: i64) -> Option<Duration> {
        let after = self.samples.partition_point(|sample| sample.next <= timestamp);
        let before = self.samples.get(after.checked_sub(1)?)?;
        let age = u64::try_from(now_ms.saturating_sub(before.at_ms)).unwrap_or(0);
        (timestamp < self.end).then(|| Duration::from_millis(age))
    }

    /// Returns the stored text: the version of the format and the end in the first line, then a
    /// line for each sample.
    pub fn encode(&self) -> Vec<u8> {
        let sample = |Sample { next, at_ms }: &Sample| format!("\n{next} {at_ms}");
        let samples: String = self.samples.iter().map(sample).collect();
        format!("{FORMAT} {}{samples}", self.end).into_bytes()
    }

    /// Reads stored text. `None` if it is damaged or has a later format.
    pub fn decode(text: &[u8]) -> Option<Self> {
        let timestamp = |text: &str| Timestamp::new(text.parse().ok()?).ok();
        let mut lines =
            std::str::from_utf8(text).ok()?.split('\n').map(|line| line.split_once(' '));
        let (format, end) = lines.next()??;
        let samples = lines.map(|line| {
            let (next, at_ms) = line?;
            Some(Sample { next: timestamp(next)?, at_ms: at_ms.parse().ok()? })
        });
        let (samples, end) = (samples.collect::<Option<Vec<_>>>()?, timestamp(end)?);
        let is_sorted = samples.is_sorted_by(|one, other| one.next < other.next);
        (format == FORMAT && is_sorted).then_some(Self { samples, end })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    #[test]
    fn is_stored_as_documented() {
        let mut timeline = Timeline::default();
        timeline.record(at(2), -1);
        timeline.record(at(1_002), 1_700_000_000_000);
        let timeline = timeline.up_to(at(2_002));
        let text = b"1 2002\n2 -1\n1002 1700000000000";
        assert_eq!(timeline.encode(), text);
        assert_eq!(Timeline::decode(text), Some(timeline));
        assert_eq!(Timeline::decode(b"1 2"), Some(Timeline::default().up_to(at(2))));
        for text in ["", "1", "2 2", "1 x", "1 2\n", "1 2\n2", "1 2\n2 x", "1 9\n3 1\n3 1"] {
            assert_eq!(Timeline::decode(text.as_bytes()), None, "{text}");
        }
    }

    /// Timestamps of a program that takes no samples have no age, and those before them neither.
    #[test]
    fn says_nothing_of_timestamps_that_others_handed_out() {
        let mut timeline = Timeline::default();
        timeline.record(at(2), 0);
        let timeline = timeline.up_to(at(1_002));
        assert_eq!(timeline.age(at(1_001), 5_000), Some(Duration::from_secs(5)));
        assert_eq!(timeline.age(at(1_002), 5_000), None);
        assert_eq!(timeline.age(at(1), 5_000), None);
        assert_eq!(timeline.clone().if_up_to(at(1_002)), timeline);
        let mut timeline = timeline.if_up_to(at(2_002));
        timeline.record(at(2_002), 9_000);
        let timeline = timeline.up_to(at(3_002));
        assert_eq!(timeline.age(at(2_001), 9_000), None);
        assert_eq!(timeline.age(at(2_002), 9_000), Some(Duration::ZERO));
    }

    #[test]
    fn survives_a_clock_that_is_set_back() {
        let mut timeline = Timeline::default();
        timeline.record(at(2), 4_000_000_000_000);
        timeline.record(at(1_002), 60_000);
        let timeline = timeline.up_to(at(2_002));
        assert_eq!(timeline.age(at(2), 90_000), Some(Duration::from_secs(30)));
        assert_eq!(timeline.age(at(1_002), 50_000), Some(Duration::ZERO));
    }

    proptest! {
        /// Timestamps in bursts, with pauses from milliseconds to hours between them.
        #[test]
        fn ages_are_too_high_by_seconds_or_a_quarter(
            steps in prop::collection::vec((0..31_u32, 0..1_000_i64, 1..2_000_u64), 1..600),
            stored_after in 0..600_usize,
        ) {
            let (mut timeline, mut now_ms, mut next) = (Timeline::default(), 0_i64, 2);
            let mut handed_out = Vec::new();
            for (step, (size, part, count)) in steps.into_iter().enumerate() {
                now_ms += (1_i64 << size.min(size / 2 + 8)) * part / 1_000;
                timeline.record_if_due(at(next), now_ms);
                handed_out.extend([(next, now_ms), (next + count - 1, now_ms)]);
                next += count;
                if step == stored_after {
                    timeline = Timeline::decode(&timeline.encode()).unwrap();
                }
            }
            let timeline = timeline.up_to(at(next));
            prop_assert!(timeline.samples.len() < 150, "{} samples", timeline.samples.len());
            for later in [0, 1_000, 10_000_000] {
                for (timestamp, then) in &handed_out {
                    let age = timeline.age(at(*timestamp), now_ms + later).unwrap();
                    let age = i64::try_from(age.as_millis()).unwrap();
                    let true_age = now_ms + later - then;
                    prop_assert!(age >= true_age, "{age} {true_age}");
                    let error = (true_age / 4).max(10_000);
                    prop_assert!(age <= true_age + error, "{age} {true_age}");
                }
            }
        }
    }
}
