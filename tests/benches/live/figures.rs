//! Rounds of two or more ways to do a thing, in turns, and the ratio of their medians.

use std::time::Duration;

/// What one way took, round by round.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    seconds: Vec<f64>,
}

impl Figures {
    pub(crate) fn add(&mut self, took: Duration) {
        self.seconds.push(took.as_secs_f64());
    }

    /// The median, in seconds: the machine is noisy.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap()
    }

    /// How many times the other's time this one took: the median over the rounds, of which two that belong together ran
    /// one after the other.
    pub(crate) fn ratio_to(&self, other: &Self) -> f64 {
        let pairs = self.seconds.iter().zip(&other.seconds);
        let seconds = pairs.map(|(one, other)| one / other).collect();
        Self { seconds }.median()
    }

    /// How many of `count` things a second.
    pub(crate) fn rate(&self, count: usize) -> f64 {
        count as f64 / self.median()
    }
}
