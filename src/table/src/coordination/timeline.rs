//! The times at which timestamps were handed out.

use std::time::Duration;

use crate::data::Timestamp;
use crate::error::{Error, Result};

/// The times at which the timestamps of an application were handed out, from samples.
///
/// A sample is the next timestamp at some time: all timestamps below it were handed out before. So
/// the time since the first sample above a timestamp is a lower bound of its age, also after a
/// pause and after another program has handed out timestamps.
///
/// Samples are thinned: the bound is too low by at most 10 seconds, or a quarter if that is more,
/// if there is a sample after each timestamp. The differences between the clocks of hosts add to
/// that. About 100 samples cover years.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// With increasing timestamps. The times may decrease, because clocks are set back.
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    next: Timestamp,
    at_ms: i64,
}

/// The format of the stored text.
const FORMAT: u64 = 1;
/// The quotient of the age of two samples and the time between them at which those in between are
/// removed.
const PART: i64 = 4;

impl Timeline {
    /// The time between two samples.
    pub const PERIOD: Duration = Duration::from_secs(10);

    /// Records that `next` is the next timestamp, at `now_ms` milliseconds since 1970.
    ///
    /// It removes at most two samples of lower timestamps, so samples survive a short error of the
    /// clock. Those of higher timestamps are from before a backup was restored.
    pub fn record(&mut self, next: Timestamp, now_ms: i64) {
        if self.samples.last().is_some_and(|last| last.next == next) {
            return;
        }
        let below = self.samples.partition_point(|sample| sample.next < next);
        self.samples.truncate(below);
        let sample = Sample { next, at_ms: now_ms };
        // Most calls come within a period of the last ones.
        if let [.., before, last] = self.samples.as_mut_slice()
            && is_dense(&[*before, *last, sample], now_ms)
        {
            *last = sample;
            return;
        }
        self.samples.push(sample);
        for _ in 0..2 {
            let Some(before) = self.samples.windows(3).rposition(|some| is_dense(some, now_ms))
            else {
                return;
            };
            self.samples.remove(before + 1);
        }
    }

    /// Returns lower bounds of the times since timestamps were handed out, at `now_ms` milliseconds
    /// since 1970. `None` if there is no sample above the timestamp.
    pub fn ages(&self, timestamps: &[Timestamp], now_ms: i64) -> Vec<Option<Duration>> {
        timestamps.iter().map(|timestamp| self.age(*timestamp, now_ms)).collect()
    }

    fn age(&self, timestamp: Timestamp, now_ms: i64) -> Option<Duration> {
        let above = self.samples.partition_point(|sample| sample.next <= timestamp);
        let since = now_ms.saturating_sub(self.samples.get(above)?.at_ms);
        Some(Duration::from_millis(u64::try_from(since).unwrap_or(0)))
    }

    /// Returns the stored text: the version of the format, then a line for each sample.
    pub fn encode(&self) -> Vec<u8> {
        let sample = |Sample { next, at_ms }: &Sample| format!("\n{next} {at_ms}");
        let samples: String = self.samples.iter().map(sample).collect();
        format!("{FORMAT}{samples}").into_bytes()
    }

    /// Reads stored text.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt); [`Invalid`](crate::ErrorKind::Invalid) if it has a
    /// later format.
    pub fn decode(text: &[u8]) -> Result<Self> {
        let mut lines = std::str::from_utf8(text).unwrap_or_default().split('\n');
        let format = lines.next().and_then(|format| format.parse::<u64>().ok());
        if let Some(format) = format.filter(|format| *format > FORMAT) {
            return Err(Error::invalid(format!(
                "the times of timestamps have the later format {format}; update this program"
            )));
        }
        let decoded = format.and_then(|_| decode(lines));
        decoded.ok_or_else(|| Error::corrupt("the times of timestamps are damaged"))
    }
}

/// Checks whether the second of three samples can be removed.
fn is_dense(samples: &[Sample], now_ms: i64) -> bool {
    let [before, _, after] = samples else { return false };
    let period = i64::try_from(Timeline::PERIOD.as_millis()).unwrap_or(i64::MAX);
    let allowed = now_ms.saturating_sub(after.at_ms) / PART;
    after.at_ms.saturating_sub(before.at_ms) <= allowed.max(period)
}

