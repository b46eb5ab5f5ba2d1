//! Applications whose sessions a scenario can end.

mod coordination;
mod session;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use async_trait::async_trait;
use fluo_core::Result;
use fluo_core::coordination::{Application, Applications, Coordination, SetupClaim, TransactorId};

use self::coordination::EndingCoordination;
use self::session::Session;

/// Applications that end the session of a transactor while its owner lives, as a network or a long pause does; otherwise
/// they are those that they wrap, whatever these are. A clone has the same sessions.
///
/// The session that ends is the one of the wrapped coordination: from then on that says itself that the transactor is
/// dead, and forgets what it has published. Only the refusal of what its owner publishes after that is made here, where
/// nothing is left to be asked.
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

    /// Ends the session of a transactor that was begun through this; says whether it was there. One that is publishing
    /// ends after that.
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

    async fn claim(&self, name: &str, table: &str) -> Result<Box<dyn SetupClaim>> {
        self.inner.claim(name, table).await
    }

    async fn remove(&self, name: &str) -> Result<()> {
        self.inner.remove(name).await
    }
}
