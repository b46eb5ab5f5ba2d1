//! The transactor of a client, and its replacement.
//!
//! Other clients consider a client alive as long as the session of its transactor lasts. A session
//! may end while the client's process still runs, because the process was suspended or could not
//! reach the coordination for too long. Then other clients roll its transactions back, its
//! published timestamp no longer holds the horizon, and its number is never alive again (C6). So
//! the client begins another transactor and continues with it. It checks whether the session has
//! ended:
//!
//! - when the coordination refuses to publish for it,
//! - when one of its transactions was rolled back by another one, or has become stale,
//! - once in every [`horizon_period`](crate::ClientOptions::horizon_period).
//!
//! A commit in progress keeps the old number in its locks. Other transactions that meet these locks
//! roll it back. That is a conflict like any other, so it runs again with the new number. The
//! timestamps at which the client still reads are published again (H1).

use std::sync::{Arc, PoisonError, RwLock};

use fluo_table::coordination::{Transactor, TransactorId};
use tracing::warn;

/// The transactor with which a client currently begins and commits transactions.
#[derive(Debug)]
pub(crate) struct Session {
    transactor: RwLock<Arc<dyn Transactor>>,
}

impl Session {
    pub(crate) fn new(transactor: Box<dyn Transactor>) -> Self {
        Self { transactor: RwLock::new(transactor.into()) }
    }

    pub(crate) fn transactor(&self) -> Arc<dyn Transactor> {
        let transactor = self.transactor.read();
        transactor.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn id(&self) -> TransactorId {
        self.transactor().id()
    }

    pub(crate) fn replace(&self, next: Box<dyn Transactor>) {
        let mut transactor = self.transactor.write().unwrap_or_else(PoisonError::into_inner);
        warn!(
            ended = %transactor.id(),
            next = %next.id(),
            "the session of this client has ended; it continues as another transactor"
        );
        *transactor = next.into();
        metrics::counter!("fluo_sessions_ended_total").increment(1);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use async_trait::async_trait;

    use super::*;
    use fluo_table::{Error, ErrorKind, Instance, Result, Timestamp};

    use crate::InstanceExt;
    use crate::context::Shared;

    /// A transactor whose session has ended. Another task is refused as well, and begins the next
    /// transactor before the refusal arrives.
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
            client.active.session().replace(next);
            Err(Error::new(ErrorKind::Unavailable, "the session has ended"))
        }

        fn is_holding(&self) -> bool {
            false
        }
    }

    /// The refused caller checked whether the next transactor was alive, which it was, and returned
    /// the refusal.
    #[tokio::test]
    async fn retries_a_refused_call_after_another_caller_renewed_the_session() {
        let application = Instance::in_memory().application("web");
        let client = application.create().await.unwrap();
        let end = || {
            let ended = Ended { id: client.transactor(), client: Arc::downgrade(&client.shared) };
            client.shared.active.session().replace(Box::new(ended));
        };
        end();
        let held = client.snapshot().await.unwrap();
        assert_eq!(client.transactor(), TransactorId(2));
        end();
        assert_eq!(client.advance_horizon().await.unwrap(), held.start());
        assert_eq!(client.transactor(), TransactorId(3));
    }
}
