//! Batched writes of rows: one thread reads them, and several writes run concurrently.

use std::io::Read;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use fluo_recipes::KeyMigration;
use fluo_table::{Bytes, Column, Mutation, Table};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::insert_if_absent;
use super::repeated::{Keys, Repeated};
use super::report::{Ended, Tally};
use crate::lines;

/// Maximum number of rows in a write.
const BATCH_ROWS: usize = 1_000;
/// Number of rows in the first write.
const FIRST_BATCH_ROWS: usize = 1;
/// Maximum number of bytes in a write, except for a single larger row.
const BATCH_BYTES: usize = 1 << 20;
/// Number of concurrent writes. It keeps the table busy while rows are read, and bounds memory.
const WRITES_UNDER_WAY: usize = 4;

/// The way in which rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Unconditionally.
    #[default]
    Put,
    /// Unconditionally, with a drawn salt: a row that is written twice exists twice.
    PutDrawn,
    /// Like `PutDrawn`, but the same rows always get the same salts.
    PutSeeded,
    /// Only if the column is absent.
    CreateIfAbsent,
}

/// The table and the column to write, and the way to write them.
pub(super) struct Destination {
    pub(super) table: Arc<dyn Table>,
    /// The column to write.
    pub(super) column: Column,
    pub(super) writing: Writing,
    /// The designs in which a row may already exist, if there are several.
    pub(super) epochs: Option<KeyMigration>,
}

/// The rows of one write.
struct Batch {
    /// The line of the first row; the other rows follow it.
    first_line: u64,
    mutations: Vec<Mutation>,
}

/// Writes a row for each line of `input`, and returns their number. All of them are durable when it
/// returns.
///
/// See [`feed`] for the order of writes and the errors.
pub(crate) async fn write_rows(
    table: Arc<dyn Table>,
    input: impl Read + Send + 'static,
    column: Column,
    key_of: impl Fn(&[u8]) -> Result<Bytes> + Send + 'static,
    watch: impl Fn(&Tally),
) -> Result<u64> {
    let destination = Destination {
        table,
        column,
        writing: Writing::Put,
        epochs: None,
    };
    let tally = feed(destination, input, key_of, watch).await?;
    Ok(tally.written())
}

/// Writes a row for each line of `input`, and returns the counts.
///
/// The first row is written alone, because a refused single-row write has a certain outcome, which
/// one of many rows may not have. `watch` is called whenever the counts change. An error contains
/// the number of rows that are known to be written.
pub(super) async fn feed(
    destination: Destination,
    input: impl Read + Send + 'static,
    key_of: impl Fn(&[u8]) -> Result<Bytes> + Send + 'static,
    watch: impl Fn(&Tally),
) -> Result<Tally> {
    let Destination {
        table,
        column,
        writing,
        epochs,
    } = destination;
    let (batches, mut received) = mpsc::channel::<Batch>(WRITES_UNDER_WAY);
    let reader =
        tokio::task::spawn_blocking(move || read_batches(input, &column, key_of, &batches));

    let mut under_way = JoinSet::new();
    let mut tally = Tally::new(writing);
    while !tally.has_failed() {
        watch(&tally);
        let most_writes = if tally.is_untried() {
            1
        } else {
            WRITES_UNDER_WAY
        };
        tokio::select! {
            Some(ended) = under_way.join_next_with_id() => tally.end(ended),
            batch = received.recv(), if under_way.len() < most_writes => {
                let Some(batch) = batch else { break };
                let (table, epochs) = (Arc::clone(&table), epochs.clone());
                let rows = batch.mutations.len();
                let begun = under_way
                    .spawn(async move { write(&*table, batch, writing, epochs.as_ref()).await });
                tally.begin(begun.id(), rows);
            }
        }
    }
    // Drop the receiver, so a reader that waits for capacity stops.
    drop(received);
    while let Some(ended) = under_way.join_next_with_id().await {
        tally.end(ended);
        watch(&tally);
    }
    // After a failure, do not wait for the reader: it may wait for input that never arrives.
    let outcome = match tally.take_failure() {
        Some(failure) => Err(failure),
        None => reader.await?,
    };
    match outcome {
        Ok(repeated) => {
            // With `CreateIfAbsent`, the second row of a key is a conflict instead.
            if writing != Writing::CreateIfAbsent {
                tally.set_repeated(repeated);
            }
            Ok(tally)
        }
        Err(error) => Err(error.context(tally.sentence())),
    }
}

async fn write(
    table: &dyn Table,
    batch: Batch,
    writing: Writing,
    epochs: Option<&KeyMigration>,
) -> Ended {
    match writing {
        Writing::Put | Writing::PutDrawn | Writing::PutSeeded => {
            Ended::Put(table.write(batch.mutations).await)
        }
        Writing::CreateIfAbsent => {
            let Batch {
                first_line,
                mutations,
            } = batch;
            Ended::Created(insert_if_absent::create(table, epochs, first_line, mutations).await)
        }
    }
}

fn read_batches(
    input: impl Read,
    column: &Column,
    key_of: impl Fn(&[u8]) -> Result<Bytes>,
    batches: &mpsc::Sender<Batch>,
) -> Result<Repeated> {
    let mut keys = Keys::default();
    let mut mutations = Vec::with_capacity(BATCH_ROWS);
    let mut first_line = 1;
    let mut bytes = 0;
    let mut most_rows = FIRST_BATCH_ROWS;
    let send = |first_line, mutations| {
        let batch = Batch {
            first_line,
            mutations,
        };
        batches
            .blocking_send(batch)
            .map_err(|_| anyhow!("the writer stopped"))
    };
    let result = lines::for_each(input, |number, line| {
        let mutation = Mutation::new(key_of(line)?).put(column.clone(), Bytes::new());
        bytes += mutation.size_bytes();
        keys.add(&mutation.row);
        mutations.push(mutation);
        if mutations.len() >= most_rows || bytes >= BATCH_BYTES {
            bytes = 0;
            most_rows = BATCH_ROWS;
            let full = std::mem::replace(&mut mutations, Vec::with_capacity(BATCH_ROWS));
            send(std::mem::replace(&mut first_line, number + 1), full)?;
        }
        Ok(())
    });
    if !mutations.is_empty() {
        send(first_line, mutations)?;
    }
    result.map(|()| keys.repeated())
}
