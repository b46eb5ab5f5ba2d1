//! The handle that everything begins with.

use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::sleep;
use tracing::{debug, debug_span};

use crate::client::active::ActiveTimestamps;
use crate::client::application_table;
use crate::client::binding::bind;
use crate::client::session::Session;
use crate::client::{ClientSettings, PendingCommit, Runner, Shared};
use crate::coordination::{Application, Applications, Coordination, TransactorId};
use crate::data::{Authorizations, Column, Span, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Garbage, Table, TableAdmin};
use crate::transaction::{Open, OwnedTransaction, Reading, Snapshot, Transaction};

/// A client of an application. A clone shares everything with it.
///
/// As long as one of its handles, snapshots or transactions lives, it counts as one live transactor: others wait for the
/// locks of its transactions, and garbage that they could read is not collected. Where its session ends all the same, as
/// after a pause of the whole process, it goes on as another one by itself; what it was doing then may be rolled back by
/// others, which its runner meets as a conflict and tries again.
///
/// ```
/// use fluo_core::{Column, Instance};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
/// let client = Instance::in_memory().application("bank").open_or_create().await?;
/// let balance = Column::new("account", "balance");
/// let amount = |bytes: Option<fluo_core::Bytes>| -> u64 {
///     bytes.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()).unwrap_or(0)
/// };
/// client.run(async |tx| tx.set("alice", &balance, "100")).await?;
/// client
///     .run(async |tx| {
///         let (alice, bob) = (tx.get("alice", &balance).await?, tx.get("bob", &balance).await?);
///         tx.set("alice", &balance, (amount(alice) - 30).to_string())?;
///         tx.set("bob", &balance, (amount(bob) + 30).to_string())
///     })
///     .await?;
/// let now = client.snapshot().await?;
/// assert_eq!(amount(now.get("alice", &balance).await?) + amount(now.get("bob", &balance).await?), 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

impl Client {
    /// Opens a client of an application by its name, on the table that it was initialised with.
    ///
    /// ```
    /// use fluo_core::admin::{Initialization, initialize};
    /// use fluo_core::coordination::MemoryApplications;
    /// use fluo_core::{Client, ClientSettings, Column, MemoryTables};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> fluo_core::Result<()> {
    /// let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    /// initialize(&tables, &applications, "bank", Initialization::new("8d2fa41c", "accounts")).await?;
    /// let client = Client::open_application(&tables, &applications, "bank", ClientSettings::default()).await?;
    /// client.run(async |tx| tx.set("alice", &Column::new("account", "balance"), "100")).await?;
    /// assert_eq!(client.application().table, "accounts");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open) and [`admin::bind`](crate::admin::bind); [`NotFound`](crate::ErrorKind::NotFound) if there is
    /// no such application, or its table is gone; [`Invalid`](crate::ErrorKind::Invalid) if the servers lack what
    /// [transactions need](TableAdmin::check_transactions).
    pub async fn open_application(
        tables: &dyn TableAdmin,
        applications: &dyn Applications,
        name: &str,
        settings: ClientSettings,
    ) -> Result<Self> {
        Self::open_checked(tables, applications, name, settings, |_| Ok(())).await
    }

