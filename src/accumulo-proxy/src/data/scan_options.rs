//! Options of scans.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use bytes::Bytes;

use super::{IteratorSetting, Range, ScanColumn};

/// Options of [`scanner`](crate::ProxyClient::scanner), and with several ranges of
/// [`batch_scanner`](crate::ProxyClient::batch_scanner).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{BatchScanOptions, Range, ScanColumn, ScanOptions};
///
/// let options = ScanOptions::default()
///     .range(Range::row("com.example"))
///     .column(ScanColumn::family("page"))
///     .authorizations(["public"]);
/// assert_eq!(options.columns.len(), 1);
/// let options = BatchScanOptions::over(["a", "c"].map(Range::row)).no_authorizations();
/// assert_eq!(options.range.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanOptions<R = Range> {
    /// The part of the table to read: a range, the whole table unless set; or the ranges of a batch
    /// scan, which reads nothing if there are none.
    pub range: R,
    /// The columns to read; all if empty.
    pub columns: Vec<ScanColumn>,
    /// Iterators on the servers, for this scan alone.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations for the scan; unless set, `None`: all authorizations of the user. An
    /// empty set means no authorizations.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// Number of threads of the proxy that query tablet servers for a batch scan; the proxy's
    /// default (10) unless set.
    pub threads: Option<NonZeroUsize>,
    /// Maximum number of entries of one batch; 1000 unless set. For a batch scan it is also limited
    /// to the number of 256 KiB entries that fit in
    /// [`max_reply_bytes`](crate::ProxyOptions::max_reply_bytes) (256 entries by default). Large
    /// entries arrive in smaller batches.
    pub batch_entries: Option<NonZeroUsize>,
}

/// Options of [`batch_scanner`](crate::ProxyClient::batch_scanner).
pub type BatchScanOptions = ScanOptions<Vec<Range>>;

impl<R> ScanOptions<R> {
    /// Adds a column to read. Without columns the scan reads all.
    #[must_use]
    pub fn column(mut self, column: ScanColumn) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the columns to read.
    #[must_use]
    pub fn columns(self, columns: impl IntoIterator<Item = ScanColumn>) -> Self {
        Self { columns: columns.into_iter().collect(), ..self }
    }

    /// Adds an iterator.
    #[must_use]
    pub fn iterator(mut self, iterator: IteratorSetting) -> Self {
        self.iterators.push(iterator);
        self
    }

    /// Sets the authorizations for the scan. The user must have them.
    #[must_use]
    pub fn authorizations<A: Into<Bytes>>(
        self,
        authorizations: impl IntoIterator<Item = A>,
    ) -> Self {
        let authorizations = Some(authorizations.into_iter().map(Into::into).collect());
        Self { authorizations, ..self }
    }

    /// Scans without authorizations: entries with a visibility are hidden.
    #[must_use]
    pub fn no_authorizations(self) -> Self {
        self.authorizations::<Bytes>([])
    }

    /// Sets the [maximum number of entries](Self#structfield.batch_entries) of one batch.
    #[must_use]
    pub fn batch_entries(self, batch_entries: NonZeroUsize) -> Self {
        Self { batch_entries: Some(batch_entries), ..self }
    }
}

setters! { ScanOptions { range: Range, } }
setters! { BatchScanOptions { threads: NonZeroUsize, } }

impl BatchScanOptions {
    /// Creates options for these parts of the table.
    pub fn over(ranges: impl IntoIterator<Item = Range>) -> Self {
        Self { range: ranges.into_iter().collect(), ..Self::default() }
    }
}
