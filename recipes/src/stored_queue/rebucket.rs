//! Another number of buckets for a queue without entries.

use std::collections::BTreeMap;

use fluo::{Bytes, Client, Error, Result, RowColumn, Transaction};
use fluo_table::coordination::Coordination;
use fluo_table::{Escaped, Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;
use crate::combine_queue::{CURRENT, value_row, values_prefix};
use crate::queue::{Buckets, QueueDefinition, QueueKind};
use crate::registration::OPTIMIZATIONS;

/// The number of values that a transaction moves.
const VALUES_AT_ONCE: usize = 500;
/// The number of bytes of values above which a transaction moves no more.
const BYTES_AT_ONCE: usize = 8 << 20;

/// A value of a combine queue, with the row to which it belongs.
struct Move {
    from: RowColumn,
    to: Bytes,
}

impl StoredQueue {
    /// Sets the number of buckets of a queue, and moves the values of a combine queue to their new
    /// buckets. Returns the number of values that were moved.
    ///
    /// All programs of the application must have stopped, and the queue must be empty. Until all
    /// values are moved, the application has no number of buckets for the queue, so no program can
    /// open it with the queue. After an interruption, call this function again. The split points
    /// change too: plan and apply the [optimizations](crate::TableOptimizations::from_settings)
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) for an id of no queue, a wrong number of buckets, and
    /// a queue with entries or an application with notifications; nothing is changed then. The
    /// errors of the table and the coordination; some values may be moved then.
    pub async fn rebucket(
        client: &Client,
        coordination: &dyn Coordination,
        id: &str,
        buckets: u32,
    ) -> Result<u64> {
        let mut settings = coordination.application().await?.settings;
        let queue = with_buckets(&mut settings, id, Buckets::new(buckets)?)?;
        check_empty(client, &queue).await?;
        let moved = match queue.kind {
            QueueKind::Export => 0,
            QueueKind::Combine => {
                let mut unset = settings.clone();
                unset.remove(&queue.buckets_setting());
                coordination.update_settings(unset).await?;
                move_values(client, &queue).await?
            }
        };
        coordination.update_settings(settings).await?;
        Ok(moved)
    }
}

/// Sets the number of buckets of a queue, and returns its definition.
fn with_buckets(
    settings: &mut BTreeMap<String, String>,
    id: &str,
    buckets: Buckets,
) -> Result<QueueDefinition> {
    let class = settings.get(&format!("{OPTIMIZATIONS}{id}"));
    let Some(kind) = class.and_then(|class| QueueKind::from_optimizer(class)) else {
        let message = format!("the application has no queue `{}`", id.escape_debug());
        return Err(Error::invalid(message));
    };
    let name = QueueDefinition::new(kind, id)?.buckets_setting();
    settings.insert(name, buckets.count().to_string());
    QueueDefinition::load(kind, id, settings)
}

async fn check_empty(client: &Client, queue: &QueueDefinition) -> Result<()> {
    let snapshot = client.snapshot().await?;
    let left = Scan::over(Span::prefix(queue.entries_prefix()));
    if let Some(cell) = snapshot.scan(left).try_concat().await?.first() {
        return Err(Error::invalid(format!(
            "the {queue} is not empty: it has the row `{}`; let workers process its entries first",
            Escaped(&cell.key.row)
        )));
    }
    match client.is_idle().await? {
        true => Ok(()),
        false => Err(Error::invalid(
            "notifications of the application wait, or another program uses it; let workers process them, and stop all \
             programs first",
        )),
    }
}

/// Moves each value that is not in its bucket.
async fn move_values(client: &Client, queue: &QueueDefinition) -> Result<u64> {
    let snapshot = client.snapshot().await?;
    let (mut chunk, mut bytes, mut moved) = (Vec::new(), 0, 0);
    let mut batches = snapshot.scan_prefix(values_prefix(queue), [&CURRENT]);
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            let Some(to) = new_row(queue, &cell.key.row) else {
                continue;
            };
            bytes += cell.key.row.len() + cell.value.len();
            moved += 1;
            let from = RowColumn::new(cell.key.row, CURRENT);
            chunk.push(Move { from, to });
            if chunk.len() >= VALUES_AT_ONCE || bytes >= BYTES_AT_ONCE {
                move_chunk(client, &std::mem::take(&mut chunk)).await?;
                bytes = 0;
            }
        }
    }
    move_chunk(client, &chunk).await?;
    Ok(moved)
}

/// Returns the row to which a value belongs, or `None` if it is in this row.
fn new_row(queue: &QueueDefinition, row: &[u8]) -> Option<Bytes> {
    let rest = row.strip_prefix(values_prefix(queue).as_bytes())?;
    let end_of_bucket = rest.iter().position(|byte| *byte == b':')?;
    let new = value_row(queue, rest.get(end_of_bucket + 1..)?);
    (new != row).then_some(new)
}

async fn move_chunk(client: &Client, chunk: &[Move]) -> Result<()> {
    let change = async |tx: Transaction| {
        let values = tx.get_all(chunk.iter().map(|one| one.from.clone())).await?;
        for one in chunk {
            if let Some(value) = values.get(&one.from) {
                tx.set(one.to.clone(), &CURRENT, value.clone())?;
                tx.delete(one.from.row.clone(), &CURRENT)?;
            }
        }
        Ok::<(), Error>(())
    };
    client.run(change).await
}
