//! Scans: a server-side cursor for each span, one after the other.
//!
//! A batch scanner reads many spans at once, but in no order, and rule T1 asks for one. The spans of a scan are
//! sorted and disjoint, so cursors in their order yield the cells in theirs.

use std::future::ready;
use std::vec;

use accumulo_proxy::{IteratorSetting, ScanOptions};
use fluo_core::{Cell, CellBatches, ColumnSelector, Filter, Key, Result, Scan, Span};
use futures::stream::{self, Stream, StreamExt, TryStreamExt};

use crate::table::AccumuloTable;
use crate::{convert, filter};

/// What is left of a scan.
struct Rest {
    table: AccumuloTable,
    scan: Scan,
    iterators: Vec<IteratorSetting>,
    columns: Vec<ColumnSelector>,
    spans: vec::IntoIter<Span>,
    /// The cells of the span that is being read.
    open: Option<CellBatches>,
}

impl AccumuloTable {
    pub(crate) fn batches(&self, scan: Scan) -> CellBatches {
        let table = self.clone();
        let begin = async move {
            // Also where there is no span to read: a handle ends with its table.
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
            Ok::<_, fluo_core::Error>(stream::try_unfold(rest, Rest::next))
        };
        stream::once(begin).try_flatten().boxed()
    }
}

impl Rest {
    /// The next batch, and what is left after it.
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        loop {
            if let Some(open) = &mut self.open {
                if let Some(cells) = open.try_next().await? {
                    return Ok(Some((cells, self)));
                }
                // The next span is opened by name, and a name can change hands while this one is read.
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
            intent => shown(intent, span, batches).boxed(),
        }
    }
}

/// What a scan shows of the cells that the servers showed.
fn shown(
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
    // Once it has shown its entry, a filter of one column would be asked for it again.
    let shown = shown.take(first);
    shown.try_filter(|cells| ready(!cells.is_empty()))
}
