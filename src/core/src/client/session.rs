//! The transactor of a client, and the one after it.
//!
//! Others take a client for alive as long as the session of its transactor lasts. A session may end while the client
//! lives: its process stood still, or could not reach the others, for too long. Then everybody rolls its transactions
//! back, nothing that it published holds the horizon, and the number never comes alive again (C6). So the client begins
//! another transactor, under which it goes on. It asks whether that is due:
//!
//! - when the coordination refuses to publish for it,
//! - when one of its transactions was rolled back by somebody else, or has become stale,
//! - once in every [`horizon_period`](crate::ClientSettings::horizon_period).
//!
//! A commit that is under way keeps the number in its locks. Whoever meets them rolls it back, which is a conflict like
//! any other: it is run again, under the new number. What is still read at is published anew (H1).

use std::sync::{Arc, PoisonError, RwLock};

use tracing::warn;

use crate::client::Shared;
use crate::coordination::{Transactor, TransactorId};
use crate::error::{Error, ErrorKind, Result};
use crate::transaction::{CommitError, OtherTransaction};

/// The transactor under which a client begins and commits at present.
#[derive(Debug)]
pub(crate) struct Session {
    transactor: RwLock<Arc<dyn Transactor>>,
}

impl Session {
    pub(crate) fn new(transactor: Box<dyn Transactor>) -> Self {
        Self {
            transactor: RwLock::new(transactor.into()),
        }
    }

    pub(crate) fn transactor(&self) -> Arc<dyn Transactor> {
        let transactor = self.transactor.read();
        transactor.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn id(&self) -> TransactorId {
        self.transactor().id()
    }

    pub(super) fn replace(&self, next: Box<dyn Transactor>) {
        let mut transactor = self
            .transactor
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        warn!(
            ended = %transactor.id(),
            next = %next.id(),
            "the session of this client has ended; it goes on as another transactor"
        );
        *transactor = next.into();
        metrics::counter!("fluo_sessions_ended_total").increment(1);
    }
}

impl Shared {
    /// Begins another transactor if the session of the suspect has ended, unless somebody has done so; says whether it
    /// had.
    pub(crate) async fn renew_session(&self, suspect: TransactorId) -> Result<bool> {
        self.active
            .renew_session(&*self.coordination, &self.session, suspect)
            .await
    }

    /// After a call was refused: it is worth another try if the session that there was before it, the suspect, had ended,
    /// and another transactor has begun. Somebody else may have begun that one before the refusal arrived.
    ///
    /// # Errors
    /// Why it is not: the refusal, or what beginning failed with.
    pub(crate) async fn renew_session_or(
        &self,
        suspect: TransactorId,
        refusal: Error,
    ) -> Result<()> {
        let may_have_ended = refusal.kind() == ErrorKind::Unavailable;
        match may_have_ended && self.renew_session(suspect).await? {
            true => Ok(()),
            false => Err(refusal),
        }
    }

    /// After an outcome that a session that has ended would explain: sees to it that the next transaction has one.
    pub(crate) async fn renew_session_after(&self, error: &CommitError) {
        let is_suspect = match error {
            CommitError::Stale(_) => true,
            CommitError::Conflict(met) => met.other == Some(OtherTransaction::RolledThisBack),
            CommitError::Acknowledged | CommitError::Failed(_) => false,
        };
        if is_suspect {
            // If it fails, whoever begins next is told.
            drop(self.renew_session(self.session.id()).await);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use async_trait::async_trait;

    use super::*;
    use crate::admin::{Initialization, initialize};
    use crate::client::{Client, ClientSettings};
    use crate::coordination::MemoryApplications;
    use crate::data::Timestamp;
    use crate::table::MemoryTables;

    /// One whose session has ended. Another task is refused as well, and begins the next one before the refusal arrives.
    #[derive(Debug)]
    struct Ended {
        id: TransactorId,
        client: Weak<Shared>,
    }

    #[async_trait]
    impl Transactor for Ended {
        fn id(&self) -> TransactorId {
            self.id
        }

        async fn publish_oldest_active(&self, _: Option<Timestamp>) -> Result<()> {
            let client = self.client.upgrade().unwrap();
            let next = client.coordination.begin_transactor().await.unwrap();
            client.session.replace(next);
            Err(Error::new(ErrorKind::Unavailable, "the session has ended"))
        }
    }

    /// Whoever was refused looked whether the next one lives, which it did, and handed on the refusal.
    #[tokio::test]
    async fn who_is_refused_while_somebody_else_begins_the_next_one_tries_again() {
        let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
        let web = Initialization::new("1", "web");
        initialize(&tables, &applications, "web", web)
            .await
            .unwrap();
        let settings = ClientSettings::default();
        let client = Client::open_application(&tables, &applications, "web", settings);
        let client = client.await.unwrap();
        let end = || {
            let ended = Ended {
                id: client.transactor(),
                client: Arc::downgrade(&client.shared),
            };
            client.shared.session.replace(Box::new(ended));
        };
        end();
        let held = client.snapshot().await.unwrap();
        assert_eq!(client.transactor(), TransactorId(2));
        end();
        assert_eq!(client.advance_horizon().await.unwrap(), held.start());
        assert_eq!(client.transactor(), TransactorId(3));
    }
}
