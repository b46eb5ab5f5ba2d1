//! Servers behind the leader: they apply its changes after some time, and report their sessions.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::connections::disconnect;
use super::ensemble::{Committed, with};
use crate::world::process::{delay, dials, draw, state_of};

/// Number of pings within a session timeout.
const PINGS: u32 = 3;
/// The time between two reports of a server to the leader.
const REPORT: Duration = Duration::from_secs(1);
/// The share of reports before which a server is cut off from the leader.
const ISOLATIONS: f64 = 0.03;

/// Applies all changes of the leader at a server.
pub(super) async fn follow(server: usize, mut commits: mpsc::UnboundedReceiver<Committed>) {
    while let Some(committed) = commits.recv().await {
        sleep_until(committed.at + delay()).await;
        link(server).await;
        apply(server, committed);
    }
}

pub(super) fn apply(server: usize, Committed { number, tree, .. }: Committed) {
    with(|ensemble| {
        let at = &mut ensemble.servers[server];
        let applied = at.applied;
        if number <= applied {
            return;
        }
        at.tree = tree;
        let sessions = ensemble.sessions.iter().filter(|(_, session)| session.server == server);
        let sessions: Vec<_> = sessions.map(|(number, _)| *number).collect();
        for session in sessions {
            ensemble.announce(session, applied, number);
        }
        ensemble.servers[server].applied = number;
        ensemble.servers[server].applies.notify_waiters();
    });
}

/// Reports to the leader which sessions of a server are alive.
pub(super) async fn report(server: usize) {
    loop {
        sleep(REPORT).await;
        if draw(fastrand::Rng::f64) < ISOLATIONS {
            let until = Instant::now() + dials().max_lag.mul_f64(draw(fastrand::Rng::f64));
            with(|ensemble| ensemble.servers[server].isolated_until = until);
            sleep_until(until).await;
            if draw(fastrand::Rng::bool) {
                restart(server);
            }
        }
        with(|ensemble| {
            let sessions = ensemble.sessions.values_mut().filter(|session| session.is_connected());
            for session in sessions.filter(|session| session.server == server) {
                let state = state_of(session.process);
                let is_silent = state.is_dead || state.is_frozen || session.is_closed;
                let is_silent = is_silent || session.state.borrow().is_terminated();
                if !is_silent && session.touched.elapsed() >= session.timeout / PINGS {
                    session.touched = Instant::now();
                }
                session.reported = session.touched;
            }
        });
    }
}

/// Breaks the connections of a server, which does not report their last messages.
fn restart(server: usize) {
    let sessions = with(|ensemble| {
        let sessions = ensemble.sessions.iter_mut();
        let sessions = sessions.filter(|(_, session)| session.server == server);
        let lost = sessions.map(|(number, session)| {
            session.touched = session.reported;
            *number
        });
        lost.collect::<Vec<_>>()
    });
    sessions.into_iter().for_each(disconnect);
}

/// Waits while a server is cut off from the leader.
pub(super) async fn link(server: usize) {
    loop {
        let until = with(|ensemble| ensemble.servers[server].isolated_until);
        if until <= Instant::now() {
            return;
        }
        sleep_until(until).await;
    }
}

/// Waits until a server has applied everything that the leader has.
pub(super) async fn catch_up(server: usize) {
    link(server).await;
    let (applies, number) =
        with(|ensemble| (ensemble.servers[server].applies.clone(), ensemble.log.len()));
    while with(|ensemble| ensemble.servers[server].applied < number) {
        applies.notified().await;
    }
}
