//! Applications whose sessions a test can end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use fluo_table::coordination::{Applications, Transactor, TransactorId};
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::RwLock;

use crate::{Hooks, Intercepted};

/// Applications that can end the session of a live transactor, as a network failure or a long pause
/// does. Otherwise they forward to the applications that they wrap. A clone has the same sessions.
///
/// This ends the session of the wrapped coordination, which then reports that the transactor is not
/// alive, and drops its publications. The wrapper itself only rejects later publications, because
/// there is no inner transactor left to reject them.
pub type EndingApplications = Intercepted<dyn Applications, Sessions>;

/// The sessions of each application, by the number of the transactor.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    /// The application whose transactors begin.
    application: String,
    sessions: Arc<Mutex<OpenSessions>>,
}

type OpenSessions = BTreeMap<(String, TransactorId), Weak<Session>>;

impl EndingApplications {
    /// Wraps applications.
    pub fn new(inner: Arc<dyn Applications>) -> Self {
        Self::with_hooks(inner, Sessions::default())
    }

    /// Ends the session of a transactor that began through this wrapper, after any publication in
    /// progress. Returns whether the session was open.
    pub async fn end_transactor(&self, name: &str, transactor: TransactorId) -> bool {
        let place = (name.to_owned(), transactor);
        let session = self.hooks().open().remove(&place);
        match session.and_then(|session| session.upgrade()) {
            Some(session) => session.end().await,
            None => false,
        }
    }
}

impl Sessions {
    fn open(&self) -> MutexGuard<'_, OpenSessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks for Sessions {
    fn of_application(self: Arc<Self>, name: &str) -> Arc<Self> {
        Arc::new(Self { application: name.to_owned(), sessions: self.sessions.clone() })
    }

    fn transactor(&self, inner: Box<dyn Transactor>) -> Box<dyn Transactor> {
        let id = inner.id();
        let session = Arc::new(Session::new(inner));
        let place = (self.application.clone(), id);
        let weak = Arc::downgrade(&session);
        self.open().insert(place, weak);
        Box::new(EndingTransactor { id, session })
    }
}

/// The session of the wrapped coordination, or `None` after it has ended.
#[derive(Debug)]
struct Session(RwLock<Option<Box<dyn Transactor>>>);

impl Session {
    fn new(transactor: Box<dyn Transactor>) -> Self {
        Self(RwLock::new(Some(transactor)))
    }

    /// Ends the session, and returns whether it was open.
    async fn end(&self) -> bool {
        self.0.write().await.take().is_some()
    }
}

/// The transactor that the owner of a session holds. Only the owner keeps the session for longer
/// than it takes to end it.
#[derive(Debug)]
struct EndingTransactor {
    id: TransactorId,
    session: Arc<Session>,
}

#[async_trait]
impl Transactor for EndingTransactor {
    fn id(&self) -> TransactorId {
        self.id
    }

    async fn publish_oldest_active(&self, oldest: Option<Timestamp>) -> Result<()> {
        match &*self.session.0.read().await {
            Some(open) => open.publish_oldest_active(oldest).await,
            None => {
                let message = format!("the session of transactor {} was ended", self.id);
                Err(Error::new(ErrorKind::Unavailable, message))
            }
        }
    }

    fn is_holding(&self) -> bool {
        let open = self.session.0.try_read();
        open.is_ok_and(|open| open.as_ref().is_some_and(|open| open.is_holding()))
    }
}
