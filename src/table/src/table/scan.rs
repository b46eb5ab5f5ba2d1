//! A request to read cells.

use std::num::NonZeroUsize;

use crate::data::{Bytes, Key, Span};
use crate::layout::Filter;

/// A request to read cells: its spans, its columns and its filter.
///
/// # Examples
///
/// ```
/// use fluo_table::{ColumnSelector, Filter, Scan, Span};
///
/// let family = ColumnSelector::family("page");
/// let rows = Scan::over(Span::prefix("p:")).column(family).filter(Filter::FirstOfRow);
/// assert_eq!(rows.spans().len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Scan {
    spans: Vec<Span>,
    /// The selected columns; empty if the scan reads all columns.
    pub columns: Vec<ColumnSelector>,
    /// The filter.
    pub filter: Filter,
    /// The maximum number of cells in a batch.
    pub batch_cells: NonZeroUsize,
}

/// The maximum number of cells in a batch unless the request sets another one.
const DEFAULT_BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// A column family, or one qualifier of it, under any visibility.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnSelector {
    /// The family.
    pub family: Bytes,
    /// The qualifier; `None` selects the whole family.
    pub qualifier: Option<Bytes>,
}

impl Scan {
    /// Creates a scan of one span.
    pub fn over(span: Span) -> Self {
        Self::over_all([span])
    }

    /// Creates a scan of several spans; overlapping spans are joined.
    pub fn over_all(spans: impl IntoIterator<Item = Span>) -> Self {
        Self {
            spans: Span::disjoint(spans.into_iter().collect()),
            columns: Vec::new(),
            filter: Filter::None,
            batch_cells: DEFAULT_BATCH_CELLS,
        }
    }

    /// Adds a column. A scan without columns reads all columns.
    pub fn column(mut self, column: ColumnSelector) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the filter.
    pub fn filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Sets the maximum number of cells in a batch. Default: 1,000.
    pub fn batch_cells(self, cells: NonZeroUsize) -> Self {
        Self { batch_cells: cells, ..self }
    }

    /// Returns the rest of the scan after everything up to `last` was read, to resume an
    /// interrupted scan.
    pub fn after(self, last: &Key) -> Self {
        self.starting_at(&last.successor())
    }

    /// Returns the part of the scan at and after a key.
    pub fn starting_at(mut self, from: &Key) -> Self {
        let rest = |span: &Span| {
            Span::between(span.start().clone().max(from.clone()), span.end().cloned())
        };
        self.spans = Span::disjoint(self.spans.iter().map(rest).collect());
        self
    }

    /// Returns the spans: sorted, disjoint and not empty.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

impl ColumnSelector {
    /// Selects all qualifiers of a family.
    pub fn family(family: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: None }
    }

    /// Selects one qualifier of a family.
    pub fn qualifier(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self { family: family.into(), qualifier: Some(qualifier.into()) }
    }

    /// Checks whether a column is selected.
    pub fn selects(&self, family: &[u8], qualifier: &[u8]) -> bool {
        self.family == family && self.qualifier.as_ref().is_none_or(|wanted| wanted == qualifier)
    }
}
