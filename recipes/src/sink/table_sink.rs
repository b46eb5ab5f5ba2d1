//! The exporter that writes to a table.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo::{Error, ErrorKind, ObserverError};
use fluo_table::{Mutation, Outcome, Table};

use super::targets::Targets;
use crate::export_queue::{Export, ExportError, Exported, Exporter, Exports};

/// The number of times that a batch is written again because other writers were faster.
const MOST_ROUNDS: usize = 20;
/// The pause before another try if the table is not available.
const PAUSE: Duration = Duration::from_secs(1);

/// An exporter that writes to a table: the mutations of an export take effect exactly once, and in
/// the order of the sequences of its key.
///
/// Each mutation is written on the condition that its row has no later export of the key. So a
/// repeated export, also one that a stopped worker sends late, changes nothing. Several queues may
/// write to a table if their ids differ.
///
/// # Examples
///
/// ```
/// use fluo::{Column, Instance, InstanceExt, Observers, Worker, WorkerOptions};
/// use fluo_recipes::export_queue::{Export, ExportQueue};
/// use fluo_recipes::sink::TableSink;
/// use fluo_table::{Authorizations, Mutation, TableAdmin, TableExt, Versions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let fluo = Instance::in_memory();
/// fluo.create_table("query", Versions::default()).await?;
/// let query = fluo.open_table("query", Authorizations::none()).await?;
///
/// let count = Column::new("page", "visits");
/// let queue = ExportQueue::<String, u64>::new("visits")?;
/// let column = count.clone();
/// let sink = TableSink::new(queue.id(), query.clone(), move |export: &Export<String, u64>| {
///     let mutation = Mutation::new(export.key.clone());
///     Ok(vec![mutation.put(column.clone(), export.value.to_string())])
/// });
/// let observers = queue.observe(Observers::new(), sink)?;
/// let client = fluo.application("web").observers(&observers).create().await?;
/// let worker = Worker::start(&client, observers, WorkerOptions::new()).await?;
/// client.run(async |tx| queue.add(&tx, "org.wikipedia", 7)).await?;
/// client.wait_until_idle().await?;
/// assert_eq!(query.get("org.wikipedia", &count).await?.as_deref(), Some(&b"7"[..]));
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
    /// fails, the export becomes a dead letter.
    pub fn new<K, V>(queue: impl Into<String>, table: Arc<dyn Table>, translate: F) -> Self
    where
        F: Fn(&Export<K, V>) -> Result<Vec<Mutation>, ObserverError>,
    {
        Self {
            queue: queue.into(),
            table,
            translate,
        }
    }

    /// Writes until all targets have the sequences of their exports.
    async fn write(&self, mut targets: Targets) -> Result<(), ExportError> {
        for _ in 0..MOST_ROUNDS {
            let mutations = targets.next(&*self.table).await.map_err(failed)?;
            if mutations.is_empty() {
                return Ok(());
            }
            let outcomes = self.table.write_conditional(mutations).await;
            for outcome in outcomes.map_err(failed)? {
                if let Outcome::ConstraintViolation(error) = outcome {
                    return Err(ExportError::fatal(error));
                }
            }
            // The next round reads what was written: a mutation with an unknown outcome as well.
        }
        Err(ExportError::retry_after(
            PAUSE,
            format!("other writers of the same rows were faster {MOST_ROUNDS} times"),
        ))
    }
}

/// Returns the error of a sink whose table has failed.
fn failed(error: Error) -> ExportError {
    match error.kind() {
        ErrorKind::Unavailable | ErrorKind::Uncertain => ExportError::retry_after(PAUSE, error),
        _ => ExportError::fatal(error),
    }
}

#[async_trait]
impl<K, V, F> Exporter<K, V> for TableSink<F>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
    F: Fn(&Export<K, V>) -> Result<Vec<Mutation>, ObserverError> + Send + Sync + 'static,
{
    async fn export(&self, exports: Exports<K, V>) -> Result<Exported, ExportError> {
        let mut targets = Targets::default();
        let mut letters = Vec::new();
        for (index, export) in exports.iter().enumerate() {
            match (self.translate)(export) {
                Ok(mutations) => targets.add(&self.queue, export, mutations),
                Err(error) => letters.push((index, error.to_string())),
            }
        }
        self.write(targets).await?;
        Ok(Exported::all_but(exports.len(), letters))
    }
}

impl<F> fmt::Debug for TableSink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSink")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
