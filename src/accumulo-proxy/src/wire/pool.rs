//! Connections that wait for a call, and a bound on how many there are.
//!
//! # Long calls leave one to the others
//! A compaction or a merge keeps its connection for minutes. Where there are several connections, such calls never have
//! all of them: one is left to the calls that only ask or write.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::{Connection, Failure, Patience};
use crate::settings::Settings;

/// A connection that waited longer may have been closed without this program having looked.
const RESTED: Duration = Duration::from_secs(1);

/// At most `settings.connections` connections, each used by one call at a time.
#[derive(Debug)]
pub(crate) struct Pool {
    settings: Arc<Settings>,
    free: Arc<Semaphore>,
    /// For calls of [`Patience::Wait`], which take one of these first.
    long: Arc<Semaphore>,
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
    permit: Permit,
}

/// The right to a connection of a pool.
#[derive(Debug)]
pub(crate) struct Permit {
    _free: OwnedSemaphorePermit,
    _long: Option<OwnedSemaphorePermit>,
}

impl Lease {
    /// The connection and the right to it, apart.
    pub(crate) fn split(self) -> (Connection, Permit) {
        (self.connection, self.permit)
    }
}

impl Pool {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        let connections = settings.connections.get();
        let long = connections.saturating_sub(1).max(1);
        Self {
            free: Arc::new(Semaphore::new(connections)),
            long: Arc::new(Semaphore::new(long)),
            idle: Mutex::new(Vec::new()),
            settings,
        }
    }

    /// A connection that is good as far as one can see from here: one that waited, or a new one. Waits while all are
    /// in use; the caller holds the limit for that.
    pub(crate) async fn take(&self, patience: Patience) -> Result<Lease, Failure> {
        let permit = self.permit(patience).await?;
        let connection = match self.take_idle().await {
            Some(connection) => connection,
            None => self.open().await.map_err(Failure::Unsent)?,
        };
        Ok(Lease { connection, permit })
    }

    /// Keeps a good connection for the next call.
    pub(crate) fn give_back(&self, connection: Connection, permit: Permit) {
        let since = Instant::now();
        let mut idle = self.lock();
        self.prune(&mut idle);
        idle.push(Idle { connection, since });
        drop(idle);
        // After the push: who gets the right next finds the connection.
        drop(permit);
    }

    /// Forgets the connections that wait: the proxy went away, so they lead nowhere.
    pub(crate) fn forget_idle(&self) {
        let forgotten = std::mem::take(&mut *self.lock());
        drop(forgotten);
    }

    async fn permit(&self, patience: Patience) -> Result<Permit, Failure> {
        // First this one: a long call that waits must not keep a connection from the others.
        let long = match patience {
            Patience::Call => None,
            Patience::Wait => Some(acquire(&self.long).await?),
        };
        Ok(Permit {
            _free: acquire(&self.free).await?,
            _long: long,
        })
    }

    async fn take_idle(&self) -> Option<Connection> {
        let mut has_yielded = false;
        while let Some(mut waiting) = self.pop_idle() {
            // That a server closed it is known here once the runtime has looked, which it does between two tasks: after
            // a task that blocked for long, it has not.
            if !has_yielded && waiting.since.elapsed() > RESTED {
                yield_now().await;
                has_yielded = true;
            }
            if waiting.connection.is_quiet() {
                return Some(waiting.connection);
            }
        }
        None
    }

    /// The one that waited least, so that those that are too many grow old.
    fn pop_idle(&self) -> Option<Idle> {
        let mut idle = self.lock();
        self.prune(&mut idle);
        idle.pop()
    }

    /// Closes those that waited for too long.
    fn prune(&self, idle: &mut Vec<Idle>) {
        idle.retain(|waiting| waiting.since.elapsed() < self.settings.idle_timeout);
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

async fn acquire(semaphore: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
    let permit = Arc::clone(semaphore).acquire_owned().await;
    // The semaphores are never closed.
    permit.map_err(|closed| Failure::Unsent(io::Error::other(closed)))
}
