//! Rounds of several alternatives, in turns, and the ratio of their medians.

use std::time::Duration;

/// The times of one alternative, in each round.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    seconds: Vec<f64>,
}

impl Figures {
    pub(crate) fn add(&mut self, took: Duration) {
        self.seconds.push(took.as_secs_f64());
    }

    /// Returns the median in seconds, because the machine is noisy.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap()
    }

    /// Returns the time of this alternative over the time of the other: the median over the rounds,
    /// in each of which both ran one after the other.
    pub(crate) fn ratio_to(&self, other: &Self) -> f64 {
        let pairs = self.seconds.iter().zip(&other.seconds);
        let seconds = pairs.map(|(one, other)| one / other).collect();
        Self { seconds }.median()
    }

    /// Returns the rate of `count` operations in a round, per second.
    pub(crate) fn rate(&self, count: usize) -> f64 {
        count as f64 / self.median()
    }
}
