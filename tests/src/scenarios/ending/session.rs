//! A session that can end before its transactor is dropped.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{Transactor, TransactorId};
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::RwLock;

/// The session of the wrapped coordination, or `None` after it has ended.
#[derive(Debug)]
pub(super) struct Session(RwLock<Option<Box<dyn Transactor>>>);

impl Session {
    pub(super) fn new(transactor: Box<dyn Transactor>) -> Self {
        Self(RwLock::new(Some(transactor)))
    }

    /// Ends the session, and returns whether it was open.
    pub(super) async fn end(&self) -> bool {
        self.0.write().await.take().is_some()
    }
}

/// The transactor that the owner of a session holds. Only the owner keeps the session for longer
/// than it takes to end it.
#[derive(Debug)]
pub(super) struct EndingTransactor {
    pub(super) id: TransactorId,
    pub(super) session: Arc<Session>,
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
}
