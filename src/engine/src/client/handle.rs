//! The handle of an open application: [`Client`].

use std::sync::{Arc, Weak};
use std::time::Duration;

use fluo_table::coordination::{Application, Coordination, TransactorId};
use fluo_table::{Error, Result, Table, Timestamp};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tracing::debug;

use crate::client::Runner;
use crate::context::{
    ActiveTimestamps, Background, ClientOptions, CommitListeners, Liveness, PointReads, Shared,
    Turns,
};
use crate::mutex::Mutex;
use crate::observer::Observers;
use crate::transaction::{OwnedTransaction, Snapshot, Transaction};

/// A client of an application. A clone shares everything with it.
///
/// While one of its clones, snapshots or transactions exists, the client is one live transactor:
/// other clients wait for the locks of its transactions, and garbage that its snapshots can read is
/// not collected. If its session ends earlier, for example after a pause of the whole process, the
/// client begins a new session by itself. Other clients may roll back the transactions of the ended
/// session; a runner gets a conflict then, and retries.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    /// Shared, because each run clones its client.
    pub(crate) observers: Arc<Observers>,
}

impl Client {
    /// Opens a client from a table and a coordination, for tables behind wrappers and for other
    /// authorizations.
    ///
    /// The table must be the one that the application was created with: the table of another
    /// application has its own locks and timestamps. A [`Table`] has no name, so this function does
    /// not check it; the [handle](crate::ApplicationHandle::open) of an application does.
    ///
    /// All clients of an application should have the same authorizations: all labels that its
    /// transactions write. A client that cannot see the primary of a transaction waits while the
    /// owner of the transaction is alive. If the owner has crashed, only clients that see the
    /// primary can read the locked cells. The primary is a cell without a visibility, if the
    /// transaction writes one.
    ///
    /// Tasks of the client run on the runtime of the caller that needs them first: those that
    /// gather reads and writes, and those that finish commits. Keep running a runtime on which you
    /// used a client, or shut it down. Calls from other runtimes wait for one that is kept but not
    /// run.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if an option is out of its bounds;
    /// [`NotFound`](crate::ErrorKind::NotFound) if the application was removed; and the errors of
    /// the coordination.
    pub async fn open(
        table: Arc<dyn Table>,
        coordination: Arc<dyn Coordination>,
        options: ClientOptions,
    ) -> Result<Self> {
        options.check()?;
        let application = coordination.application().await?;
        let observed = application.observers.iter();
        let observed = observed.map(|one| (one.column.clone(), one.kind)).collect();
        let transactor = coordination.begin_transactor().await?;
        let active = Arc::new(ActiveTimestamps::new(coordination.clone(), transactor));
        let point_reads = Arc::new(PointReads::new(table.clone(), coordination.clone()));
        let shared = Arc::new(Shared {
            liveness: Liveness::new(coordination.clone()),
            table,
            coordination,
            active,
            point_reads,
            background: Background::default(),
            commits: Arc::new(Semaphore::new(options.max_commits_in_flight)),
            commit_bytes: Arc::new(Semaphore::new(options.max_commit_bytes_in_flight)),
            options,
            application,
            sightings: Mutex::default(),
            turns: Turns::default(),
            observed,
            listeners: CommitListeners::default(),
        });
        tokio::spawn(keep_horizon(Arc::downgrade(&shared), shared.options.horizon_period));
        Ok(Self { shared, observers: Arc::default() })
    }

    /// Sets the observers that a [worker](Self::worker) of this client runs, for a client
    /// from the two ports. A client of an application handle has those of the handle.
    #[must_use]
    pub fn with_observers(self, observers: Observers) -> Self {
        Self { observers: Arc::new(observers), ..self }
    }

    /// Runs a body as a transaction until it commits, and returns its result. The same as
    /// [`Runner::run`] with the default policy.
    ///
    /// # Errors
    ///
    /// Those of [`Runner::run`].
    pub async fn run<T, E, F>(&self, body: impl Fn(Transaction) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.runner().run(body).await
    }

    /// Returns a runner with the default policy, to change it and to run bodies with it.
    pub fn runner(&self) -> Runner {
        Runner::new(self.shared.clone())
    }

    /// Begins a transaction that the caller commits.
    ///
    /// # Errors
    ///
    /// Those of the coordination.
    pub async fn begin(&self) -> Result<OwnedTransaction> {
        let transaction = OwnedTransaction::begin(&self.shared, None).await?;
        // It reads the data at the time of this call, not at that of its first read.
        transaction.start();
        Ok(transaction)
    }

    /// Takes a snapshot of everything that is committed when it is called.
    ///
    /// # Errors
    ///
    /// Those of the coordination.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        Snapshot::begin(&self.shared).await
    }

    /// Moves the horizon of garbage collection up as far as the active transactions and snapshots
    /// of all clients allow, and returns it. A compaction may drop entries that no snapshot at or
    /// above the horizon can see.
    ///
    /// The client also does this by itself, once in every
    /// [`horizon_period`](ClientOptions::horizon_period).
    ///
    /// # Errors
    ///
    /// Those of the coordination.
    pub async fn advance_horizon(&self) -> Result<Timestamp> {
        self.shared.advance_horizon().await
    }

    /// Waits for the transactions whose commit this client has begun: until each has failed, is
    /// rolled forward, or could not be for [`max_elapsed`](crate::ClientOptions::max_elapsed).
    /// This includes commits whose caller no longer waits.
    ///
    /// A commit on a table of several servers returns at its commit point, and its other rows are
    /// rolled forward in the background. If the process ends before that, no data is lost: the
    /// transactions that meet the remaining locks roll them forward. Call this before the process
    /// ends to spare them that. [`Loaders::finish`](crate::Loaders::finish) and
    /// [`Worker::stop`](crate::Worker::stop) do.
    pub async fn wait_until_rolled_forward(&self) {
        self.shared.background.drain().await;
    }

    /// Returns the stored application, as it was when the client was opened.
    pub fn application(&self) -> &Application {
        &self.shared.application
    }

    /// Returns the transactor of the client, which owns its locks. It changes when a session ends
    /// while the client exists.
    pub fn transactor(&self) -> TransactorId {
        self.shared.transactor()
    }
}

impl Shared {
    pub(crate) async fn advance_horizon(&self) -> Result<Timestamp> {
        self.active.publish(self.options.max_transaction_age).await?;
        let oldest = self.active.oldest().unwrap_or_default();
        metrics::gauge!("fluo_oldest_active_timestamp").set(gauged(oldest));
        let horizon = self.coordination.advance_horizon().await?;
        metrics::gauge!("fluo_horizon_timestamp").set(gauged(horizon));
        Ok(horizon)
    }
}

/// Returns a timestamp as the value of a gauge, exact below 2^53.
fn gauged(timestamp: Timestamp) -> f64 {
    let number = timestamp.get();
    let half = |bits: u64| f64::from(u32::try_from(bits & 0xffff_ffff).unwrap_or_default());
    half(number >> 32) * 2_f64.powi(32) + half(number)
}

/// Publishes the oldest active timestamp, and keeps the transactor alive, as long as the client
/// exists.
async fn keep_horizon(client: Weak<Shared>, period: Duration) {
    loop {
        sleep(period).await;
        let Some(client) = client.upgrade() else {
            return;
        };
        if let Err(error) = client.active.renew_session(client.transactor()).await {
            debug!(%error, "cannot check whether the session has ended");
        }
        if let Err(error) = client.advance_horizon().await {
            debug!(%error, "cannot advance the horizon of garbage collection");
        }
    }
}
