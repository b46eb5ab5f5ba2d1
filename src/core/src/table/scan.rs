//! A request to read.

use std::num::NonZeroUsize;

use crate::data::{Bytes, Key, Span, Timestamp};
use crate::layout::{NOTIFICATION_FAMILY, Prewrite, Share};

/// A request to read cells: where, which columns, through which filter.
///
/// ```
/// use fluo_core::{ColumnSelector, Filter, Scan, Span};
///
/// let rows = Scan::over(Span::prefix("p:")).column(ColumnSelector::family("page")).filter(Filter::FirstOfRow);
/// assert_eq!(rows.spans().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    spans: Vec<Span>,
    columns: Vec<ColumnSelector>,
    filter: Filter,
    batch_cells: NonZeroUsize,
}

/// Most cells in one batch unless the request says otherwise.
const DEFAULT_BATCH_CELLS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// A column family, or one qualifier of it, under any visibility.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnSelector {
    /// The family.
    pub family: Bytes,
    /// The qualifier; none selects the whole family.
    pub qualifier: Option<Bytes>,
}

/// What a scan is for, where that is less than all visible cells.
///
/// A filter states an intent. Its meaning is in [`View`](crate::table::View); how a table gets there is its
/// own affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// All visible cells.
    #[default]
    None,
    /// The first visible cell of each row: for counting and sampling rows.
    FirstOfRow,
    /// What a reader at a timestamp needs to know of each column: its value, or a lock. See
    /// [`SnapshotFilter`](crate::layout::SnapshotFilter).
    Snapshot {
        /// The timestamp of the reader.
        at: Timestamp,
    },
    /// What stands in the way of a lock, of one column. See [`PrewriteFilter`](crate::layout::PrewriteFilter).
    Prewrite(Prewrite),
    /// What became of a transaction, of one column, its primary. See [`StatusFilter`](crate::layout::StatusFilter).
    TransactionStatus {
        /// The start of the transaction.
        start: Timestamp,
    },
    /// The read locks that nobody has ended. See [`ReadLocksFilter`](crate::layout::ReadLocksFilter).
    OpenReadLocks,
    /// The notifications that are there. See [`NotificationsFilter`](crate::layout::NotificationsFilter).
    Notifications {
        /// Only those of this share; none asks for all.
        share: Option<Share>,
    },
}

impl Filter {
    /// Whether the filter looks at columns of this family: that of notifications is for
    /// [`Notifications`](Self::Notifications), and for no other filter of transactions.
    pub fn looks_at_family(self, family: &[u8]) -> bool {
        let is_of_notifications = family == NOTIFICATION_FAMILY.as_bytes();
        match self {
            Self::None | Self::FirstOfRow => true,
            Self::Notifications { .. } => is_of_notifications,
            _ => !is_of_notifications,
        }
    }

    /// Whether the filter looks at one column only, the one in which a span starts.
    pub fn is_of_one_column(self) -> bool {
        matches!(self, Self::Prewrite(_) | Self::TransactionStatus { .. })
    }
}

impl Scan {
    /// A scan of one span.
    pub fn over(span: Span) -> Self {
        Self::over_all([span])
    }

    /// A scan of several spans; those that overlap are joined.
    pub fn over_all(spans: impl IntoIterator<Item = Span>) -> Self {
        Self {
            spans: Span::disjoint(spans.into_iter().collect()),
            columns: Vec::new(),
            filter: Filter::None,
            batch_cells: DEFAULT_BATCH_CELLS,
        }
    }

    /// Adds a column; a scan to which none was added reads all columns.
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

    /// Sets the most cells of a batch; 1,000 unless set.
    #[must_use]
    pub fn batch_cells(mut self, cells: NonZeroUsize) -> Self {
        self.batch_cells = cells;
        self
    }

    /// What is left of the scan once everything up to `last` was read: how a scan that broke off is resumed.
    #[must_use]
    pub fn after(mut self, last: &Key) -> Self {
        self.spans = Span::disjoint(self.spans.iter().map(|span| span.after(last)).collect());
        self
    }

    /// What is left of the scan from a key on, that key included.
    #[must_use]
    pub(crate) fn starting_at(mut self, from: &Key) -> Self {
        let rest = |span: &Span| {
            Span::between(span.start().clone().max(from.clone()), span.end().cloned())
        };
        self.spans = Span::disjoint(self.spans.iter().map(rest).collect());
        self
    }

    /// The spans, sorted, disjoint and none empty.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The columns asked for; none is all.
    pub fn columns(&self) -> &[ColumnSelector] {
        &self.columns
    }

    /// The filter.
    pub fn filter_intent(&self) -> Filter {
        self.filter
    }

    /// The most cells of a batch.
    pub fn max_batch_cells(&self) -> NonZeroUsize {
        self.batch_cells
    }
}

impl ColumnSelector {
    /// All qualifiers of a family.
    pub fn family(family: impl Into<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: None,
        }
    }

    /// One qualifier of a family.
    pub fn qualifier(family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> Self {
        Self {
            family: family.into(),
            qualifier: Some(qualifier.into()),
        }
    }

    /// Whether a column is selected.
    pub fn selects(&self, family: &[u8], qualifier: &[u8]) -> bool {
        self.family == family
            && self
                .qualifier
                .as_ref()
                .is_none_or(|wanted| wanted == qualifier)
    }
}