    /// Opens a client of an application by its name, if its stored configuration passes a check. Nothing is written
    /// before the check.
    pub(super) async fn open_checked(
        tables: &dyn TableAdmin,
        applications: &dyn Applications,
        name: &str,
        settings: ClientSettings,
        check: impl FnOnce(&Application) -> Result<()>,
    ) -> Result<Self> {
        tables.check_transactions().await?;
        let coordination = applications.open(name).await?;
        let application = coordination.application().await?;
        check(&application)?;
        let table = application.table;
        let opened = tables.open_table(&table, Authorizations::none()).await;
        let table = opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::with_source(
                ErrorKind::NotFound,
                format!(
                    "the table `{table}` of the application `{name}` is gone; initialise it anew (`fluo app init \
                     --clear`, or `Initialization::clear` in a program)"
                ),
                error,
            ),
            _ => error,
        })?;
        bind(tables, &*coordination).await?;
        Self::open(table, coordination, settings).await
    }

    /// Opens a client of the application that `coordination` belongs to. The table has to be the one that the application
    /// was initialised with: another application's has locks and timestamps of its own. A table knows no name, so this is
    /// not checked; [`open_application`](Self::open_application) cannot mistake it, and [`admin::bind`](crate::admin::bind)
    /// makes the same check. This is for tables behind wrappers and for other authorizations.
    ///
    /// All clients of an application should have the same authorizations: all labels that its transactions write. A client
    /// that cannot see the primary of a transaction waits while its owner lives; if the owner has crashed, the cells that
    /// it locked can only be read by clients that see the primary. The primary is a cell without a visibility, if the
    /// transaction writes one.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): a setting is out of its bounds. Whatever the coordination fails with;
    /// [`NotFound`](crate::ErrorKind::NotFound) where the application has been removed.
    pub async fn open(
        table: Arc<dyn Table>,
        coordination: Arc<dyn Coordination>,
        settings: ClientSettings,
    ) -> Result<Self> {
        settings.check()?;
        let application = coordination.application().await?;
        let observed = application
            .observers
            .iter()
            .map(|observed| (observed.column.clone(), observed.kind))
            .collect();
        let transactor = coordination.begin_transactor().await?;
        let shared = Arc::new(Shared {
            table,
            coordination,
            session: Session::new(transactor),
            active: ActiveTimestamps::default(),
            commits: Arc::new(Semaphore::new(settings.max_commits_in_flight)),
            commit_bytes: Arc::new(Semaphore::new(settings.max_commit_bytes_in_flight)),
            settings,
            application,
            sightings: crate::client::sightings::Sightings::default(),
            observed,
            listeners: crate::observer::Listeners::default(),
            collections: crate::observer::Collections::default(),
        });
        tokio::spawn(keep_horizon(
            Arc::downgrade(&shared),
            shared.settings.horizon_period,
        ));
        Ok(Self { shared })
    }

    /// Runs a body as a transaction until it commits, and gives its result: [`Runner::run`], as it is without settings.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub async fn run<T, E, F>(&self, body: impl Fn(Transaction) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.runner().run(body).await
    }

    /// What runs bodies as transactions, to be set up.
    pub fn runner(&self) -> Runner {
        Runner::new(self.clone())
    }

    /// Begins a transaction that the caller commits.
    ///
    /// # Errors
    /// Whatever the coordination fails with.
    pub async fn begin(&self) -> Result<OwnedTransaction> {
        let open = Open::begin(&self.shared, None).await?;
        Ok(OwnedTransaction::new(&open))
    }

    /// Takes a snapshot of everything that is committed by now.
    ///
    /// # Errors
    /// Whatever the coordination fails with.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let span = |start| debug_span!("snapshot", %start);
        let reading = Reading::begin(self.shared.clone(), span).await?;
        Ok(Snapshot {
            reading: Arc::new(reading),
        })
    }

    /// Commits a transaction in the background, once there is room for it: the bounds are
    /// [`max_commits_in_flight`](ClientSettings::max_commits_in_flight) and
    /// [`max_commit_bytes_in_flight`](ClientSettings::max_commit_bytes_in_flight). So one task can keep thousands of
    /// commits going.
    ///
    /// The commit goes on when what is returned is dropped, and its outcome is lost then.
    pub async fn commit_in_background(&self, transaction: OwnedTransaction) -> PendingCommit {
        PendingCommit::begin(&self.shared, transaction).await
    }

    /// Moves the horizon of garbage collection up as far as the active transactions and snapshots of all clients allow, and says where
    /// it is: a compaction may drop what no snapshot at or above it can see.
    ///
    /// It happens by itself once in every [`horizon_period`](ClientSettings::horizon_period).
    ///
    /// # Errors
    /// Whatever the coordination fails with.
    pub async fn advance_horizon(&self) -> Result<Timestamp> {
        self.shared.advance_horizon().await
    }

    /// Moves the horizon up, and compacts a part of the table without the entries that no snapshot at or above the
    /// horizon needs. Returns the horizon.
    ///
    /// Garbage is collected here and nowhere else. A worker calls this on a schedule if its
    /// [settings](crate::WorkerSettings) say so.
    ///
    /// No property of the table is set. If an earlier version of this program attached garbage iterators to the table,
    /// they are detached. The iterators of a table that Fluo's Java client made stay.
    ///
    /// # Errors
    /// The errors of the coordination, of [`TableAdmin::properties`], and of [`TableAdmin::compact`]. Everything that was
    /// dropped until then was garbage.
    pub async fn collect_garbage(&self, tables: &dyn TableAdmin, span: &Span) -> Result<Timestamp> {
        let table = &self.shared.application.table;
        // Snapshots observe the horizon before the compaction does: a read below it fails.
        let horizon = self.advance_horizon().await?;
        let properties = tables.properties(table).await?;
        application_table::detach_iterators(tables, table, &properties).await?;
        let garbage = Garbage::DropBelow(horizon);
        tables.compact(table, span, garbage).await?;
        Ok(horizon)
    }

    /// The application, as it was when the client was opened.
    pub fn application(&self) -> &Application {
        &self.shared.application
    }

    /// The name under which its next locks will be known. It changes when its session ends while it lives.
    pub fn transactor(&self) -> TransactorId {
        self.shared.session.id()
    }
}

