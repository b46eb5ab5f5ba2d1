//! The data port.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{
    CellBatches, ConditionalMutation, Error, MultiRowWrite, Mutation, Outcome, Result, Scan, Table,
};
use futures::stream::StreamExt;

use super::SharedRecord;

#[derive(Debug)]
pub(super) struct RecordingTable {
    pub(super) inner: Arc<dyn Table>,
    pub(super) record: SharedRecord,
}

#[async_trait]
impl Table for RecordingTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.record.count(|counts| counts.scans += 1);
        let record = self.record.clone();
        let count_batch = move |cells: usize| {
            record.count(|counts| {
                counts.batches += 1;
                counts.cells += cells;
            });
        };
        let batches = self.inner.scan(scan);
        batches
            .inspect(move |batch| batch.iter().for_each(|cells| count_batch(cells.len())))
            .boxed()
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.record.count(|counts| {
            counts.writes += 1;
            counts.mutations += mutations.len();
        });
        self.inner.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        self.record.count(|counts| {
            counts.conditional_writes += 1;
            counts.conditional_mutations += mutations.len();
        });
        self.inner.write_conditional(mutations).await
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        self.inner.together().map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for RecordingTable {
    async fn write_atomically(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome> {
        self.record.count(|counts| {
            counts.together_writes += 1;
            counts.together_mutations += mutations.len();
        });
        let inner = self.inner.together().ok_or_else(not_together)?;
        inner.write_atomically(mutations).await
    }
}

/// Returns the error of a call that cannot happen: the wrapper offers writes together only if the
/// inner table does.
fn not_together() -> Error {
    Error::invalid("rows are not written together")
}
