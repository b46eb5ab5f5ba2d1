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
    /// Begins another transactor if the session of this one has ended; says whether it had.
    pub(crate) async fn renew_session(&self) -> Result<bool> {
        self.active
            .renew_session(&*self.coordination, &self.session)
            .await
    }

    /// After a call was refused: it is worth another try if the session had ended, and another transactor has begun.
    ///
    /// # Errors
    /// Why it is not: the refusal, or what beginning failed with.
    pub(crate) async fn renew_session_or(&self, refusal: Error) -> Result<()> {
        let may_have_ended = refusal.kind() == ErrorKind::Unavailable;
        match may_have_ended && self.renew_session().await? {
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
            drop(self.renew_session().await);
        }
    }
}
