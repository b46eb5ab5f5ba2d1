//! Sessions, which end when their clients are silent for too long.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::watches::ConnectionId;

/// The bounds of the timeout of a session.
const BOUNDS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(120));

/// A session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) timeout: Duration,
    pub(crate) heard: Instant,
    pub(crate) connection: ConnectionId,
    /// The link of its last connection.
    pub(crate) link: usize,
}

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: BTreeMap<i64, Session>,
    last: i64,
}

impl Sessions {
    /// Begins a session, and returns its number.
    pub(crate) fn begin(&mut self, timeout: Duration, link: usize, by: ConnectionId) -> i64 {
        self.last += 1;
        let session = Session {
            timeout: timeout.clamp(BOUNDS.0, BOUNDS.1),
            heard: Instant::now(),
            connection: by,
            link,
        };
        self.sessions.insert(self.last, session);
        self.last
    }

    pub(crate) fn get_mut(&mut self, number: i64) -> Option<&mut Session> {
        self.sessions.get_mut(&number)
    }

    pub(crate) fn end(&mut self, number: i64) -> Option<Session> {
        self.sessions.remove(&number)
    }

    /// Returns the sessions that have a property.
    pub(crate) fn which(&self, has: impl Fn(&Session) -> bool) -> Vec<i64> {
        let sessions = self.sessions.iter().filter(|(_, session)| has(session));
        sessions.map(|(number, _)| *number).collect()
    }
}

impl Session {
    pub(crate) fn is_over(&self) -> bool {
        self.heard.elapsed() >= self.timeout
    }
}
