//! Applications whose sessions a scenario can end.

mod coordination;
mod session;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use fluo_table::Result;
use fluo_table::coordination::{Application, Applications, Coordination, SetupLock, TransactorId};

use self::coordination::EndingCoordination;
use self::session::Session;

/// Applications that can end the session of a live transactor, as a network failure or a long pause
/// does. Otherwise they forward to the applications that they wrap. A clone has the same sessions.
///
/// This ends the session of the wrapped coordination, which then reports that the transactor is not
/// alive, and drops its publications. The wrapper itself only rejects later publications, because
/// there is no inner transactor left to reject them.
#[derive(Clone, Debug)]
pub struct EndingApplications {
    inner: Arc<dyn Applications>,
    sessions: Sessions,
}

/// The sessions of each application, by the number of the transactor.
type Sessions = Arc<Mutex<BTreeMap<(String, TransactorId), Weak<Session>>>>;

impl EndingApplications {
    /// Wraps applications.
    pub fn new(inner: Arc<dyn Applications>) -> Self {
        Self {
            inner,
            sessions: Sessions::default(),
        }
    }

    /// Ends the session of a transactor that began through this wrapper, after any publication in
    /// progress. Returns whether the session was open.
    pub async fn end_transactor(&self, name: &str, transactor: TransactorId) -> bool {
        let place = (name.to_owned(), transactor);
        let sessions = self.sessions.lock();
        let session = sessions
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&place);
        match session.and_then(|session| session.upgrade()) {
            Some(session) => session.end().await,
            None => false,
        }
    }
}

#[async_trait]
impl Applications for EndingApplications {
    async fn initialize(&self, name: &str, application: Application) -> Result<()> {
        self.inner.initialize(name, application).await
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn Coordination>> {
        Ok(Arc::new(EndingCoordination {
            inner: self.inner.open(name).await?,
            name: name.to_owned(),
            sessions: self.sessions.clone(),
        }))
    }

    async fn list(&self) -> Result<Vec<String>> {
        self.inner.list().await
    }

    async fn is_running(&self, name: &str) -> Result<bool> {
        self.inner.is_running(name).await
    }

    async fn lock_setup(&self, name: &str, table: &str) -> Result<Box<dyn SetupLock>> {
        self.inner.lock_setup(name, table).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        self.inner.remove(name).await
    }
}
