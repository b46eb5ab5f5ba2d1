//! The rows of a load, with their keys, in batches.

use std::error::Error;
use std::pin::Pin;

use fluo_table::Mutation;
use futures_util::{Stream, StreamExt};

use super::cause::{BulkLoadCause, Failure};
use super::repeated_keys::{RepeatedKeys, SeenKeys};
use super::row::Row;
use super::settings::Settings;

/// Maximum number of bytes in a batch, except for a single larger row.
const BATCH_BYTES: usize = 1 << 20;

/// The rest of the input.
pub(super) struct Input<'a, S> {
    rows: Pin<&'a mut S>,
    settings: &'a Settings,
    /// The number of rows that were read.
    read: u64,
    batch: Vec<Row>,
    batch_bytes: usize,
    /// Maximum number of rows in the batch. The first row is written alone (B2).
    most_rows: usize,
    seen: SeenKeys,
    failure: Option<Failure>,
}

impl<'a, S, E> Input<'a, S>
where
    S: Stream<Item = Result<Mutation, E>>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    pub(super) fn new(rows: Pin<&'a mut S>, settings: &'a Settings) -> Self {
        Self {
            rows,
            settings,
            read: 0,
            batch: Vec::new(),
            batch_bytes: 0,
            most_rows: 1,
            seen: SeenKeys::with_most(settings.remembered_keys),
            failure: None,
        }
    }

    /// Returns the next batch, or `None` at the end of the input or after a failure. Dropping the
    /// future loses no row.
    pub(super) async fn next_batch(&mut self) -> Option<Vec<Row>> {
        while self.failure.is_none()
            && self.batch.len() < self.most_rows
            && self.batch_bytes < BATCH_BYTES
        {
            let Some(row) = self.rows.next().await else {
                break;
            };
            let number = self.read + 1;
            match row.map_err(|error| BulkLoadCause::Input(error.into())) {
                Ok(mutation) => self.add(number, mutation),
                Err(cause) => self.failure = Some(Failure::of_row(number, cause)),
            }
        }
        (self.batch_bytes, self.most_rows) = (0, self.settings.batch_rows.get());
        let batch = std::mem::take(&mut self.batch);
        (!batch.is_empty()).then_some(batch)
    }

    fn add(&mut self, number: u64, mutation: Mutation) {
        match self.settings.row(number, mutation) {
            Ok(row) => {
                self.read = number;
                self.batch_bytes += row.mutation.size_bytes();
                if !self.settings.insert_only {
                    self.seen.add(&row.mutation.row);
                }
                self.batch.push(row);
            }
            Err(error) => self.failure = Some(Failure::of_row(number, error)),
        }
    }

    /// Returns the rows that were read and whose key an earlier row has.
    pub(super) fn repeated_keys(&self) -> RepeatedKeys {
        self.seen.repeated()
    }

    /// Returns the failure that ended the input.
    pub(super) fn into_failure(self) -> Option<Failure> {
        self.failure
    }
}
