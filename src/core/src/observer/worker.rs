//! The handle of a worker.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};

use crate::client::Client;
use crate::clock::{Clock, SystemClock};
use crate::error::Result;
use crate::observer::collector::Collector;
use crate::observer::membership::Membership;
use crate::observer::process::Processor;
use crate::observer::queue::Queue;
use crate::observer::scanner::Scanner;
use crate::observer::{Observers, WorkerSettings};
use crate::table::TableAdmin;

/// Runs the observers of an application, as one of its workers, until it is stopped or dropped.
///
/// ```
/// # use std::sync::Arc;
/// # use fluo_core::coordination::{Application, Applications, MemoryApplications};
/// # use fluo_core::{Authorizations, Client, ClientSettings, MemoryTables, TableAdmin, Versions};
/// use fluo_core::{Bytes, Column, Observers, Transaction, Worker, WorkerSettings, observer_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
/// let text = Column::new("page", "text");
/// let measure = observer_fn(async |tx: Transaction, row: Bytes, text: Column| {
///     let length = tx.get(row.clone(), &text).await?.map_or(0, |text| text.len());
///     tx.set(row, &Column::new("page", "length"), length.to_string())
/// });
/// let observers = Observers::new().strong(text.clone(), "measure", measure)?;
/// # let tables = MemoryTables::new();
/// # tables.create_table("web", Versions::All).await?;
/// # let table = tables.open_table("web", Authorizations::none()).await?;
/// # let tables = Arc::new(tables);
/// # let applications = MemoryApplications::new();
/// # let application = Application { observers: observers.observed_columns(), ..Application::new("8d2fa41c", "web") };
/// # applications.initialize("web", application).await?;
/// # let client = Client::open(table, applications.open("web").await?, ClientSettings::default()).await?;
/// let worker = Worker::start(&client, observers, WorkerSettings::default()).await?;
/// // Old versions stay in the table until some worker collects them.
/// let worker = worker.collecting_garbage(tables);
///
/// client.run(async |tx| tx.set("org.wikipedia", &text, "an encyclopedia")).await?;
/// client.wait_until_idle().await?;
/// let length = client.snapshot().await?.get("org.wikipedia", &Column::new("page", "length")).await?;
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
    /// The last to go: whoever takes over its part must not meet what it still runs.
    membership: Arc<Membership>,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): a setting is out of its bounds, or the observers are not
    /// [those](Observers::check) that the application was initialised with. Whatever the coordination fails with.
    pub async fn start(
        client: &Client,
        observers: Observers,
        settings: WorkerSettings,
    ) -> Result<Self> {
        Self::start_with_clock(client, observers, settings, Arc::new(SystemClock)).await
    }

    /// As [`start`](Self::start), with a clock that says when a notification failed that is set aside.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_with_clock(
        client: &Client,
        observers: Observers,
        settings: WorkerSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        settings.check()?;
        let coordination = &client.shared.coordination;
        observers.check(&coordination.application().await?)?;
        let garbage_period = settings.garbage_period;
        let membership = Arc::new(Membership::join(coordination.clone()).await?);
        let queue = Arc::new(Queue::new(settings.clone()));
        client.shared.listeners.add(Arc::downgrade(&queue));
        let mut tasks = JoinSet::new();
        let processor = Arc::new(Processor {
            client: client.clone(),
            queue: queue.clone(),
            observers,
            settings: settings.clone(),
            clock,
        });
        for _ in 0..settings.tasks {
            tasks.spawn(processor.clone().run());
        }
        let scanner = Scanner {
            client: client.clone(),
            queue: queue.clone(),
            membership: membership.clone(),
            settings,
        };
        let background = vec![tasks.spawn(scanner.run())];
        Ok(Self {
            client: client.clone(),
            queue,
            garbage_period,
            background,
            tasks,
            membership,
        })
    }

    /// Collects the garbage of the application's table as well, once in every
    /// [`garbage_period`](WorkerSettings::garbage_period); the first time a tenth of it after this call.
    ///
    /// Without it garbage stays until the program calls [`Client::collect_garbage`]. The workers of one client, its clones
    /// included, collect in turn: one at a time, and together once in a period. A failure is logged, counted in
    /// [`fluo_garbage_collections_total`](crate::telemetry), and tried again; observers run on.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fluo_core::{Instance, Observers, Worker, WorkerSettings};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_core::Result<()> {
    /// # let fluo = Instance::in_memory();
    /// # let client = fluo.application("web").create().await?;
    /// let worker = Worker::start(&client, Observers::new(), WorkerSettings::default()).await?;
    /// let worker = worker.collecting_garbage(Arc::new(fluo));
    /// # worker.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn collecting_garbage(mut self, tables: Arc<dyn TableAdmin>) -> Self {
        let collector = Collector {
            client: self.client.clone(),
            tables,
            period: self.garbage_period,
        };
        self.background.push(self.tasks.spawn(collector.run()));
        self
    }

    /// Stops: what is run is finished, and everything else stays in the table.
    pub async fn stop(mut self) {
        self.queue.close();
        self.background.iter().for_each(AbortHandle::abort);
        while self.tasks.join_next().await.is_some() {}
        drop(self.membership);
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
