//! Scans: a server-side cursor for each span, one after the other.
//!
//! A batch scanner reads many spans at once, but in no order, and rule T1 asks for one. The spans of a scan are
//! sorted and disjoint, so cursors in their order yield the cells in theirs.

use accumulo_proxy::{IteratorSetting, ScanOptions};
use fluo_core::{CellBatches, Error, Filter, Result, Scan, Span};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::convert;
use crate::error::port_error;
use crate::table::AccumuloTable;

/// Nearer to the reader than the iterators of a table, whose versioning has priority 20.
const FILTER_PRIORITY: i32 = 1_000;
const FIRST_OF_ROW: &str = "org.apache.accumulo.core.iterators.FirstEntryInRowIterator";

impl AccumuloTable {
    pub(crate) fn batches(&self, scan: Scan) -> CellBatches {
        let table = self.clone();
        let checked = async move {
            table.check().await?;
            let spans = scan.spans().to_vec();
            let iterators = iterators(scan.filter_intent())?;
            let cells = move |span| table.span(&scan, &span, iterators.clone());
            Ok(stream::iter(spans).flat_map(cells))
        };
        // `try_flatten` goes on after an error; a scan ends with its first.
        let mut has_failed = false;
        stream::once(checked)
            .try_flatten()
            .take_while(move |item: &Result<_>| {
                let goes_on = !std::mem::replace(&mut has_failed, item.is_err());
                async move { goes_on }
            })
            .boxed()
    }

    fn span(&self, scan: &Scan, span: &Span, iterators: Vec<IteratorSetting>) -> CellBatches {
        let mut options = ScanOptions::default();
        options.range = convert::range(span);
        options.columns = scan.columns().iter().map(convert::scan_column).collect();
        options.iterators = iterators;
        options.authorizations = Some(self.labels.clone());
        options.batch_entries = scan.max_batch_cells();
        self.tables
            .client
            .scanner(&self.name, options)
            .map_ok(|entries| entries.into_iter().map(convert::cell).collect())
            .map_err(port_error)
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