fn decode<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Timeline> {
    let sample = |line: &str| {
        let (next, at_ms) = line.split_once(' ')?;
        let next = Timestamp::new(next.parse().ok()?).ok()?;
        Some(Sample { next, at_ms: at_ms.parse().ok()? })
    };
    let samples = lines.map(sample).collect::<Option<Vec<_>>>()?;
    let is_sorted = samples.is_sorted_by(|one, other| one.next < other.next);
    is_sorted.then_some(Timeline { samples })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    fn timeline(samples: &[(u64, i64)]) -> Timeline {
        let mut timeline = Timeline::default();
        samples.iter().for_each(|(next, at_ms)| timeline.record(at(*next), *at_ms));
        timeline
    }

    fn seconds(timeline: &Timeline, timestamp: u64, now_ms: i64) -> Option<u64> {
        timeline.age(at(timestamp), now_ms).map(|age| age.as_secs())
    }

    #[test]
    fn is_stored_as_documented() {
        let recorded = timeline(&[(2, -1), (1_002, 1_700_000_000_000)]);
        let text = b"1\n2 -1\n1002 1700000000000";
        assert_eq!(recorded.encode(), text);
        assert_eq!(Timeline::decode(text).unwrap(), recorded);
        assert_eq!(Timeline::decode(b"1").unwrap(), Timeline::default());
        for text in ["2", "2\nof a later version"] {
            let error = Timeline::decode(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Invalid);
            let sentence = "the times of timestamps have the later format 2; update this program";
            assert_eq!(error.to_string(), sentence);
        }
        for text in ["", "x", "1\n", "1\n2", "1\n2 x", "1\n3 1\n3 1"] {
            let error = Timeline::decode(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), "the times of timestamps are damaged", "{text}");
        }
    }

    #[test]
    fn an_age_is_the_time_since_the_first_sample_above() {
        // Another program hands out the timestamps from 100 to 900.
        let timeline = timeline(&[(10, 0), (100, 60_000), (900, 9_000_000)]);
        let ages = [9, 10, 99, 100, 899, 900].map(|number| seconds(&timeline, number, 9_005_000));
        assert_eq!(ages, [Some(9_005), Some(8_945), Some(8_945), Some(5), Some(5), None]);
        assert_eq!(seconds(&timeline, 9, -5), Some(0), "the clock was set back");
    }

    #[test]
    fn a_restored_backup_removes_the_samples_of_higher_timestamps() {
        let mut timeline = timeline(&[(10, 0), (100, 60_000), (900, 120_000)]);
        timeline.record(at(100), 200_000);
        assert_eq!(seconds(&timeline, 50, 200_000), Some(0));
        assert_eq!(seconds(&timeline, 100, 200_000), None);
        assert_eq!(seconds(&timeline, 9, 200_000), Some(200));
        timeline.record(at(100), 300_000);
        assert_eq!(seconds(&timeline, 50, 300_000), Some(100), "it was not handed out again");
    }

    #[test]
    fn samples_survive_an_error_of_the_clock() {
        let minutes = |range: std::ops::Range<u64>| {
            range.map(|minute| (minute + 2, i64::try_from(minute).unwrap() * 60_000))
        };
        let mut timeline = timeline(&minutes(0..60).collect::<Vec<_>>());
        let before = timeline.samples.len();
        for (next, at_ms) in [(100, i64::MAX), (101, i64::MIN), (102, 4_000_000_000_000)] {
            timeline.record(at(next), at_ms);
        }
        assert!(timeline.samples.len() + 3 >= before);
        timeline.record(at(103), 3_600_000);
        let age = seconds(&timeline, 32, 3_600_000).unwrap();
        assert!((1_440..=1_800).contains(&age), "{age}");
        assert_eq!(seconds(&timeline, 102, 3_610_000), Some(10));
    }

    proptest! {
        /// Timestamps in bursts, with pauses from milliseconds to days between them.
        #[test]
        fn ages_are_too_low_by_seconds_or_a_quarter(
            steps in prop::collection::vec((0..31_u32, 0..1_000_i64, 1..2_000_u64), 1..600),
            stored_after in 0..600_usize,
        ) {
            let (mut timeline, mut now_ms, mut next) = (Timeline::default(), 0_i64, 2);
            let mut handed_out = Vec::new();
            for (step, (size, part, count)) in steps.into_iter().enumerate() {
                now_ms += (1_i64 << size.min(size / 2 + 8)) * part / 1_000;
                handed_out.extend([(next, now_ms), (next + count - 1, now_ms)]);
                next += count;
                timeline.record(at(next), now_ms);
                if step == stored_after {
                    timeline = Timeline::decode(&timeline.encode()).unwrap();
                }
            }
            prop_assert!(timeline.samples.len() < 150, "{} samples", timeline.samples.len());
            prop_assert_eq!(timeline.age(at(next), now_ms), None);
            for later in [0, 1_000, 10_000_000] {
                for (timestamp, then) in &handed_out {
                    let age = timeline.age(at(*timestamp), now_ms + later).unwrap();
                    let age = i64::try_from(age.as_millis()).unwrap();
                    let true_age = now_ms + later - then;
                    prop_assert!(age <= true_age, "{age} {true_age}");
                    prop_assert!(true_age <= age + (age / 4).max(10_000), "{age} {true_age}");
                }
            }
        }
    }
}
