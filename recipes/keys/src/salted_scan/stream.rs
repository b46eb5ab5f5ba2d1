//! The stream of a scan's rows.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use fluo_table::Table;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};

use super::batch::RowBatch;
use super::settings::{SaltedScan, ScanRun};
use super::windowed_merge::Windows;
use crate::error::RecipeError;

/// A stream of the rows of a salted scan, in order, in batches.
///
/// It reads only while it is polled. It ends after an error; dropping it ends the scan.
pub struct SaltedRows {
    batches: BoxStream<'static, Result<RowBatch, RecipeError>>,
    skipped: Arc<AtomicU64>,
}

impl SaltedRows {
    pub(super) fn new(scan: SaltedScan, table: Arc<dyn Table>) -> Self {
        let skipped = Arc::default();
        let run = ScanRun { scan: Arc::new(scan), table, skipped: Arc::clone(&skipped) };
        let batches = stream::try_unfold(Windows::new(run), |mut windows| async move {
            let batch = windows.next_batch().await?;
            Ok(batch.map(|batch| (batch, windows)))
        });
        Self { batches: batches.boxed(), skipped }
    }

    /// Returns the number of rows skipped so far because the design cannot have made them, if such
    /// rows [are skipped](crate::UnknownKeys::Skip).
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }
}

impl Stream for SaltedRows {
    type Item = Result<RowBatch, RecipeError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next_unpin(context)
    }
}

impl fmt::Debug for SaltedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaltedRows").field("skipped", &self.skipped()).finish_non_exhaustive()
    }
}
