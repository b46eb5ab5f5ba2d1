//! Scans. The spans of a scan are sorted and disjoint, so reading them in order yields the cells in
//! order (rule T1).
//!
//! Small spans that follow each other are read with one lookup: a batch scanner reads all of them
//! at once, in no order, and the client sorts the cells. A large span has a cursor on the server.
//! If a scan continues after its first batch, the cursor of the next large span is opened, and its
//! first batch is read, while the present one is read. If spans that may be small hold too much for
//! a lookup, an eighth of them is tried, and if that is less than two, the next ones have cursors.
//! Spans of several rows have cursors after the first lookup that was too large.

use std::collections::VecDeque;
use std::future::ready;
use std::num::NonZeroUsize;
use std::pin::Pin;

use accumulo_proxy::{BatchScanOptions, IteratorSetting, ScanOptions};
use fluo_table::{Cell, CellBatches, ColumnSelector, Filter, Result, Scan, Span};
use futures::future::FutureExt;
use futures::stream::{self, Peekable, Stream, StreamExt, TryStreamExt};

use crate::table::AccumuloTable;
use crate::{convert, filter};

const LOOKUP_SPANS: usize = 1_000;
/// Divisor of the number of spans after a lookup that was too large.
const SHRINK_BY: usize = 8;
/// Number of spans that have cursors once two spans were too large for a lookup.
const LARGE_SPANS: usize = 64;
/// Maximum number of entries of a lookup. A lookup that is too large is discarded.
const LOOKUP_ENTRIES: usize = 10_000;
/// The same for spans of several rows, which are less likely to be small.
const LOOKUP_ENTRIES_OF_RANGES: usize = 1_000;
/// Maximum number of bytes of a lookup, which holds all of its entries in memory.
const LOOKUP_BYTES: usize = 64 * 1024 * 1024;
/// Number of spans of a lookup for each thread of the proxy that queries tablet servers. With two
/// threads for a lookup of few spans, transfers had three quarters of the rate.
const SPANS_PER_THREAD: usize = 128;
/// Maximum number of cursors that are open at once.
const CURSORS: usize = 2;

/// The spans of a scan that are not read yet.
struct Rest {
    table: AccumuloTable,
    scan: Scan,
    iterators: Vec<IteratorSetting>,
    columns: Vec<ColumnSelector>,
    spans: VecDeque<Span>,
    /// Maximum number of spans of the next lookup.
    lookup_spans: usize,
    /// Number of spans that have cursors, because others were too large for a lookup.
    large: usize,
    /// `true` if spans of several rows were too large for a lookup.
    ranges_are_large: bool,
    /// The cells that are being read, in order: of one lookup, or of spans with a cursor each.
    open: VecDeque<Peekable<CellBatches>>,
    /// `true` after the first batch. Many scans end with it.
    continues: bool,
}

impl AccumuloTable {
    pub(crate) fn batches(&self, scan: Scan) -> CellBatches {
        let table = self.clone();
        let begin = async move {
            // This check is also made for a scan without spans: a handle is valid only as long as
            // its table exists.
            table.check().await?;
            if filter::needs_fluo(scan.filter) {
                table.tables.require_iterators().await?;
            }
            let asked = filter::columns(&scan).map(|columns| (columns, scan.spans().to_vec()));
            let (columns, spans) = asked.unwrap_or_default();
            let rest = Rest {
                iterators: filter::iterators(scan.filter)?,
                columns,
                spans: spans.into(),
                lookup_spans: LOOKUP_SPANS,
                large: 0,
                ranges_are_large: false,
                open: VecDeque::new(),
                continues: false,
                table,
                scan,
            };
            Ok::<_, fluo_table::Error>(stream::try_unfold(rest, Rest::next))
        };
        stream::once(begin).try_flatten().boxed()
    }
}

impl Rest {
    async fn next(mut self) -> Result<Option<(Vec<Cell>, Self)>> {
        loop {
            self.open_cursors();
            if let Some(first) = self.open.front_mut() {
                if let Some(cells) = first.try_next().await? {
                    self.continues = true;
                    return Ok(Some((cells, self)));
                }
                self.open.pop_front();
                // The cells of the next span belong to the scan only if the name still belongs to
                // the same table.
                self.table.check().await?;
                continue;
            }
            let small = self.small_spans(self.lookup_spans);
            if small == 0 {
                return Ok(None);
            }
            let spans = self.spans.drain(..small).collect();
            self.look_up(spans).await?;
        }
    }

