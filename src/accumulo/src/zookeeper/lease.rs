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
//!
//! A lease is safe if the leader has received a report of the session at most a third of the
//! timeout before the request. While requests follow each other, the one before the last has been
//! reported. After a silence of the session, such as that of a suspended machine, the leader may
//! end the session right after a member has answered. So requests count again from a third of the
//! timeout after the first one: a member sends its reports in order with its questions, so if
//! ZooKeeper still answers then, that report arrived in time.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use fluo_table::locked;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

#[cfg(simulated)]
use crate::world::wall_clock;

/// The part of the session timeout that a lease lasts, as a numerator and a denominator.
const PART: (u32, u32) = (2, 3);
/// The number of renewals of a lease in a session timeout.
pub(super) const RENEWALS: u32 = 15;

/// An instant on two clocks. The steady clock of a virtual machine may stand still while the
/// machine is suspended, and the wall clock may be set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self { steady: Instant::now(), wall: wall_clock() }
    }

    /// Returns the time since an earlier moment, on the clock that shows more of it.
    fn since(self, earlier: Self) -> Duration {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        steady.max(self.wall.duration_since(earlier.wall).unwrap_or_default())
    }
}

/// The requests that renew leases of a session, for all of these.
#[derive(Debug)]
pub(super) struct Activity {
    /// The time for which a lease lasts, and the rest of the session timeout.
    length: Duration,
    margin: Duration,
    /// The time between two requests from which on it is a silence: the margin without two pauses
    /// between renewals, in which a member reports the sessions to the leader.
    silence: Duration,
    last: Mutex<LastRequest>,
}

#[derive(Debug)]
struct LastRequest {
    sent: Moment,
    /// Requests that were sent earlier do not count, although they are answered.
    counts_from: Instant,
}

impl Activity {
    /// Creates the activity of a session that was requested at a moment.
    pub(super) fn new(session_timeout: Duration, requested: Moment) -> Self {
        let (part, of) = PART;
        let length = session_timeout * part / of;
        let margin = session_timeout - length;
        let last = Mutex::new(LastRequest { sent: requested, counts_from: requested.steady });
        let silence = margin - session_timeout * 2 / RENEWALS;
        Self { length, margin, silence, last }
    }

    /// Notes an answered request. Returns whether a lease lasts from it.
    fn answered(&self, request: Moment) -> bool {
        let mut last = locked(&self.last);
        if request.since(last.sent) >= self.silence {
            last.counts_from = last.counts_from.max(request.steady + self.margin);
        }
        if request.steady > last.sent.steady {
            last.sent = request;
        }
        request.steady >= last.counts_from
    }
}

#[cfg(not(simulated))]
fn wall_clock() -> SystemTime {
    SystemTime::now()
}

#[derive(Debug)]
pub(crate) struct Lease {
    activity: Arc<Activity>,
    state: watch::Sender<LeaseState>,
}

#[derive(Clone, Copy, Debug)]
enum LeaseState {
    Unconfirmed,
    /// ZooKeeper has answered a request that was sent at this moment, and counts.
    Confirmed(Moment),
    /// The node or its session has ended, or its owner does not use it any more.
    Ended,
}

impl Lease {
    pub(super) fn new(activity: Arc<Activity>) -> Self {
        Self { activity, state: watch::Sender::new(LeaseState::Unconfirmed) }
    }

    /// Renews the lease by an answered request, if that counts and the lease has not ended.
    pub(super) fn renew(&self, sent: Moment) {
        let counts = self.activity.answered(sent);
        self.state.send_if_modified(|state| {
            let is_renewed = counts && !matches!(state, LeaseState::Ended);
            if is_renewed {
                *state = LeaseState::Confirmed(sent);
            }
            is_renewed
        });
    }

    pub(crate) fn end(&self) {
        self.state.send_replace(LeaseState::Ended);
    }

    /// Returns the time that is left, or `None` if the lease has lapsed.
    fn remaining(&self, now: Moment) -> Option<Duration> {
        self.remaining_of(*self.state.borrow(), now)
    }

    fn remaining_of(&self, state: LeaseState, now: Moment) -> Option<Duration> {
        let LeaseState::Confirmed(renewed) = state else { return None };
        let remaining = self.activity.length.checked_sub(now.since(renewed));
        remaining.filter(|remaining| !remaining.is_zero())
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.remaining(Moment::now()).is_some()
    }

