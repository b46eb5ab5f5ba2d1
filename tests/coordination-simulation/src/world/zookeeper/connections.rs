//! Connections that break, and clients that connect again.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use zookeeper_client::SessionState;

use super::ensemble::{SERVERS, with};
use super::session::{Connection, ServedSession};
use crate::world::process::{draw, pass, state_of};

/// The time between two looks at a connection.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Breaks the connection of a session, until its client has connected to a server again.
pub(super) fn disconnect(session: i64) {
    let breaks = |connection: &mut Connection| {
        connection.number += u64::from(connection.is_up);
        std::mem::replace(&mut connection.is_up, false)
    };
    let has_broken = with(|ensemble| {
        let served = ensemble.session(session);
        let is_over = served.is_closed || served.state.borrow().is_terminated();
        let has_broken = !is_over && served.connection.send_if_modified(breaks);
        if has_broken {
            served.show(SessionState::Disconnected);
        }
        has_broken
    });
    if has_broken {
        real_tokio::spawn(connect_again(session));
    }
}

/// Connects a session to a server that has applied as much as its last one.
async fn connect_again(session: i64) {
    let (process, timeout) = with(|ensemble| {
        let session = ensemble.session(session);
        (session.process, session.timeout)
    });
    let broken = Instant::now();
    while pass(process).await.is_ok() {
        sleep(LOOK).await;
        let server = draw(|random| random.usize(..SERVERS));
        let state = state_of(process);
        let is_done = with(|ensemble| {
            let to = &ensemble.servers[server];
            let (applied, is_isolated) = (to.applied, to.isolated_until > Instant::now());
            let seen = ensemble.server_of(session).applied;
            let served = ensemble.session(session);
            let is_behind = applied < seen.max(served.ended.unwrap_or_default());
            if served.is_closed {
                return true;
            }
            let is_expired = broken.elapsed() >= timeout * 7 / 5;
            if state.is_frozen || !is_expired && (state.is_cut || is_isolated || is_behind) {
                return false;
            }
            if is_expired {
                served.show(SessionState::Expired);
                served.watches.clear();
            } else {
                served.server = server;
                // The server asks the leader whether the session continues.
                served.touched = Instant::now();
                served.reported = served.touched;
                served.show(SessionState::SyncConnected);
                ensemble.announce(session, seen, applied);
            }
            let served = ensemble.session(session);
            served.connection.send_modify(|connection| connection.is_up = true);
            true
        });
        if is_done {
            return;
        }
    }
}

pub(super) fn sessions_of(process: u32) -> Vec<i64> {
    let of_it =
        |(number, session): (&i64, &ServedSession)| (session.process == process).then_some(*number);
    with(|ensemble| ensemble.sessions.iter().filter_map(of_it).collect())
}
