//! Compaction: dropping what no scan can show any more.
//!
//! It runs in steps, each a transaction of its own between the writes of others, and may be interrupted after any
//! of them. That is safe because of the shape of a column. Newest first, its entries are: the versions that are
//! shown; then everything that is not, down to the end. What is hidden is hidden by a delete marker above it, or by
//! the number of newer versions. So:
//! - **C1.** A column's first delete marker is dropped last: in the transaction that finds nothing behind it but
//!   what it drops as well. Until then it hides what is behind it, whatever is dropped in between and whatever
//!   is written there meanwhile.
//! - **C2.** Everything else that is hidden can be dropped in any order: what hides it stays.
//! - **C3.** There is one compaction at a time, so no other one drops the versions that this one has counted.

use std::sync::Arc;

use fluo_core::table::{Admission, View, ViewState};
use fluo_core::{Bytes, Error, Result, Scan, Span, Versions};
use redb::{ReadableTable, Table, WriteTransaction};
use tracing::debug;

use crate::catalog;
use crate::condition::unreadable_key;
use crate::error::Failure;
use crate::key::{self, KeyReader};
use crate::schema::{CellsDefinition, PROPERTIES, TABLETS, cells_name};
use crate::tables::Shared;
use crate::tablets::{self, CountChanges};
use crate::writer::Verdict;

/// Stored entries that one step looks at: milliseconds, in which no one else writes.
const STEP_ENTRIES: usize = 8_192;
/// Bytes of one key that ends with timestamp and kind.
const TIMESTAMP_AND_KIND_BYTES: usize = 9;

/// Compacts the tablets of a table that overlap a span.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    name: &str,
    table_id: u64,
    span: &Span,
) -> Result<()> {
    let _alone = shared.compacting.lock().await;
    let (span, name) = (span.clone(), name.to_owned());
    let store = shared.store.clone();
    let begun = crate::scan::off_the_runtime({
        let name = name.clone();
        move || store.read(|snapshot| begin(snapshot, &name, table_id, &span))
    });
    let mut compaction = begun.await?;
    while let Some(mut going_on) = compaction {
        let job = move |transaction: &WriteTransaction| {
            let dropped = going_on.step(transaction)?;
            let rest = going_on.next.is_some().then_some(going_on);
            Ok(match dropped {
                0 => Verdict::Discard(rest),
                _ => Verdict::Commit(rest),
            })
        };
        compaction = shared.writer.run(job).await?;
    }
    debug!(table = name, "compacted");
    Ok(())
}

/// How far a compaction has come.
#[derive(Debug)]
struct Compaction {
    name: String,
    table_id: u64,
    /// The tablets' rows.
    span: Span,
    /// Where to read on; `None` when done.
    next: Option<Vec<u8>>,
    view: ViewState,
    /// The bytes of the current column, and its first delete marker, which is dropped last.
    column: Vec<u8>,
    marker: Option<Vec<u8>>,
}

fn begin(
    snapshot: &redb::ReadTransaction,
    name: &str,
    table_id: u64,
    span: &Span,
) -> Result<Option<Compaction>, Failure> {
    if span.is_empty() {
        return Ok(None);
    }
    let span = tablets_of(snapshot, table_id, span)?;
    Ok(Some(Compaction {
        name: name.to_owned(),
        table_id,
        next: Some(key::bound(span.start().as_ref())),
        span,
        view: ViewState::default(),
        column: Vec::new(),
        marker: None,
    }))
}

/// The rows of the tablets that overlap a span.
fn tablets_of(
    snapshot: &redb::ReadTransaction,
    table_id: u64,
    span: &Span,
) -> Result<Span, Failure> {
    let records = snapshot.open_table(TABLETS)?;
    let (previous, _) = tablets::bounds_of_row(&records, table_id, &span.start().row)?;
    let end: Option<Bytes> = match span.end() {
        None => None,
        Some(end) => tablets::bounds_of_row(&records, table_id, last_row(end))?.1,
    };
    Ok(Span::tablet(previous.as_deref(), end.as_deref()))
}