    /// Waits until the lease lasts, or has ended.
    pub(crate) async fn confirmed(&self) {
        let is_settled = |state: &LeaseState| {
            matches!(state, LeaseState::Ended) || self.remaining_of(*state, Moment::now()).is_some()
        };
        let mut state = self.state.subscribe();
        let _ = state.wait_for(is_settled).await;
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

    fn lease(begun: Moment) -> Lease {
        Lease::new(Arc::new(Activity::new(SECOND * 30, begun)))
    }

    #[test]
    fn lapses_before_the_session_can_end() {
        let start = Moment::now();
        let lease = lease(start);
        assert_eq!(lease.remaining(start), None);
        lease.renew(start);
        assert_eq!(lease.remaining(later(start, 19, 19)), Some(SECOND));
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
        for seconds in [5, 10, 15] {
            lease.renew(later(start, seconds, seconds));
        }
        assert_eq!(lease.remaining(later(start, 20, 20)), Some(SECOND * 15));
        lease.end();
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
        lease.renew(later(start, 20, 20));
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
    }

    /// Covers a bug: the leader of an ensemble ended the session of a process that was suspended
    /// for nearly the whole session timeout, right after it had answered.
    #[test]
    fn is_renewed_after_a_silence_once_its_report_has_arrived() {
        let start = Moment::now();
        let lease = lease(start);
        lease.renew(start);
        let at = |seconds| later(start, seconds, seconds);
        for seconds in [29, 34, 38] {
            lease.renew(at(seconds));
            assert_eq!(lease.remaining(at(seconds)), None, "{seconds}");
        }
        lease.renew(at(39));
        assert_eq!(lease.remaining(at(39)), Some(SECOND * 20));
        // Another silence begins anew.
        for seconds in [60, 65, 69] {
            lease.renew(at(seconds));
            assert_eq!(lease.remaining(at(seconds)), None, "{seconds}");
        }
        lease.renew(at(70));
        assert_eq!(lease.remaining(at(70)), Some(SECOND * 20));
    }

    /// An oracle whose lease lapses stands for election again in the same session.
    #[test]
    fn a_new_one_does_not_begin_after_a_silence_of_its_session() {
        let start = Moment::now();
        let activity = Arc::new(Activity::new(SECOND * 30, start));
        for (silence, waits) in [(5, false), (11, true)] {
            let lease = Lease::new(activity.clone());
            let sent = later(start, silence, silence);
            lease.renew(sent);
            assert_eq!(lease.remaining(sent).is_none(), waits, "{silence}");
        }
        // The steady clock of a suspended machine stands still, and the report takes time on it.
        let lease = Lease::new(activity);
        for (steady, is_renewed) in [(12, false), (17, false), (21, false), (22, true)] {
            let sent = later(start, steady, steady + 60);
            lease.renew(sent);
            assert_eq!(lease.remaining(sent).is_some(), is_renewed, "{steady}");
        }
    }

    /// An answer that is noted late, after the wall clock was set back, does not end the wait.
    #[test]
    fn an_earlier_request_does_not_count_earlier() {
        let start = Moment::now();
        let lease = lease(start);
        lease.renew(later(start, 30, 30));
        lease.renew(later(start, 20, 60));
        for (seconds, is_renewed) in [(35, false), (39, false), (40, true)] {
            let sent = later(start, seconds, seconds);
            lease.renew(sent);
            assert_eq!(lease.remaining(sent).is_some(), is_renewed, "{seconds}");
        }
    }

    /// An oracle led a term without a lease, because its lease had lapsed while it stood by.
    #[tokio::test(start_paused = true)]
    async fn is_not_confirmed_while_it_has_lapsed() {
        let begun = Moment::now();
        let lease = lease(begun);
        lease.renew(begun);
        lease.confirmed().await;
        tokio::time::advance(SECOND * 21).await;
        let waiting = timeout(SECOND, lease.confirmed()).await;
        assert!(waiting.is_err());
        lease.end();
        lease.confirmed().await;
    }

    #[test]
    fn lapses_on_the_clock_that_shows_more_time() {
        let start = Moment::now();
        let lease = lease(start);
        lease.renew(start);
        assert_eq!(lease.remaining(later(start, 0, 60)), None, "suspended");
        assert_eq!(lease.remaining(later(start, 60, 0)), None, "set back");
        let set_back = Moment { wall: start.wall - SECOND * 60, ..later(start, 5, 0) };
        assert_eq!(lease.remaining(set_back), Some(SECOND * 15));
    }
}