impl Shared {
    pub(crate) async fn advance_horizon(&self) -> Result<Timestamp> {
        let max_age = self.settings.max_transaction_age;
        let suspect = self.session.id();
        if let Err(error) = self.active.publish(&self.session, max_age).await {
            self.renew_session_or(suspect, error).await?;
            self.active.publish(&self.session, max_age).await?;
        }
        let oldest = self.active.oldest().unwrap_or_default();
        metrics::gauge!("fluo_oldest_active_timestamp").set(gauged(oldest));
        let horizon = self.coordination.advance_horizon().await?;
        metrics::gauge!("fluo_horizon_timestamp").set(gauged(horizon));
        Ok(horizon)
    }

    pub(crate) fn not_weakly_observed(&self, column: &Column) -> Error {
        let weak: Vec<String> = self
            .observed
            .iter()
            .filter(|(_, kind)| **kind == crate::coordination::ObserverKind::Weak)
            .map(|(column, _)| format!("`{column}`"))
            .collect();
        let known = match weak.as_slice() {
            [] => "the application has no weak observers".to_owned(),
            _ => format!("weak observers watch {}", weak.join(", ")),
        };
        Error::invalid(format!(
            "no weak observer watches the column `{column}`; {known}"
        ))
    }
}

/// A timestamp as a gauge shows it: exact below 2^53.
fn gauged(timestamp: Timestamp) -> f64 {
    let number = timestamp.get();
    let half = |bits: u64| f64::from(u32::try_from(bits & 0xffff_ffff).unwrap_or_default());
    half(number >> 32) * 2_f64.powi(32) + half(number)
}

/// Keeps what is published up to date, and its transactor alive, for as long as the client lives.
async fn keep_horizon(client: Weak<Shared>, period: Duration) {
    loop {
        sleep(period).await;
        let Some(client) = client.upgrade() else {
            return;
        };
        if let Err(error) = client.renew_session(client.session.id()).await {
            debug!(%error, "whether the session has ended is not known");
        }
        if let Err(error) = client.advance_horizon().await {
            debug!(%error, "the horizon of garbage collection stays where it is");
        }
    }
}