/// The last row before the end of a span, or one that stands in the same tablet.
fn last_row(end: &fluo_core::Key) -> &[u8] {
    let is_first_of_row = *end == fluo_core::Key::first_of_row(end.row.clone());
    let row_before = end.row.strip_suffix(&[0]);
    row_before.filter(|_| is_first_of_row).unwrap_or(&end.row)
}

impl Compaction {
    /// Looks at the next entries and drops what can be dropped; says how many those were.
    fn step(&mut self, transaction: &WriteTransaction) -> Result<usize, Failure> {
        if !tablets::exist(&transaction.open_table(TABLETS)?, self.table_id)? {
            return Err(Error::no_such_table(&self.name).into());
        }
        let properties = catalog::properties(&transaction.open_table(PROPERTIES)?, self.table_id)?;
        let name = cells_name(self.table_id);
        let mut cells = transaction.open_table(CellsDefinition::new(&name))?;
        let hidden = self.read_on(&cells, Versions::from_properties(&properties))?;
        self.drop_entries(transaction, &mut cells, &hidden)?;
        Ok(hidden.len())
    }

    /// Reads a step's entries and gives the keys of those that can be dropped now.
    fn read_on(
        &mut self,
        cells: &impl ReadableTable<&'static [u8], &'static [u8]>,
        versions: Versions,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let scan = Scan::over(self.span.clone());
        let span = self.span.clone();
        let mut view =
            View::of_any_reader(&scan, &span, versions).resume(std::mem::take(&mut self.view));
        let mut reader = KeyReader::default();
        let mut hidden = Vec::new();
        let mut looked_at = 0;
        let from = self.next.take().unwrap_or_default();
        let end = span.end().map(|end| key::bound(end.as_ref()));
        let entries = match &end {
            Some(end) => cells.range::<&[u8]>(from.as_slice()..end.as_slice())?,
            None => cells.range::<&[u8]>(from.as_slice()..)?,
        };
        for entry in entries {
            let (bytes, _) = entry?;
            let bytes = bytes.value();
            self.enter_column(bytes, &mut hidden);
            let (key, is_delete) = reader.read(bytes).ok_or_else(unreadable_key)?;
            if view.admit(key, is_delete) == Admission::Hide {
                self.hide(bytes, is_delete, &mut hidden);
            }
            looked_at += 1;
            if looked_at == STEP_ENTRIES {
                self.view = view.into_state();
                self.next = Some(self.resume_after(bytes));
                return Ok(hidden);
            }
        }
        hidden.extend(self.marker.take());
        Ok(hidden)
    }

    /// Notes where a new column begins: the marker of the one before hides nothing any more (C1).
    fn enter_column(&mut self, bytes: &[u8], hidden: &mut Vec<Vec<u8>>) {
        let column_bytes = bytes.len().saturating_sub(TIMESTAMP_AND_KIND_BYTES);
        let column = bytes.get(..column_bytes).unwrap_or_default();
        if self.column != column {
            hidden.extend(self.marker.take());
            self.column.clear();
            self.column.extend_from_slice(column);
        }
    }

    fn hide(&mut self, bytes: &[u8], is_delete: bool, hidden: &mut Vec<Vec<u8>>) {
        if is_delete && self.marker.is_none() {
            self.marker = Some(bytes.to_vec());
        } else {
            hidden.push(bytes.to_vec());
        }
    }

    /// Where the next step begins: behind the marker if there is one, so that it sees what was written there
    /// meanwhile (C1).
    fn resume_after(&self, last: &[u8]) -> Vec<u8> {
        let last = self.marker.as_deref().unwrap_or(last);
        [last, &[0]].concat()
    }

    fn drop_entries(
        &self,
        transaction: &WriteTransaction,
        cells: &mut Table<'_, &'static [u8], &'static [u8]>,
        hidden: &[Vec<u8>],
    ) -> Result<(), Failure> {
        let mut records = transaction.open_table(TABLETS)?;
        let mut changes = CountChanges::default();
        let mut reader = KeyReader::default();
        for bytes in hidden {
            let (key, _) = reader.read(bytes).ok_or_else(unreadable_key)?;
            if cells.remove(bytes.as_slice())?.is_some() {
                changes.add(tablets::key_of_row(&records, self.table_id, key.row)?, -1);
            }
        }
        changes.apply(&mut records)
    }
}
