//! Idle connections, and a limit on the number of connections. A compaction or a merge uses its
//! connection for minutes. If there are several connections, such calls never use all of them: one
//! is left for the calls that only read or write.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::health::Health;
use super::{Connection, Failure, Patience};
use crate::options::ProxyOptions;

/// Idle time after which the server may have closed a connection without this program having
/// noticed.
const RESTED: Duration = Duration::from_secs(1);

/// A pool of at most `options.connections` connections to a proxy, each used by one call at a time.
pub(crate) struct Pool {
    /// The options, with the address of this proxy alone.
    pub(crate) options: Arc<ProxyOptions>,
    free: Arc<Semaphore>,
    /// Permits for calls of [`Patience::Wait`], which acquire one of these first.
    long: Arc<Semaphore>,
    idle: Mutex<Vec<Idle>>,
    health: Mutex<Health>,
    /// Number of calls that wait for a connection.
    waiting: AtomicUsize,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

/// The permit to use a connection of a pool. Dropping it releases the permit, but only
/// [`Pool::give_back`] returns the connection to the pool.
pub(crate) struct Permit {
    _free: OwnedSemaphorePermit,
    _long: Option<OwnedSemaphorePermit>,
}

impl Pool {
    pub(super) fn new(options: ProxyOptions) -> Self {
        let connections = options.connections.get();
        let long = connections.saturating_sub(1).max(1);
        Self {
            free: Arc::new(Semaphore::new(connections)),
            long: Arc::new(Semaphore::new(long)),
            idle: Mutex::new(Vec::new()),
            health: Mutex::new(Health::new(options.first_pause)),
            waiting: AtomicUsize::new(0),
            options: Arc::new(options),
        }
    }

    /// Takes an idle connection that appears to be good, or opens a new one. Waits while all are in
    /// use; the caller enforces the time limit. A call that `may_move` fails after the wait if the
    /// proxy has failed meanwhile.
    pub(crate) async fn take(
        &self,
        patience: Patience,
        may_move: bool,
    ) -> Result<(Connection, Permit), Failure> {
        let failures = self.health().failures();
        let waiting = Waiting::new(&self.waiting);
        // Acquired first: a waiting long call must not occupy a connection that other calls can
        // use.
        let long = match patience {
            Patience::Call => None,
            Patience::Wait => Some(acquire(&self.long).await),
        };
        let permit = Permit { _free: acquire(&self.free).await, _long: long };
        drop(waiting);
        if may_move && self.health().failures() > failures {
            return Err(Failure::Unsent(io::Error::other("the proxy does not answer other calls")));
        }
        let connection = match self.take_idle().await {
            Some(connection) => connection,
            None => {
                let opening = Connection::open(&self.options);
                let opened = timeout(self.options.connect_timeout, opening).await;
                let opened = opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
                opened.map_err(Failure::Unsent)?
            }
        };
        Ok((connection, permit))
    }

    pub(crate) fn give_back(&self, connection: Connection, permit: Permit) {
        let since = Instant::now();
        let mut idle = self.lock();
        self.prune(&mut idle);
        idle.push(Idle { connection, since });
        drop(idle);
        // Released after the push, so that the next caller finds the connection.
        drop(permit);
    }

    /// Returns the number of calls in progress, with those that wait for a connection.
    pub(super) fn calls(&self) -> usize {
        let used = self.options.connections.get().saturating_sub(self.free.available_permits());
        used.saturating_add(self.waiting.load(Ordering::Relaxed))
    }

    /// Records whether the proxy has answered a call. Returns `true` if it did not fail before and
    /// fails now, or the other way round.
    pub(super) fn record(&self, has_answered: bool) -> bool {
        match has_answered {
            true => self.health().answered(),
            false => self.health().failed(),
        }
    }

    pub(super) fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the idle connections. After the proxy has stopped they are unusable.
    pub(crate) fn forget_idle(&self) {
        self.lock().clear();
    }

    async fn take_idle(&self) -> Option<Connection> {
        let mut has_yielded = false;
        while let Some(mut waiting) = self.pop_idle() {
            // The runtime detects a close by the server between two tasks, so after a task that
            // blocked for long it has not detected it yet.
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

    /// Returns the connection with the shortest idle time, so that surplus connections expire.
    fn pop_idle(&self) -> Option<Idle> {
        let mut idle = self.lock();
        self.prune(&mut idle);
        idle.pop()
    }

    fn prune(&self, idle: &mut Vec<Idle>) {
        idle.retain(|waiting| waiting.since.elapsed() < self.options.idle_timeout);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        // Each step leaves the list consistent, so a panic elsewhere does no harm.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that waits for a connection, until this is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn acquire(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(semaphore).acquire_owned().await.expect("the semaphores are never closed")
}
