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
//! After a silence of the session, such as that of a suspended machine, that third may be over when
//! a request is answered: the leader ends the session if the report arrives after the timeout. So
//! requests count again from a third of the timeout after the first one. If ZooKeeper still answers
//! then, that report arrived in time. After a new connection they count at once, because a member
//! asks the leader before it accepts a session.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::locked::locked;
#[cfg(simulated)]
use crate::world::wall_clock;

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
        Self { steady: Instant::now(), wall: wall_clock() }
    }

    /// Returns the time since an earlier moment, on the clock that shows more of it.
    fn since(self, earlier: Self) -> Duration {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        steady.max(self.wall.duration_since(earlier.wall).unwrap_or_default())
    }
}

/// The requests of a session, for all its leases.
#[derive(Debug)]
pub(super) struct Contact {
    /// The length of a lease, and the rest of the session timeout.
    length: Duration,
    rest: Duration,
    sent: Mutex<Sent>,
}

#[derive(Debug)]
struct Sent {
    /// The last request that was answered, or whose connection broke.
    last: Moment,
    /// Requests that were sent earlier do not count, although they are answered.
    counts_from: Instant,
}

impl Contact {
    /// Creates the contact of a session that was requested at a moment.
    pub(super) fn new(session_timeout: Duration, requested: Moment) -> Self {
        let (part, of) = PART;
        let length = session_timeout * part / of;
        let sent = Mutex::new(Sent { last: requested, counts_from: requested.steady });
        Self { length, rest: session_timeout - length, sent }
    }

    /// Notes an answered request. Returns whether a lease lasts from it.
    fn answered(&self, request: Moment) -> bool {
        let mut sent = locked(&self.sent);
        if request.since(sent.last) >= self.length {
            sent.counts_from = request.steady + self.rest;
        }
        if request.steady > sent.last.steady {
            sent.last = request;
        }
        request.steady >= sent.counts_from
    }

    /// Notes a request whose connection broke. A later one that is answered has another connection,
    /// before which the leader heard of the session.
    fn broken(&self, request: Moment) {
        let mut sent = locked(&self.sent);
        if request.steady > sent.last.steady {
            // The answer to one that was sent before it may be noted later.
            let counts_from = request.steady + Duration::from_nanos(1);
            *sent = Sent { last: request, counts_from };
        }
    }
}

#[cfg(not(simulated))]
fn wall_clock() -> SystemTime {
    SystemTime::now()
}

#[derive(Debug)]
pub(crate) struct Lease {
    contact: Arc<Contact>,
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
    pub(super) fn new(contact: Arc<Contact>) -> Self {
        Self { contact, state: watch::Sender::new(LeaseState::Unconfirmed) }
    }

    /// Renews the lease by an answered request, if that counts and the lease has not ended.
    pub(super) fn renew(&self, sent: Moment) {
        let counts = self.contact.answered(sent);
        self.state.send_if_modified(|state| {
            let is_renewed = counts && !matches!(state, LeaseState::Ended);
            if is_renewed {
                *state = LeaseState::Confirmed(sent);
            }
            is_renewed
        });
    }

    /// Notes that the connection of a request broke.
    pub(super) fn interrupt(&self, sent: Moment) {
        self.contact.broken(sent);
    }

    pub(crate) fn end(&self) {
        self.state.send_replace(LeaseState::Ended);
    }

    /// Returns the time that is left, or `None` if the lease has lapsed.
    fn remaining(&self, now: Moment) -> Option<Duration> {
        let LeaseState::Confirmed(renewed) = *self.state.borrow() else {
            return None;
        };
        let remaining = self.contact.length.checked_sub(now.since(renewed));
        remaining.filter(|remaining| !remaining.is_zero())
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.remaining(Moment::now()).is_some()
    }

    /// Waits until the lease lasts for the first time, or has ended.
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

    fn lease(begun: Moment) -> Lease {
        Lease::new(Arc::new(Contact::new(SECOND * 30, begun)))
    }

    #[test]
    fn lapses_before_the_session_can_end() {
        let start = Moment::now();
        let lease = lease(start);
        assert_eq!(lease.remaining(start), None);
        lease.renew(start);
        assert_eq!(lease.remaining(later(start, 19, 19)), Some(SECOND));
        assert_eq!(lease.remaining(later(start, 20, 20)), None);
        lease.renew(later(start, 15, 15));
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
        for seconds in [29, 30, 38] {
            lease.renew(at(seconds));
            assert_eq!(lease.remaining(at(seconds)), None, "{seconds}");
        }
        lease.renew(at(39));
        assert_eq!(lease.remaining(at(39)), Some(SECOND * 20));
        // Another silence begins anew.
        for seconds in [60, 69, 89, 98] {
            lease.renew(at(seconds));
            assert_eq!(lease.remaining(at(seconds)), None, "{seconds}");
        }
        lease.renew(at(99));
        assert_eq!(lease.remaining(at(99)), Some(SECOND * 20));
    }

    /// An oracle whose lease lapses stands for election again in the same session.
    #[test]
    fn a_new_one_does_not_begin_after_a_silence_of_its_session() {
        let start = Moment::now();
        let contact = Arc::new(Contact::new(SECOND * 30, start));
        for (silence, waits) in [(19, false), (39, true)] {
            let lease = Lease::new(contact.clone());
            let sent = later(start, silence, silence);
            lease.renew(sent);
            assert_eq!(lease.remaining(sent).is_none(), waits, "{silence}");
        }
        // The steady clock of a suspended machine stands still, and the report takes time on it.
        let lease = Lease::new(contact);
        for (steady, is_renewed) in [(40, false), (49, false), (50, true)] {
            let sent = later(start, steady, steady + 60);
            lease.renew(sent);
            assert_eq!(lease.remaining(sent).is_some(), is_renewed, "{steady}");
        }
    }

    #[test]
    fn is_renewed_at_once_after_another_connection() {
        let start = Moment::now();
        let (lease, other) = (lease(start), lease(start));
        let at = |millis| {
            let base = later(start, 25, 25);
            let time = Duration::from_millis(millis);
            Moment { steady: base.steady + time, wall: base.wall + time }
        };
        lease.interrupt(at(0));
        // An answer of the connection that broke, and one of the next.
        lease.renew(at(0));
        assert_eq!(lease.remaining(at(0)), None);
        lease.renew(at(1));
        assert_eq!(lease.remaining(at(1)), Some(SECOND * 20));
        // The break of an earlier connection is noticed late.
        other.renew(at(0));
        other.interrupt(start);
        other.renew(at(1));
        assert_eq!(other.remaining(at(1)), None);
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
