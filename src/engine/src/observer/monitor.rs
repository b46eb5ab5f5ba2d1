//! The readiness of a worker: [`WorkerMonitor`].

use std::sync::{Arc, Weak};

use fluo_table::{Error, Result};

use crate::mutex::Mutex;
use crate::observer::queue::Queue;

/// A view of a worker that outlives it, from [`Worker::monitor`](crate::Worker::monitor): for the
/// readiness check of a process. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct WorkerMonitor {
    /// The queue of the worker, unless the worker has ended.
    queue: Weak<Queue>,
    readiness: Arc<Readiness>,
}

impl WorkerMonitor {
    pub(super) fn new(queue: &Arc<Queue>, readiness: &Arc<Readiness>) -> Self {
        Self { queue: Arc::downgrade(queue), readiness: readiness.clone() }
    }

    /// Checks that the worker has a share of the notifications, and that its last scan for them
    /// succeeded. This call asks no server.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while the worker has no share: it has just
    /// started, another worker joins or leaves, or it was stopped. The error of the last scan if
    /// that failed; the worker tries again.
    pub fn check(&self) -> Result<()> {
        match self.queue.upgrade().filter(|queue| !queue.is_closed()) {
            Some(_) => self.readiness.0.lock().clone(),
            None => Err(Error::unavailable("the worker was stopped")),
        }
    }
}

/// The readiness of a worker, as its scanner reports it.
#[derive(Debug)]
pub(super) struct Readiness(Mutex<Result<()>>);

impl Readiness {
    pub(super) fn starting() -> Self {
        let waits = "the worker has no share of the notifications yet";
        Self(Mutex::new(Err(Error::unavailable(waits))))
    }

    pub(super) fn set(&self, readiness: Result<()>) {
        *self.0.lock() = readiness;
    }
}
