//! Applications that list all calls and fail at chosen ones.

mod coordination;
mod plan;
mod presence;

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::Result;
use fluo_table::coordination::{Application, Applications, Coordination, SetupLock};

use self::coordination::FaultyCoordination;
use self::plan::SharedPlan;
use crate::{CoordinationCall, Fault};

/// Applications that list every call, fail at chosen ones, and otherwise forward to the
/// applications that they wrap. A clone shares the plan and the list of calls.
///
/// The wrapper numbers all calls together, from 0: calls of the applications, and calls of every
/// coordination, transactor and worker that was opened through them. It counts and lists a call
/// that fails like any other. Without faults it passes the conformance suite and records the calls.
///
/// [`Fault::Partial`] equals [`Lost`](Fault::Lost) here. A transactor or a worker whose first call
/// loses its answer is not present (C12). One whose connection is lost stays present until it is
/// dropped.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::sync::Arc;
///
/// use fluo_table::ErrorKind;
/// use fluo_table::coordination::{Application, Applications, MemoryApplications};
/// use fluo_tests::{CoordinationCall, FaultyApplications};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let applications = FaultyApplications::new(Arc::new(MemoryApplications::new())).cut_off_from(3);
/// applications.initialize("web", Application::new("1", "web")).await?;
/// let web = applications.open("web").await?;
/// web.timestamps(NonZeroU32::MIN).await?;
/// let error = web.timestamps(NonZeroU32::MIN).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unavailable);
/// assert_eq!(applications.calls()[1], CoordinationCall::Open("web".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FaultyApplications {
    inner: Arc<dyn Applications>,
    plan: SharedPlan,
}

impl FaultyApplications {
    /// Wraps applications without any faults.
    pub fn new(inner: Arc<dyn Applications>) -> Self {
        Self {
            inner,
            plan: SharedPlan::default(),
        }
    }

    /// Fails the `n`-th call: the one at index `n` of [`calls`](Self::calls).
    #[must_use]
    pub fn fail_call(self, n: usize, fault: Fault) -> Self {
        self.plan.get().faults.insert(n, fault);
        self
    }

    /// Fails the `n`-th call and all later ones with
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable), as after a permanent loss of the
    /// connection.
    #[must_use]
    pub fn cut_off_from(self, n: usize) -> Self {
        self.plan.get().cut_off_from = Some(n);
        self
    }

    /// Fails every call from now on.
    pub fn cut_off(&self) {
        let mut plan = self.plan.get();
        plan.cut_off_from = Some(plan.calls.len());
    }

    /// Returns all calls so far, in order.
    pub fn calls(&self) -> Vec<CoordinationCall> {
        self.plan.get().calls.clone()
    }
}

#[async_trait]
impl Applications for FaultyApplications {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        let call = CoordinationCall::Initialize(name.to_owned());
        let work = self.inner.initialize(name, application);
        self.plan.call(call, work).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        let call = CoordinationCall::Open(name.to_owned());
        let inner = self.plan.call(call, self.inner.open(name)).await?;
        let plan = self.plan.clone();
        Ok(Arc::new(FaultyCoordination { inner, plan }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        self.plan
            .call(CoordinationCall::List, self.inner.list())
            .await
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        let call = CoordinationCall::IsRunning(name.to_owned());
        self.plan.call(call, self.inner.is_running(name)).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn SetupLock>> {
        let call = CoordinationCall::Claim(name.to_owned(), table.to_owned());
        let work = self.inner.lock_setup(name, table);
        self.plan.call(call, work).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        let call = CoordinationCall::Remove(name.to_owned());
        self.plan.call(call, self.inner.remove(name)).await
    }
}
