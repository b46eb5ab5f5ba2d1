//! Compaction: dropping entries that no scan can show any more.
//!
//! A compaction runs in steps. Each step is a transaction between the writes of others, and the
//! compaction may be interrupted after any of them. That is safe because of the order of a column's
//! entries, newest first: first the versions that are shown, then all others, down to the end. A
//! hidden entry is hidden by a delete marker above it, or by the number of newer versions. So:
//! - **C1.** The first delete marker of a column is dropped last: in the transaction that finds no
//!   entries behind it except those that it drops as well. Until then the marker hides the entries
//!   behind it, whatever is dropped or written there in the meantime.
//! - **C2.** All other hidden entries can be dropped in any order: the entries that hide them stay.
//! - **C3.** Only one compaction runs at a time, so no other one drops the versions that this one
//!   has counted.
//! - **C4.** If the number of versions that the table shows changes between two steps, the
//!   compaction restarts the current column: the counts under the old number do not apply under the
//!   new one.
//! - **C5.** The garbage of transactions in a column ([`Garbage`]) is found and dropped in one
//!   transaction: the step that begins such a column continues to its end, however many entries it
//!   has. If the step ends there, the next one begins at the beginning of a column.

mod step;
#[cfg(test)]
mod whole_columns;

use std::sync::Arc;

use fluo_table::{Bytes, Garbage, Key, Result, Span};
use step::{Compaction, Dropped};
use tracing::debug;

use crate::engine::{Read, Snapshot, Transaction};
use crate::error::Failure;
use crate::scan::off_the_runtime;
use crate::store::Store;
use crate::tables::Shared;
use crate::tablets;
use crate::writer::Verdict;

/// The number of stored entries that one step processes: a few milliseconds, during which no other
/// write runs.
const STEP_ENTRIES: usize = 8_192;

/// The files of a table without its notifications are merged if at least one entry of them was
/// dropped for this number of remaining ones.
const MERGE_FRACTION: u64 = 4;

pub(crate) async fn run(
    shared: &Arc<Shared>,
    name: &str,
    table_id: u64,
    span: &Span,
    garbage: Garbage,
) -> Result<()> {
    if span.is_empty() {
        return Ok(());
    }
    let _alone = shared.compacting.lock().await;
    let (span, store) = (span.clone(), shared.store.clone());
    let tablets = move || store.read(|snapshot| tablets_of(snapshot, table_id, &span));
    let tablets = off_the_runtime(tablets).await?;
    let mut compaction = Some(Compaction::new(name, table_id, tablets, garbage));
    let mut dropped = Dropped::default();
    while let Some(mut rest) = compaction {
        let job = move |transaction: &mut Transaction<'_>| {
            let dropped = rest.step(transaction, STEP_ENTRIES)?;
            let rest = (!rest.is_done()).then_some(rest);
            Ok(match dropped == Dropped::default() {
                true => Verdict::Discard((rest, dropped)),
                false => Verdict::Commit((rest, dropped)),
            })
        };
        let dropped_now;
        (compaction, dropped_now) = shared.writer.run(job).await?;
        dropped += dropped_now;
    }
    if dropped != Dropped::default() {
        let store = shared.store.clone();
        off_the_runtime(move || store.contained(|| drop_removed(&store, table_id, dropped)))
            .await?;
    }
    debug!(table = name, ?dropped, "compacted");
    Ok(())
}

/// Lets the engine drop removed entries, which every scan would still pass. Merging the files of
/// the table is worth it if they have many.
fn drop_removed(store: &Store, table_id: u64, dropped: Dropped) -> Result<(), Failure> {
    let (cells, tablets) = {
        let snapshot = store.engine().snapshot();
        (snapshot.maps().cells(table_id), tablets::list(&snapshot, table_id)?)
    };
    let Some(cells) = cells else {
        return Ok(());
    };
    if dropped.notifications > 0 {
        store.engine().drop_removed(&cells.notifications, true)?;
    }
    if dropped.others > 0 {
        let left: u64 = tablets.iter().map(|(_, entries)| entries).sum();
        let is_much = dropped.others >= left / MERGE_FRACTION;
        store.engine().drop_removed(&cells.others, is_much)?;
    }
    Ok(())
}

/// Returns the rows of the tablets that overlap a span.
fn tablets_of(snapshot: &Snapshot, table_id: u64, span: &Span) -> Result<Span, Failure> {
    let (previous, _) = tablets::bounds_of_row(snapshot, table_id, &span.start().row)?;
    let end: Option<Bytes> = match span.end() {
        None => None,
        Some(end) => tablets::bounds_of_row(snapshot, table_id, last_row(end))?.1,
    };
    Ok(Span::tablet(previous.as_deref(), end.as_deref()))
}

/// Returns the last row before the end of a span, or another row in the same tablet.
fn last_row(end: &Key) -> &[u8] {
    let is_first_of_row = *end == Key::first_of_row(end.row.clone());
    let row_before = end.row.strip_suffix(&[0]);
    row_before.filter(|_| is_first_of_row).unwrap_or(&end.row)
}