    fn open_cursors(&mut self) {
        let most = if self.continues { CURSORS } else { 1 };
        while self.open.len() < most
            && self.small_spans(2) <= 1
            && let Some(span) = self.spans.pop_front()
        {
            self.large = self.large.saturating_sub(1);
            let mut cells = self.cells(span).peekable();
            // A cursor is opened at the first poll.
            let _ = Pin::new(&mut cells).peek().now_or_never();
            self.open.push_back(cells);
        }
    }

    /// Returns the number of small spans that are next, counted up to `most`.
    fn small_spans(&self, most: usize) -> usize {
        if self.large > 0 {
            return 0;
        }
        let intent = self.scan.filter;
        let may_be_small = |span: &Span| {
            filter::is_small(intent, span) && !(self.ranges_are_large && has_several_rows(span))
        };
        self.spans.iter().take(most).take_while(|span| may_be_small(span)).count()
    }

    /// Reads small spans at once. Leaves them to smaller lookups, or to cursors, if they are not
    /// small.
    async fn look_up(&mut self, spans: Vec<Span>) -> Result<()> {
        let intent = self.scan.filter;
        let asked = spans.iter().map(|span| filter::asked_for(intent, span));
        let threads = NonZeroUsize::MIN.saturating_add(spans.len() / SPANS_PER_THREAD);
        let options = BatchScanOptions::over(asked.map(|span| convert::range(&span)))
            .columns(self.columns.iter().map(convert::scan_column))
            .authorizations(self.table.authorizations.iter().cloned())
            .threads(threads);
        let iterators = self.iterators.iter().cloned();
        let options = iterators.fold(options, BatchScanOptions::iterator);
        let (tables, name) = (&self.table.tables, &self.table.name);
        let has_ranges = spans.iter().any(has_several_rows);
        let most = if has_ranges { LOOKUP_ENTRIES_OF_RANGES } else { LOOKUP_ENTRIES };
        let found = tables.client.lookup(name, options, most, LOOKUP_BYTES).await;
        let Some(entries) = found.map_err(|error| tables.lacking("READ", name, error))? else {
            self.ranges_are_large |= has_ranges;
            self.lookup_spans = spans.len() / SHRINK_BY;
            if self.lookup_spans < 2 {
                (self.lookup_spans, self.large) = (LARGE_SPANS, LARGE_SPANS);
            }
            for span in spans.into_iter().rev() {
                self.spans.push_front(span);
            }
            return Ok(());
        };
        self.lookup_spans = (self.lookup_spans * 2).min(LOOKUP_SPANS);
        let mut cells = entries.into_iter().map(convert::cell).peekable();
        let mut shown = Vec::new();
        for span in &spans {
            let mut last = None;
            while let Some(cell) =
                cells.next_if(|cell| span.end().is_none_or(|end| cell.key < *end))
            {
                if filter::is_shown(intent, span, &mut last, &cell.key) {
                    shown.push(cell);
                }
            }
        }
        let most = self.scan.batch_cells.get();
        let batches: Vec<Result<_>> = shown.chunks(most).map(|cells| Ok(cells.to_vec())).collect();
        let batches = stream::iter(batches).boxed();
        self.open.push_back(batches.peekable());
        Ok(())
    }

    fn cells(&self, span: Span) -> CellBatches {
        let intent = self.scan.filter;
        let options = ScanOptions::default()
            .range(convert::range(&filter::asked_for(intent, &span)))
            .columns(self.columns.iter().map(convert::scan_column))
            .authorizations(self.table.authorizations.iter().cloned())
            .batch_entries(self.scan.batch_cells);
        let options = self.iterators.iter().cloned().fold(options, ScanOptions::iterator);
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

/// Checks whether a span has more than one row.
fn has_several_rows(span: &Span) -> bool {
    let row = Span::row(span.start().row.clone());
    row.end().zip(span.end()).is_none_or(|(row, end)| end > row)
}

/// Drops the cells of the servers that do not belong to the scan.
fn restricted(
    intent: Filter,
    span: Span,
    batches: impl Stream<Item = Result<Vec<Cell>>>,
) -> impl Stream<Item = Result<Vec<Cell>>> {
    let mut last = None;
    let shown = batches.map_ok(move |mut cells: Vec<Cell>| {
        cells.retain(|cell| filter::is_shown(intent, &span, &mut last, &cell.key));
        cells
    });
    let first = if intent.is_of_one_column() { 1 } else { usize::MAX };
    // A filter of one column yields one entry. If the scan continued, it would yield it again.
    shown.take(first).try_filter(|cells| ready(!cells.is_empty()))
}
