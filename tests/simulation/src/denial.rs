//! The permissions that a client lacks, and for how long.

use std::time::Duration;

use tokio::time::Instant;

use super::dials::Dials;
use super::random::Random;

/// Calls of one kind that are refused for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Denial {
    pub(super) what: Denied,
    from: Instant,
    up_to: Option<Instant>,
}

/// The permission that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    Reads,
    Writes,
}

impl Denial {
    /// Draws the denied calls of a client; `None` for most clients.
    pub(super) fn drawn(random: &Random, dials: &Dials) -> Option<Self> {
        if !random.chance(dials.is_denied) {
            return None;
        }
        let what = match random.chance(300) {
            true => Denied::Reads,
            false => Denied::Writes,
        };
        let from = Instant::now() + random.time_below(dials.length / 2);
        let length = random.pick(&[Duration::from_millis(300), Duration::from_secs(2), FOR_EVER]);
        let up_to = (length != FOR_EVER).then(|| from + length);
        Some(Self { what, from, up_to })
    }

    pub(super) fn is_in_force(&self) -> bool {
        let now = Instant::now();
        self.from <= now && self.up_to.is_none_or(|up_to| now < up_to)
    }
}

/// No client of a run lives as long.
const FOR_EVER: Duration = Duration::MAX;
