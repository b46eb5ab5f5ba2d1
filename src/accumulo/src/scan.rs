//! Scans: a server-side cursor for each span, one after the other.
//!
//! A batch scanner reads many spans at once, but in no order, and rule T1 asks for one. The spans of a scan are
//! sorted and disjoint, so cursors in their order yield the cells in theirs.

use std::vec;

use accumulo_proxy::{IteratorSetting, ScanOptions};
use fluo_core::{Cell, CellBatches, Error, Filter, Result, Scan, Span};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::convert;
use crate::error::lacking;
use crate::table::AccumuloTable;

/// Nearer to the reader than the iterators of a table, whose versioning has priority 20.
const FILTER_PRIORITY: i32 = 1_000;
const FIRST_OF_ROW: &str = "org.apache.accumulo.core.iterators.FirstEntryInRowIterator";

/// What is left of a scan.
struct Rest {
    table: AccumuloTable,
    scan: Scan,
    iterators: Vec<IteratorSetting>,
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
            let rest = Rest {
                iterators: iterators(scan.filter_intent())?,
                spans: scan.spans().to_vec().into_iter(),
                open: None,
                table,
                scan,
            };
            Ok(stream::try_unfold(rest, Rest::next))
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
            self.open = Some(self.cells(&span));
        }
    }

    fn cells(&self, span: &Span) -> CellBatches {
        let options = ScanOptions::default()
            .range(convert::range(span))
            .columns(self.scan.columns().iter().map(convert::scan_column))
            .authorizations(self.table.labels.iter().cloned())
            .batch_entries(self.scan.max_batch_cells());
        let iterators = self.iterators.iter().cloned();
        let options = iterators.fold(options, ScanOptions::iterator);
        let client = self.table.tables.client.clone();
        let name = self.table.name.clone();
        client
            .scanner(&self.table.name, options)
            .map_ok(|entries| entries.into_iter().map(convert::cell).collect())
            .map_err(move |error| {
                lacking("READ", client.settings().credentials.user(), &name, error)
            })
            .boxed()
    }
}

/// The iterators on the servers that mean what a filter means.
fn iterators(filter: Filter) -> Result<Vec<IteratorSetting>> {
    match filter {
        Filter::None => Ok(Vec::new()),
        Filter::FirstOfRow => {
            let first = IteratorSetting::new(FILTER_PRIORITY, "firstOfRow", FIRST_OF_ROW);
            Ok(vec![first])
        }
        // To read on without the filter would yield too much, silently.
        other => Err(Error::invalid(format!(
            "there is no iterator on the servers for the filter {other:?}"
        ))),
    }
}
