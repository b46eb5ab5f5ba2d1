//! The handle of a worker.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use fluo_table::{Clock, Result, SystemClock, TableAdmin};
use tokio::task::{AbortHandle, JoinSet};

use crate::client::Client;
use crate::observer::WorkerOptions;
use crate::observer::collector::Collector;
use crate::observer::membership::Membership;
use crate::observer::process::Processor;
use crate::observer::queue::Queue;
use crate::observer::scanner::Scanner;

/// A worker of an application, which runs its observers until it is stopped or dropped.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use fluo_engine::{Column, Instance, InstanceExt, WorkerOptions};
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
/// let worker = client.start_worker(WorkerOptions::new()).await?;
/// // Old versions stay in the table until a worker collects them.
/// let worker = worker.collecting_garbage(Arc::new(fluo));
///
/// client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await?;
/// client.wait_until_idle().await?;
/// let length = client.snapshot().await?.get("org.wikipedia", &LENGTH).await?;
/// assert_eq!(length.as_deref(), Some(&b"15"[..]));
/// worker.stop().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "a worker that is dropped stops at once"]
pub struct Worker {
    client: Client,
    queue: Arc<Queue>,
    garbage_period: Duration,
    /// The tasks that a stop aborts.
    background: Vec<AbortHandle>,
    tasks: JoinSet<()>,
    /// Dropped last: a worker that takes over the share must not meet notifications that still run
    /// here.
    membership: Arc<Membership>,
}

impl Client {
    /// Starts a worker, which runs the observers of the application.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if an option is out of its bounds, or the observers
    /// that the program declares [are not exactly](crate::Observers::check) those of the
    /// application. The errors of the coordination.
    pub async fn start_worker(&self, options: WorkerOptions) -> Result<Worker> {
        let clock = Arc::new(SystemClock);
        self.start_worker_with_clock(options, clock).await
    }

    /// Starts a worker like [`start_worker`](Self::start_worker), with a clock for the times of
    /// dead letters.
    ///
    /// # Errors
    ///
    /// The same as [`start_worker`](Self::start_worker).
    pub async fn start_worker_with_clock(
        &self,
        options: WorkerOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Worker> {
        Worker::start(self, options, clock).await
    }
}

impl Worker {
    /// Starts a worker of a client, with a clock for the times of dead letters.
    async fn start(client: &Client, options: WorkerOptions, clock: Arc<dyn Clock>) -> Result<Self> {
        options.check()?;
        let coordination = &client.shared.coordination;
        let observers = client.observers.clone();
        observers.check(&coordination.application().await?)?;
        let garbage_period = options.garbage_period;
        let membership = Arc::new(Membership::join(coordination.clone()).await?);
        let queue = Arc::new(Queue::new(options.clone()));
        let listener: Weak<Queue> = Arc::downgrade(&queue);
        client.shared.listeners.add(listener);
        let mut tasks = JoinSet::new();
        let processor = Arc::new(Processor {
            client: client.clone(),
            queue: queue.clone(),
            observers,
            options: options.clone(),
            clock,
        });
        for _ in 0..options.tasks {
            tasks.spawn(processor.clone().run());
        }
        let scanner = Scanner {
            client: client.clone(),
            queue: queue.clone(),
            membership: membership.clone(),
            options,
        };
        let background = vec![tasks.spawn(scanner.run())];
        Ok(Self { client: client.clone(), queue, garbage_period, background, tasks, membership })
    }

    /// Collects the garbage of the application's table as well, once in every
    /// [`garbage_period`](WorkerOptions::garbage_period). The first collection begins a tenth of
    /// the period after this call.
    ///
    /// Otherwise garbage stays until the program calls [`Client::collect_garbage`]. The workers of
    /// all processes share the work: one collects, and together they collect about once in a
    /// period. If its process ends, another one takes over within a minute. A failure is logged,
    /// counted in [`fluo_garbage_collections_total`](crate::telemetry), and retried. Observers
    /// continue to run.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fluo_engine::{Instance, InstanceExt, WorkerOptions};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_engine::Result<()> {
    /// # let fluo = Instance::in_memory();
    /// # let client = fluo.application("web").create().await?;
    /// let worker = client.start_worker(WorkerOptions::new()).await?;
    /// let worker = worker.collecting_garbage(Arc::new(fluo));
    /// # worker.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn collecting_garbage(mut self, tables: Arc<dyn TableAdmin>) -> Self {
        let collector =
            Collector { client: self.client.clone(), tables, period: self.garbage_period };
        self.background.push(self.tasks.spawn(collector.run()));
        self
    }

    /// Stops the worker. Running observers finish and are rolled forward; all other notifications
    /// stay in the table.
    pub async fn stop(mut self) {
        self.queue.close();
        self.background.iter().for_each(AbortHandle::abort);
        while self.tasks.join_next().await.is_some() {}
        self.client.wait_until_rolled_forward().await;
        drop(self.membership);
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("queue", &self.queue).finish_non_exhaustive()
    }
}
