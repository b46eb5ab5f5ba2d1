//! What the handles of one client share.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::client::active::ActiveTimestamps;
use crate::client::session::Session;
use crate::client::sightings::Sightings;
use crate::client::{Backoff, ClientSettings};
use crate::coordination::{Application, Coordination, ObserverKind};
use crate::data::{Column, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::observer::{Collections, Listeners};
use crate::table::{Mutation, Table};

/// What the handles of one client share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) session: Session,
    pub(crate) settings: ClientSettings,
    pub(crate) application: Application,
    pub(crate) active: ActiveTimestamps,
    /// Room for transactions that are committed in the background, in number and in bytes.
    pub(crate) commits: Arc<Semaphore>,
    pub(crate) commit_bytes: Arc<Semaphore>,
    /// Since when locks are in the way.
    pub(crate) sightings: Sightings,
    pub(crate) observed: BTreeMap<Column, ObserverKind>,
    /// Its workers, which are told of what it commits.
    pub(crate) listeners: Listeners,
    /// The collections of garbage by its workers.
    pub(crate) collections: Collections,
}

impl Shared {
    /// The kind of the observers of a column, if it has any.
    pub(crate) fn observed(&self, column: &Column) -> Option<ObserverKind> {
        self.observed.get(column).copied()
    }

    /// The pauses of a call that is repeated.
    pub(crate) fn backoff_of_calls(&self, start: Timestamp) -> Backoff {
        Backoff::of_calls(&self.settings, start)
    }

    /// Writes what may be written any number of times, until it is acknowledged or the time is up.
    pub(crate) async fn write_until_done(
        &self,
        mutations: Vec<Mutation>,
        start: Timestamp,
    ) -> Result<()> {
        if mutations.is_empty() {
            return Ok(());
        }
        let mut backoff = self.backoff_of_calls(start);
        // Once it may have been written, a later refusal does not say that it was not.
        let mut doubt: Option<Error> = None;
        loop {
            let error = match self.table.write(mutations.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let has_passed = is_passing(error.kind());
            if error.kind() == ErrorKind::Uncertain {
                doubt.get_or_insert_with(|| error.clone());
            }
            if !has_passed || !backoff.wait().await {
                return Err(doubt.unwrap_or(error));
            }
        }
    }
}

/// Whether the same call may succeed later, or has succeeded already.
pub(crate) fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unavailable | ErrorKind::Uncertain)
}
