//! A scan of one snapshot, read in steps.

use std::sync::Arc;

use fluo_table::table::EntryFilter;
use fluo_table::{Authorizations, Cell, Result, Scan, Versions};

use super::batch::BatchBuilder;
use crate::condition::unreadable_key;
use crate::engine::{CellEntries, Cells, Families, Read, Snapshot};
use crate::error::Failure;
use crate::key::{self, KeyReader};
use crate::seek::Skip;
use crate::tables::Shared;

#[derive(Clone, Copy, Debug)]
pub(super) struct StepBounds {
    /// The maximum number of returned cells, unless the scan wants fewer in a batch.
    pub(super) cells: usize,
    /// The maximum number of bytes of these cells, give or take one cell.
    pub(super) bytes: usize,
    /// The maximum number of stored entries to read, shown or hidden.
    pub(super) entries: usize,
}

/// A snapshot, and the position up to which it was read.
pub(crate) struct Reader {
    scan: Scan,
    authorizations: Arc<Authorizations>,
    versions: Versions,
    snapshot: Snapshot,
    cells: Cells,
    families: Families,
    /// The rest of the entries of the current span, the rules for them, and the bound of the span;
    /// `None` before the first span and between two.
    current: Option<(CellEntries, EntryFilter, Option<Vec<u8>>)>,
    next_span: usize,
    keys: KeyReader,
    skip: Skip,
    /// The shared state. Last field, because the directory must be held as long as the snapshot
    /// exists.
    shared: Arc<Shared>,
}

impl Reader {
    pub(crate) fn new(
        shared: Arc<Shared>,
        snapshot: Snapshot,
        cells: Cells,
        versions: Versions,
        authorizations: Arc<Authorizations>,
        scan: Scan,
    ) -> Self {
        Self {
            families: Families::for_scan(&scan),
            scan,
            authorizations,
            versions,
            snapshot,
            cells,
            current: None,
            next_span: 0,
            keys: KeyReader::default(),
            skip: Skip::default(),
            shared,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.current.is_none() && self.next_span >= self.scan.spans().len()
    }

    /// Reads the next cells. The result may be empty before the end if all entries of the step are
    /// hidden.
    pub(super) fn step(&mut self, bounds: StepBounds) -> Result<Vec<Cell>> {
        let shared = self.shared.clone();
        shared.store.contained(|| self.read_on(bounds))
    }

    fn read_on(&mut self, bounds: StepBounds) -> Result<Vec<Cell>, Failure> {
        let most_cells = bounds.cells.min(self.scan.batch_cells.get());
        let mut batch =
            BatchBuilder::with_capacity(bounds.bytes.min(most_cells.saturating_mul(64)));
        let mut entries_left = bounds.entries;
        while batch.cell_count() < most_cells
            && batch.byte_count() < bounds.bytes
            && entries_left > 0
        {
            let Some((entries, view, end)) = &mut self.current else {
                if self.enter_span() {
                    continue;
                }
                break;
            };
            let Some(entry) = entries.next() else {
                self.current = None;
                continue;
            };
            entries_left -= 1;
            let (bytes, value) = entry?;
            let (key, is_delete) = self.keys.read(&bytes).ok_or_else(unreadable_key)?;
            if view.shows(key, &value, is_delete) {
                batch.push(key, &value);
                self.skip.shown();
            } else if let Some(from) = self.skip.hidden(view, &bytes) {
                let sought =
                    || self.snapshot.cells(&self.cells, self.families, &from, end.as_deref());
                *entries = self.skip.seek(sought);
            }
        }
        Ok(batch.finish())
    }

    fn enter_span(&mut self) -> bool {
        let Some(span) = self.scan.spans().get(self.next_span) else {
            return false;
        };
        let from = key::bound(EntryFilter::read_from(&self.scan, span).as_ref());
        let end = span.end().map(|end| key::bound(end.as_ref()));
        let entries = self.snapshot.cells(&self.cells, self.families, &from, end.as_deref());
        let view = EntryFilter::new(&self.scan, span, self.versions, Some(&self.authorizations));
        self.current = Some((entries, view, end));
        self.next_span += 1;
        true
    }
}
