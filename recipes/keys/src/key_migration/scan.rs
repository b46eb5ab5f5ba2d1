//! The source of a scan over all epochs.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::Bytes;
use futures_util::stream::{self, StreamExt};

use super::designs::KeyMigration;
use super::windowed_merge::{Reached, Windows, clipped, of_one_epoch};
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, KeyOrder, RowSelection};
use crate::salted_scan::{
    Mark, MergeSettings, PieceRows, SaltedRows, SaltedScan, ScanPlan, ScanSource, Selection,
    piece_rows,
};

impl KeyMigration {
    /// Returns a scan of these rows over all epochs, in order.
    ///
    /// While rows are moved, it yields the same rows as a scan of a table with one design, by the
    /// same rules: no row is repeated or missed. Cells of a row that is being moved may come from
    /// several keys; each cell contains its key.
    ///
    /// # Errors
    ///
    /// As [`spans`](Self::spans).
    pub fn scan(&self, rows: &RowSelection) -> Result<SaltedScan, RecipeError> {
        let spans = self.spans(rows)?.into_iter();
        let epochs = Epochs {
            designs: self.clone(),
            pieces: spans
                .map(|of_one| of_one.iter().map(piece_rows).collect())
                .collect(),
        };
        Ok(SaltedScan::over(Arc::new(epochs), self.mark(rows)))
    }
}

/// The designs of a table, and the pieces of each that can contain the rows of a scan.
struct Epochs {
    designs: KeyMigration,
    /// The pieces of each epoch, oldest first.
    pieces: Arc<[Vec<PieceRows>]>,
}

impl Epochs {
    /// Returns the extent of a read up to a stored key.
    fn reached(&self, after: Option<&Bytes>) -> Reached {
        let unsalted = after.and_then(|key| self.designs.unsalted(key));
        unsalted.map_or(Reached::Nothing, |unsalted| {
            Reached::Through(Bytes::copy_from_slice(unsalted))
        })
    }
}

impl ScanSource for Epochs {
    fn can_resume_after(&self, key: &Bytes) -> bool {
        self.designs.unsalted(key).is_some()
    }

    fn plan(&self, after: Option<&Bytes>, settings: MergeSettings) -> ScanPlan {
        let reached = self.reached(after);
        let left: Vec<Vec<PieceRows>> = self
            .pieces
            .iter()
            .zip(self.designs.list())
            .map(|(pieces, epoch)| {
                let rest = (&reached, &Reached::All);
                let left = |piece: &PieceRows| clipped(piece, epoch.head_len(), rest);
                pieces.iter().filter_map(left).collect()
            })
            .collect();
        // One epoch is read at a time.
        let most_pieces = left.iter().map(Vec::len).max().unwrap_or(0);
        let mut pieces = left.concat();
        pieces.sort_unstable();
        pieces.dedup();
        let names: Vec<_> = self.designs.designs().map(KeyDesign::to_string).collect();
        // All designs have one order.
        let any = self.designs.designs().next();
        let order = any.map_or(KeyOrder::Rows, KeyDesign::order);
        let settings = of_one_epoch(settings);
        ScanPlan::new(names.join(" or "), order, (pieces, most_pieces), settings)
    }

    fn run(
        &self,
        after: Option<&Bytes>,
        selection: Selection,
        settings: MergeSettings,
        mark: Mark,
    ) -> SaltedRows {
        let skipped = Arc::new(AtomicU64::new(0));
        let windows = Windows::new(
            self.designs.clone(),
            (self.pieces.clone(), mark),
            selection,
            settings,
            self.reached(after),
            skipped.clone(),
        );
        let batches = stream::try_unfold(windows, |mut windows| async move {
            let batch = windows.next_batch().await?;
            Ok(batch.map(|batch| (batch, windows)))
        });
        SaltedRows::of(batches.boxed(), skipped)
    }
}
