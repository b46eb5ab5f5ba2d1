//! The exporter that writes to a table.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Error, ErrorKind, ObserverError};
use fluo_table::coordination::FailedNotification;
use fluo_table::{Mutation, Outcome, Table};

use super::planned_export::{PlannedExport, Progress};
use super::targets::Targets;
use crate::export_queue::{Export, ExportError, ExportQueue, Exported, Exporter, Exports};

/// The number of attempts without progress after which a batch waits.
const MAX_ATTEMPTS: usize = 20;
/// The pause before another try if the table is not available.
const PAUSE: Duration = Duration::from_secs(1);

/// An exporter that writes to a table: the mutations of an export take effect exactly once, and in
/// the order of the sequences of its key. Transactions that export one key must conflict with each
/// other ([contract](crate::export_queue#contract)); otherwise the sink drops exports that commit
/// late.
///
/// - Each mutation is written on the condition that its row has no later export of the key. So a
///   repeated export, also one that a stopped worker sends late, changes nothing. Several queues
///   may write to a table if their ids differ.
/// - The exports of a key in a pass are one mutation of each row. A pass without conflicts costs
///   one scan and one call.
/// - An export that the table refuses becomes a dead letter with the reason: a mutation that is too
///   large or has an invalid visibility, or that violates a constraint. All other exports are
///   written, later ones of its key in a later pass. If a constraint refuses only some rows of an
///   export, its other rows are written.
/// - A dead letter that is retried after a later export of its key was written changes nothing in
///   the rows of that export.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Instance, InstanceExt};
/// use fluo_recipes::export_queue::ExportQueue;
/// use fluo_recipes::sink::TableSink;
/// use fluo_table::{Authorizations, Mutation, TableAdmin, Versions};
///
/// const COUNT: Column = Column::from_static("page", "visits");
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let fluo = Instance::in_memory();
/// fluo.create_table("query", Versions::default()).await?;
/// let query = fluo.open_table("query", Authorizations::none()).await?;
///
/// let queue = ExportQueue::<String, u64>::new("visits")?;
/// let sink = TableSink::new(&queue, query.clone(), |export| {
///     Ok(vec![Mutation::new(export.key.clone()).put(COUNT, export.value.to_string())])
/// });
/// let queue = queue.export_with(sink);
/// let client = fluo.application("web").recipe(&queue).create().await?;
/// let worker = client.worker().start().await?;
/// client.run(async |tx| queue.add(&tx, "org.wikipedia", 7)).await?;
/// client.wait_until_idle().await?;
/// assert_eq!(query.get("org.wikipedia", &COUNT).await?.as_deref(), Some(&b"7"[..]));
/// # worker.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct TableSink<F> {
    queue: String,
    table: Arc<dyn Table>,
    translate: F,
}

impl<F> TableSink<F> {
    /// Creates a sink for the exports of a queue. `translate` returns the mutations of an export;
    /// their updates get the sequence of the export as timestamp, unless they have one. If it
    /// fails, the export becomes a dead letter with the error and its causes. It must return the
    /// same result for the same export, which may be delivered again.
    pub fn new<K, V>(queue: &ExportQueue<K, V>, table: Arc<dyn Table>, translate: F) -> Self
    where
        K: 'static,
        V: 'static,
        F: Fn(&Export<K, V>) -> Result<Vec<Mutation>, ObserverError>,
    {
        Self { queue: queue.id().to_owned(), table, translate }
    }

    async fn write(
        &self,
        exports: &[PlannedExport],
        progress: &mut Progress,
    ) -> Result<(), ExportError> {
        let mut batches = vec![exports.iter().collect::<Vec<_>>()];
        while let Some(mut batch) = batches.pop() {
            progress.remove_waiting(&mut batch);
            let Some(refusal) = self.write_batch(&batch, exports).await? else {
                continue;
            };
            // The table does not say which export it refuses, so the batch is halved until the
            // export is alone. The first half is written first, so the exports of a key stay in
            // their order.
            match batch.as_slice() {
                [alone] => progress.refuse(alone, FailedNotification::describe(&refusal)),
                _ => {
                    let second = batch.split_off(batch.len() / 2);
                    batches.extend([second, batch]);
                }
            }
        }
        Ok(())
    }

    /// Writes until all rows have the sequences of their exports. Returns the error of the table if
    /// it refuses one of the mutations.
    async fn write_batch(
        &self,
        batch: &[&PlannedExport],
        delivered: &[PlannedExport],
    ) -> Result<Option<Error>, ExportError> {
        let mut targets = Targets::new(batch);
        let mut attempts = 0;
        while targets.len() > 0 {
            let before = targets.len();
            targets.read(&self.queue, &*self.table, delivered).await.map_err(failed)?;
            let mutations = targets.mutations();
            if mutations.is_empty() {
                break;
            }
            let outcomes = match self.table.write_conditional(mutations).await {
                Ok(outcomes) => outcomes,
                Err(error) if error.kind() == ErrorKind::Invalid => return Ok(Some(error)),
                Err(error) => return Err(failed(error)),
            };
            let violation = outcomes.iter().find_map(|outcome| match outcome {
                Outcome::ConstraintViolation(error) => Some(error),
                _ => None,
            });
            if let Some(refusal) = violation {
                return Ok(Some(refusal.clone()));
            }
            targets.drop_accepted(&outcomes);
            attempts = if targets.len() < before { 0 } else { attempts + 1 };
            if attempts == MAX_ATTEMPTS {
                return Err(without_progress(outcomes));
            }
        }
        Ok(None)
    }
}

/// Returns the error of a batch that makes no progress, given the outcomes of the last attempt.
fn without_progress(outcomes: Vec<Outcome>) -> ExportError {
    for outcome in outcomes {
        if let Outcome::Unknown(error) = outcome {
            return failed(error);
        }
    }
    let changed =
        format!("the sequences of these rows changed during each of {MAX_ATTEMPTS} attempts");
    ExportError::retry_after(PAUSE, changed)
}

fn failed(error: Error) -> ExportError {
    if error.kind().is_passing() {
        return ExportError::retry_after(PAUSE, error);
    }
    ExportError::fatal(error)
}

#[async_trait]
impl<K, V, F> Exporter<K, V> for TableSink<F>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
    F: Fn(&Export<K, V>) -> Result<Vec<Mutation>, ObserverError> + Send + Sync + 'static,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        let mut planned = Vec::with_capacity(exports.len());
        let mut progress = Progress::default();
        for (index, export) in exports.iter().enumerate() {
            match (self.translate)(export) {
                Ok(mutations) => {
                    planned.push(PlannedExport::new(&self.queue, index, export, mutations));
                }
                Err(error) => progress.reject(index, FailedNotification::describe(&*error)),
            }
        }
        self.write(&planned, &mut progress).await?;
        Ok(progress.answer(exports.len()))
    }
}

impl<F> fmt::Debug for TableSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSink").field("queue", &self.queue).finish_non_exhaustive()
    }
}
