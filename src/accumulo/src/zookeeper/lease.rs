//! The time for which the ephemeral nodes of a session certainly exist without another answer of
//! ZooKeeper.
//!
//! ZooKeeper ends a session only when it has not heard from its client for the whole session
//! timeout. Until then the nodes of the client exist. The lease is a part of that time ([`PART`]),
//! counted from the sending of the last request that ZooKeeper answered.
//!
//! - The leader of an election checks its lease after it has received a request and before it
//!   replies. So no other oracle led when the request was sent, although the reply may arrive much
//!   later (rule C2).
//! - A reader checks the lease of its transactor after the data has arrived. So the transactor was
//!   alive when the table answered, and what it had published was in force (rule C17).
//!
//! The remaining third of the session timeout covers clocks of different speed, and the time after
//! which a member of an ensemble reports to its leader which sessions are alive.

use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// The part of the session timeout that a lease lasts, as a numerator and a denominator.
const PART: (u32, u32) = (2, 3);

/// An instant on two clocks. The steady clock of a virtual machine may stand still while the
/// machine is suspended, and the wall clock may be set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self { steady: Instant::now(), wall: SystemTime::now() }
    }

    /// Returns the time since an earlier moment, on the clock that shows more of it.
    fn since(self, earlier: Self) -> Duration {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        steady.max(self.wall.duration_since(earlier.wall).unwrap_or_default())
    }
}

#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    state: watch::Sender<LeaseState>,
}

#[derive(Clone, Copy, Debug)]
enum LeaseState {
    Unconfirmed,
    /// ZooKeeper has answered a request that was sent at this moment.
    Confirmed(Moment),
    /// The node or its session has ended, or its owner does not use it any more.
    Ended,
}

impl Lease {
    pub(super) fn new(session_timeout: Duration) -> Self {
        let (part, of) = PART;
        let state = watch::Sender::new(LeaseState::Unconfirmed);
        Self { length: session_timeout * part / of, state }
    }

    /// Renews the lease by an answered request, unless it has ended.
    pub(super) fn renew(&self, sent: Moment) {
        self.state.send_if_modified(|state| {
            let lasts = !matches!(state, LeaseState::Ended);
            if lasts {
                *state = LeaseState::Confirmed(sent);
            }
            lasts
        });
    }

    pub(crate) fn end(&self) {
        self.state.send_replace(LeaseState::Ended);
    }

    /// Returns the time that is left, or `None` if the lease has lapsed.
    fn remaining(&self, now: Moment) -> Option<Duration> {
        let LeaseState::Confirmed(renewed) = *self.state.borrow() else {
            return None;
        };
        let remaining = self.length.checked_sub(now.since(renewed));
        remaining.filter(|remaining| !remaining.is_zero())
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.remaining(Moment::now()).is_some()
    }

    /// Waits until ZooKeeper has confirmed the lease, or it has ended.
    pub(crate) async fn confirmed(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| !matches!(state, LeaseState::Unconfirmed)).await;
    }

    /// Waits until the lease has lapsed or ended. Returns whether it has ended.
    pub(crate) async fn lapsed(&self) -> bool {
        let mut state = self.state.subscribe();
        while let Some(remaining) = self.remaining(Moment::now()) {
            let _ = timeout(remaining, state.changed()).await;
        }
        matches!(*state.borrow(), LeaseState::Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn later(moment: Moment, steady: u32, wall: u32) -> Moment {
        Moment { steady: moment.steady + SECOND * steady, wall: moment.wall + SECOND * wall }
    }

    #[test]
    fn lapses_before_the_session_can_end() {
        let start = Moment::now();
        let lease = Lease::new(SECOND * 30);
        assert_eq!(lease.remaining(start), None);
        lease.renew(start);
        assert_eq!(lease.remaining(later(start, 19, 19)), Some(SECOND));
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
        lease.renew(later(start, 15, 15));
        assert_eq!(lease.remaining(later(start, 20, 20)), Some(SECOND * 15));
        lease.end();
        lease.renew(later(start, 20, 20));
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
    }

    #[test]
    fn lapses_on_the_clock_that_shows_more_time() {
        let start = Moment::now();
        let lease = Lease::new(SECOND * 30);
        lease.renew(start);
        assert_eq!(lease.remaining(later(start, 0, 60)), None, "suspended");
        assert_eq!(lease.remaining(later(start, 60, 0)), None, "set back");
        let set_back = Moment { wall: start.wall - SECOND * 60, ..later(start, 5, 0) };
        assert_eq!(lease.remaining(set_back), Some(SECOND * 15));
    }
}
