//! Scans, with one cursor on the server for each span, one after the other.
//!
//! A batch scanner reads many spans at once, but returns them in no order, and rule T1 requires
//! one. The spans of a scan are sorted and disjoint, so reading them in order yields the cells in
//! order.

use std::future::ready;
use std::vec;

use accumulo_proxy::{IteratorSetting, ScanOptions};
use fluo_table::{Cell, CellBatches, ColumnSelector, Filter, Key, Result, Scan, Span};
use futures::stream::{self, Stream, StreamExt, TryStreamExt};

use crate::table::AccumuloTable;
use crate::{convert, filter};

/// The spans of a scan that are not read yet.
struct Rest {
    table: AccumuloTable,
    scan: Scan,
    iterators: Vec<IteratorSetting>,
    columns: Vec<ColumnSelector>,
    spans: vec::IntoIter<Span>,
    /// The cells of the span that the scan is reading.
    open: Option<CellBatches>,
}

impl AccumuloTable {
    pub(crate) fn batches(&self, scan: Scan) -> CellBatches {
        let table = self.clone();
        let begin = async move {
            // This check is also made for a scan without spans: a handle is valid only as long as
            // its table exists.
            table.check().await?;
            if filter::needs_fluo(scan.filter_intent()) {
                table.tables.require_iterators().await?;
            }
            let columns = filter::columns(&scan);
            let spans = match columns {
                Some(_) => scan.spans().to_vec(),
                None => Vec::new(),
            };
            let rest = Rest {
                iterators: filter::iterators(scan.filter_intent())?,
                columns: columns.unwrap_or_default(),
                spans: spans.into_iter(),
                open: None,
                table,
                scan,
            };
            Ok::<_, fluo_table::Error>(stream::try_unfold(rest, Rest::next))
        };
        stream::once(begin).try_flatten().boxed()
    }
}

impl Rest {
    /// Returns the next batch and the rest of the scan.
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        loop {
            if let Some(open) = &mut self.open {
                if let Some(cells) = open.try_next().await? {
                    return Ok(Some((cells, self)));
                }
                // The next span is opened by name, and the name may belong to another table by now.
                self.table.check().await?;
            }
            let Some(span) = self.spans.next() else {
                return Ok(None);
            };
            self.open = Some(self.cells(span));
        }
    }

    fn cells(&self, span: Span) -> CellBatches {
        let intent = self.scan.filter_intent();
        let options = ScanOptions::default()
            .range(convert::range(&filter::asked_for(intent, &span)))
            .columns(self.columns.iter().map(convert::scan_column))
            .authorizations(self.table.labels.iter().cloned())
            .batch_entries(self.scan.max_batch_cells());
        let iterators = self.iterators.iter().cloned();
        let options = iterators.fold(options, ScanOptions::iterator);
        let (tables, name) = (self.table.tables.clone(), self.table.name.clone());
        let batches = tables
            .client
            .scanner(&name, options)
            .map_ok(|entries| entries.into_iter().map(convert::cell).collect())
            .map_err(move |error| tables.lacking("READ", &name, error));
        match intent {
            Filter::None | Filter::FirstOfRow => batches.boxed(),
            intent => restricted(intent, span, batches).boxed(),
        }
    }
}

/// Drops the cells of the servers that do not belong to the scan.
fn restricted(
    intent: Filter,
    span: Span,
    batches: impl Stream<Item = Result<Vec<Cell>>>,
) -> impl Stream<Item = Result<Vec<Cell>>> {
    let mut last: Option<Key> = None;
    let shown = batches.map_ok(move |cells: Vec<Cell>| {
        let mut shown = Vec::with_capacity(cells.len());
        for cell in cells {
            if filter::is_shown(intent, &span, last.as_ref(), &cell.key) {
                last = Some(cell.key.clone());
                shown.push(cell);
            }
        }
        shown
    });
    let first = if intent.is_of_one_column() {
        1
    } else {
        usize::MAX
    };
    // A filter of one column yields one entry. If the scan continued, it would yield it again.
    let shown = shown.take(first);
    shown.try_filter(|cells| ready(!cells.is_empty()))
}
