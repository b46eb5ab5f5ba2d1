//! The handle of a worker, and the state that its tasks share.

use std::fmt;
use std::sync::{Arc, Weak};

use fluo_table::{Clock, Error, Result, SystemClock};
use tokio::task::{AbortHandle, JoinSet};

use crate::client::Client;
use crate::observer::membership::Membership;
use crate::observer::monitor::{Readiness, WorkerMonitor};
use crate::observer::options::{WorkerLimits, WorkerOptions};
use crate::observer::queue::Queue;

/// A worker of an application, which runs its observers until it is stopped or dropped.
/// [`Client::worker`] starts one.
#[must_use = "a worker that is dropped stops at once"]
pub struct Worker {
    state: Arc<WorkerState>,
    /// The tasks that a stop aborts.
    background: Vec<AbortHandle>,
    tasks: JoinSet<()>,
}

/// The state that the tasks of a worker share.
#[derive(Debug)]
pub(super) struct WorkerState {
    pub(super) client: Client,
    pub(super) limits: WorkerLimits,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) queue: Arc<Queue>,
    pub(super) readiness: Arc<Readiness>,
    /// Each task holds this state, so the place is released after the last one has ended: a worker
    /// that takes over the share must not meet notifications that still run here.
    pub(super) membership: Membership,
}

impl Client {
    /// Returns a worker that is not started yet, which runs the observers of the application.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use fluo_engine::{Column, Instance, InstanceExt};
    ///
    /// const TEXT: Column = Column::from_static("page", "text");
    /// const LENGTH: Column = Column::from_static("page", "length");
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// let fluo = Instance::in_memory();
    /// let web = fluo.application("web").observe(&TEXT, "measure", async |tx, page| {
    ///     let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
    ///     tx.set(page, &LENGTH, length.to_string())
    /// });
    /// let client = web.open_or_create().await?;
    /// // Old versions stay in the table until a worker collects them.
    /// let worker = client.worker().tasks(4).collect_garbage(Arc::new(fluo)).start().await?;
    ///
    /// client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await?;
    /// client.wait_until_idle().await?;
    /// let length = client.snapshot().await?.get("org.wikipedia", &LENGTH).await?;
    /// assert_eq!(length.as_deref(), Some(&b"15"[..]));
    /// worker.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn worker(&self) -> WorkerOptions {
        WorkerOptions {
            client: self.clone(),
            limits: WorkerLimits::default(),
            collected: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl WorkerOptions {
    /// Starts the worker.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if an option is out of its bounds, or the observers
    /// that the program declares [are not exactly](crate::Observers::check) those of the
    /// application. The errors of the coordination.
    pub async fn start(self) -> Result<Worker> {
        let Self { client, limits, collected, clock } = self;
        limits.check()?;
        let coordination = &client.shared.coordination;
        client.observers.check(&coordination.application().await?)?;
        let membership = Membership::join(coordination.clone()).await?;
        let queue = Arc::new(Queue::new(limits.clone()));
        let listener: Weak<Queue> = Arc::downgrade(&queue);
        client.shared.listeners.add(listener);
        let readiness = Arc::new(Readiness::starting());
        let state = Arc::new(WorkerState { client, limits, clock, queue, readiness, membership });
        let mut tasks = JoinSet::new();
        for _ in 0..state.limits.tasks {
            tasks.spawn(state.clone().run_observers());
        }
        let mut background = vec![tasks.spawn(state.clone().scan_repeatedly())];
        if let Some(tables) = collected {
            background.push(tasks.spawn(state.clone().collect_repeatedly(tables)));
        }
        Ok(Worker { state, background, tasks })
    }
}

impl Worker {
    /// Returns a view of this worker for readiness checks.
    pub fn monitor(&self) -> WorkerMonitor {
        WorkerMonitor::new(&self.state.queue, &self.state.readiness)
    }

    /// Waits until a task of the worker ends although the worker is not stopped, which is a bug of
    /// this library. A process should end then, and be started again.
    pub async fn wait_for_failure(&mut self) -> Error {
        let ended = self.tasks.join_next().await.and_then(Result::err);
        let ended = ended.map_or("it has returned".to_owned(), |error| error.to_string());
        Error::unavailable(format!("a task of the worker has ended: {ended}"))
    }

    /// Stops the worker. Running observers finish and are rolled forward; all other notifications
    /// stay in the table.
    pub async fn stop(mut self) {
        self.state.queue.close();
        self.background.iter().for_each(AbortHandle::abort);
        let last_runs = async { while self.tasks.join_next().await.is_some() {} };
        tokio::select! {
            () = last_runs => {}
            () = self.state.membership.keep_handing_over(self.state.limits.min_scan_pause) => {}
        }
        let client = self.state.client.clone();
        // Others take over its share during the wait.
        drop(self.state);
        client.wait_until_rolled_forward().await;
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("queue", &self.state.queue).finish_non_exhaustive()
    }
}
