//! A request to read cells.

use std::num::NonZeroUsize;

use crate::data::{Bytes, Key, Span, Timestamp};
use crate::layout::{NOTIFICATION_FAMILY, Partition, Prewrite};

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
pub struct Scan {
    spans: Vec<Span>,
    columns: Vec<ColumnSelector>,
    filter: Filter,
    batch_cells: NonZeroUsize,
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

/// The purpose of a scan, if it needs less than all visible cells.
///
/// A filter states an intent. [`EntryFilter`](crate::table::EntryFilter) defines its meaning;
/// tables are free in its implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// All visible cells.
    #[default]
    None,
    /// The first visible cell of each row, to count and sample rows.
    FirstOfRow,
    /// The entry of each column that a reader at a timestamp needs: its value, or a lock. See
    /// [`ColumnFilter::snapshot`](crate::layout::ColumnFilter::snapshot).
    Snapshot {
        /// The timestamp of the reader.
        at: Timestamp,
    },
    /// The entry of one column that prevents a lock. See
    /// [`ColumnFilter::prewrite`](crate::layout::ColumnFilter::prewrite).
    Prewrite(Prewrite),
    /// The entry of one column, the primary of a transaction, that tells the transaction's status.
    /// See [`ColumnFilter::status`](crate::layout::ColumnFilter::status).
    TransactionStatus {
        /// The start timestamp of the transaction.
        start: Timestamp,
    },
    /// The read locks that have no end yet. See
    /// [`ColumnFilter::open_read_locks`](crate::layout::ColumnFilter::open_read_locks).
    OpenReadLocks,
    /// The pending notifications. See
    /// [`ColumnFilter::notifications`](crate::layout::ColumnFilter::notifications).
    Notifications {
        /// The share of the notifications to return, or `None` for all of them.
        share: Option<Partition>,
    },
    /// The pending notifications that are [unpartitioned](crate::layout::is_unpartitioned), which a
    /// share of [`Notifications`](Self::Notifications) may not contain.
    UnpartitionedNotifications,
}

impl Filter {
    /// Checks whether the filter looks at columns of this family. Of the filters of transactions
    /// only the two of notifications look at the notification family, and they look at no other
    /// family.
    pub fn looks_at_family(self, family: &[u8]) -> bool {
        let is_of_notifications = family == NOTIFICATION_FAMILY.as_bytes();
        match self {
            Self::None | Self::FirstOfRow => true,
            Self::Notifications { .. } | Self::UnpartitionedNotifications => is_of_notifications,
            _ => !is_of_notifications,
        }
    }

    /// Checks whether the filter looks at one column only, the one in which a span starts.
    pub fn is_of_one_column(self) -> bool {
        matches!(self, Self::Prewrite(_) | Self::TransactionStatus { .. })
    }
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
    #[must_use]
    pub fn column(mut self, column: ColumnSelector) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the maximum number of cells in a batch. Default: 1,000.
    #[must_use]
    pub fn batch_cells(mut self, cells: NonZeroUsize) -> Self {
        self.batch_cells = cells;
        self
    }

    /// Returns the rest of the scan after everything up to `last` was read, to resume an
    /// interrupted scan.
    #[must_use]
    pub fn after(mut self, last: &Key) -> Self {
        self.spans = Span::disjoint(self.spans.iter().map(|span| span.after(last)).collect());
        self
    }

    /// Returns the part of the scan at and after a key.
    #[must_use]
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

    /// Returns the selected columns; empty if the scan reads all columns.
    pub fn columns(&self) -> &[ColumnSelector] {
        &self.columns
    }

    /// Returns the filter.
    pub fn filter_intent(&self) -> Filter {
        self.filter
    }

    /// Returns the maximum number of cells in a batch.
    pub fn max_batch_cells(&self) -> NonZeroUsize {
        self.batch_cells
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
