//! The application of one rule, and helpers that the rules share.

use std::num::NonZeroU32;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fluo_table::coordination::{
    Application, Applications, Coordination, FailedNotification, ObserverKind, Transactor,
};
use fluo_table::{Column, RowColumn, Timestamp};
use tokio::time::{sleep, timeout};

use crate::deferred::after_the_check;
use crate::unused_name::unused_name as unused_table;

/// A timeout that is longer than a session.
const PATIENCE: Duration = Duration::from_secs(120);

/// An application that no other rule and no other run uses. A failed rule leaves it for inspection.
pub(super) struct Ground {
    pub(super) applications: Arc<dyn Applications>,
    pub(super) name: String,
    pub(super) coordination: Arc<dyn Coordination>,
}

impl Ground {
    pub(super) async fn new(applications: &Arc<dyn Applications>) -> Self {
        Self::with(applications, Application::new("1", unused_table("t"))).await
    }

    pub(super) async fn with(
        applications: &Arc<dyn Applications>,
        application: Application,
    ) -> Self {
        let name = unused_name();
        applications.initialize(&name, application).await.unwrap();
        let (made, made_name) = (applications.clone(), name.clone());
        after_the_check(async move { made.remove(&made_name).await });
        Self {
            applications: applications.clone(),
            coordination: applications.open(&name).await.unwrap(),
            name,
        }
    }

    /// Opens another handle.
    pub(super) async fn open(&self) -> Arc<dyn Coordination> {
        self.applications.open(&self.name).await.unwrap()
    }

    pub(super) async fn next(&self) -> Timestamp {
        next(&*self.coordination).await
    }

    pub(super) async fn begin(&self) -> Box<dyn Transactor> {
        self.coordination.begin_transactor().await.unwrap()
    }

    /// Waits until a transactor certainly holds what it has published, or no longer does (C17).
    pub(super) async fn wait_until_holding(&self, transactor: &dyn Transactor, holds: bool) {
        let wait = async {
            while transactor.is_holding() != holds {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, wait).await.unwrap();
    }

    pub(super) async fn advance(&self) -> Timestamp {
        self.coordination.advance_horizon().await.unwrap()
    }

    pub(super) async fn end(self) {
        self.applications.remove(&self.name).await.unwrap();
    }
}

/// Returns an application whose workers receive new shares without a pause. A coordination that
/// does not pause ignores the setting.
pub(super) fn without_pauses() -> Application {
    let max_sleep = "fluo.impl.worker.finder.maxSleep";
    Application::new("1", unused_table("t")).set(max_sleep, "0")
}

/// Returns a name that no application has.
pub(super) fn unused_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("conformance {}-{}-{n}", now.as_millis(), process::id())
}

pub(super) fn count(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

pub(super) async fn next(coordination: &dyn Coordination) -> Timestamp {
    coordination.timestamps(NonZeroU32::MIN).await.unwrap().first
}

pub(super) fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

/// Returns a failed notification of a row.
pub fn failed(row: impl Into<fluo_table::Bytes>) -> FailedNotification {
    FailedNotification {
        cell: RowColumn::new(row, Column::new("f", "q")),
        kind: ObserverKind::Strong,
        timestamp: at(7),
        tries: 3,
        error: "it fails".to_owned(),
        failed_at_ms: 1_700_000_000_000,
    }
}
