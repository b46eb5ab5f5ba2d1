//! The state that the handles of one client share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluo_table::coordination::{Application, Coordination, ObserverKind, TransactorId};
use fluo_table::{
    Column, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result, Table, Timestamp,
};
use tokio::sync::Semaphore;

use crate::context::lock_wait::Sightings;
use crate::context::{
    ActiveTimestamps, Background, Backoff, ClientOptions, CommitListeners, Liveness, PointReads,
    Turns,
};
use crate::mutex::Mutex;

pub(crate) struct Shared {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
    pub(crate) options: ClientOptions,
    pub(crate) application: Application,
    pub(crate) active: Arc<ActiveTimestamps>,
    pub(crate) point_reads: Arc<PointReads>,
    pub(crate) background: Background,
    /// Room for transactions that are committed in the background, in number and in bytes.
    pub(crate) commits: Arc<Semaphore>,
    pub(crate) commit_bytes: Arc<Semaphore>,
    pub(crate) sightings: Mutex<Sightings>,
    pub(crate) liveness: Liveness,
    pub(crate) turns: Turns,
    pub(crate) observed: BTreeMap<Column, ObserverKind>,
    /// The workers of this client, which receive the notifications of its commits.
    pub(crate) listeners: CommitListeners,
}

impl Shared {
    pub(crate) fn observed(&self, column: &Column) -> Option<ObserverKind> {
        self.observed.get(column).copied()
    }

    pub(crate) fn transactor(&self) -> TransactorId {
        self.active.transactor().id()
    }

    pub(crate) fn backoff(&self, start: Timestamp) -> Backoff {
        Backoff::new(&self.options, start)
    }

    /// Writes idempotent mutations until the write is acknowledged or the time is up.
    pub(crate) async fn write_until_done(
        &self,
        mutations: Vec<Mutation>,
        start: Timestamp,
    ) -> Result<()> {
        if mutations.is_empty() {
            return Ok(());
        }
        let mut backoff = self.backoff(start);
        // Once a call may have been applied, a later refusal does not prove that it was not.
        let mut doubt: Option<Error> = None;
        loop {
            let error = match self.table.write(mutations.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let has_passed = error.kind().is_passing();
            if error.kind() == ErrorKind::Uncertain {
                doubt.get_or_insert_with(|| error.clone());
            }
            if !has_passed || !backoff.wait().await {
                return Err(doubt.unwrap_or(error));
            }
        }
    }

    /// Writes some conditional mutations once, and returns an outcome for each.
    pub(crate) async fn write_each(&self, mutations: Vec<ConditionalMutation>) -> Vec<Outcome> {
        let count = mutations.len();
        match self.table.write_conditional(mutations).await {
            Ok(mut outcomes) => {
                outcomes.resize_with(count, || Outcome::Unknown(no_answer()));
                outcomes
            }
            // The call wrote nothing.
            Err(error) => vec![Outcome::ConstraintViolation(error); count],
        }
    }

    pub(crate) async fn write_one(&self, mutation: ConditionalMutation) -> Outcome {
        let outcome = self.write_each(vec![mutation]).await.pop();
        outcome.expect("each mutation has an outcome")
    }

    pub(crate) fn not_weakly_observed(&self, column: &Column) -> Error {
        let weak = self.observed.iter().filter(|(_, kind)| **kind == ObserverKind::Weak);
        let weak: Vec<String> = weak.map(|(column, _)| format!("`{column}`")).collect();
        let known = if weak.is_empty() {
            "the application has no weak observers".to_owned()
        } else {
            format!("weak observers watch {}", weak.join(", "))
        };
        Error::invalid(format!("no weak observer watches the column `{column}`; {known}"))
    }
}

pub(crate) fn no_answer() -> Error {
    Error::unavailable("the table returned no outcome for a mutation")
}

impl fmt::Debug for Shared {
    /// Omits the table, because one in memory would print its data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("application", &self.application)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Column, Instance};

    use crate::InstanceExt;

    /// The data of a table in memory can be large and secret.
    #[tokio::test]
    async fn shows_no_data_of_the_table_in_debug_output() {
        let handle = Instance::in_memory().application("web");
        let client = handle.create().await.unwrap();
        client.run(async |tx| tx.set("a", &Column::new("f", ""), "data")).await.unwrap();
        let worker = client.worker().start().await.unwrap();
        let shown = format!("{handle:?} {client:?} {worker:?}");
        assert!(!shown.contains("entries"), "{shown}");
    }
}
