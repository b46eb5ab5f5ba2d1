//! Connections that wait for a call, and a bound on how many there are.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::{Connection, Failure};
use crate::settings::Settings;

/// At most `settings.connections` connections, each used by one call at a time.
#[derive(Debug)]
pub(crate) struct Pool {
    settings: Arc<Settings>,
    free: Arc<Semaphore>,
    idle: Mutex<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    connection: Connection,
    since: Instant,
}

/// The right to one of the connections of a pool. Dropped, it gives the right back; the connection only goes back
/// by [`Pool::give_back`].
#[derive(Debug)]
pub(crate) struct Lease {
    /// The connection.
    pub(crate) connection: Connection,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    /// The connection and the right to it, apart.
    pub(crate) fn split(self) -> (Connection, OwnedSemaphorePermit) {
        (self.connection, self._permit)
    }
}

impl Pool {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self {
            free: Arc::new(Semaphore::new(settings.connections.get())),
            idle: Mutex::new(Vec::new()),
            settings,
        }
    }

    /// A connection that is good as far as one can see from here: one that waited, or a new one. Waits while all are
    /// in use; the caller holds the limit for that.
    pub(crate) async fn take(&self) -> Result<Lease, Failure> {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        // The semaphore is never closed.
        let permit = permit.map_err(|closed| Failure::Unsent(io::Error::other(closed)))?;
        let connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.open().await.map_err(Failure::Unsent)?,
        };
        Ok(Lease {
            connection,
            _permit: permit,
        })
    }

    /// Keeps a good connection for the next call.
    pub(crate) fn give_back(&self, connection: Connection, permit: OwnedSemaphorePermit) {
        let since = Instant::now();
        self.lock().push(Idle { connection, since });
        // After the push: who gets the right next finds the connection.
        drop(permit);
    }

    /// Forgets the connections that wait: the proxy went away, so they lead nowhere.
    pub(crate) fn forget_idle(&self) {
        let forgotten = std::mem::take(&mut *self.lock());
        drop(forgotten);
    }

    /// The one that waited least, so that those that are too many grow old.
    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.lock();
        idle.retain(|waiting| waiting.since.elapsed() < self.settings.idle_timeout);
        while let Some(mut waiting) = idle.pop() {
            if waiting.connection.is_quiet() {
                return Some(waiting.connection);
            }
        }
        None
    }

    async fn open(&self) -> io::Result<Connection> {
        match timeout(
            self.settings.connect_timeout,
            Connection::open(&self.settings),
        )
        .await
        {
            Ok(opened) => opened,
            Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut)),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        // The list is whole at every step, so a panic elsewhere does no harm to it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
