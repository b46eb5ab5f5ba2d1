//! Options of scans.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use bytes::Bytes;

use super::{IteratorSetting, Range, ScanColumn};

/// Options of a [`Scanner`](crate::Scanner).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{Range, ScanColumn, ScanOptions};
///
/// let options = ScanOptions::default()
///     .range(Range::row("com.example"))
///     .column(ScanColumn::family("page"))
///     .authorizations(["public"]);
/// assert_eq!(options.columns.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct ScanOptions {
    /// The part of the table to read; the whole table unless set.
    pub range: Range,
    /// The columns to read; all if empty.
    pub columns: Vec<ScanColumn>,
    /// Iterators on the servers, for this scan alone.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations for the scan; unless set, `None`: all authorizations of the user. An
    /// empty set means no authorizations.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// Maximum number of entries of one batch; 1000 unless set. Large entries arrive in smaller
    /// batches.
    pub batch_entries: Option<NonZeroUsize>,
}

/// Options of a [`BatchScanner`](crate::BatchScanner).
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{BatchScanOptions, Range};
///
/// let options = BatchScanOptions::over(["a", "c"].map(Range::row)).no_authorizations();
/// assert_eq!(options.ranges.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct BatchScanOptions {
    /// The parts of the table to read; nothing is read if empty.
    pub ranges: Vec<Range>,
    /// The columns to read; all if empty.
    pub columns: Vec<ScanColumn>,
    /// Iterators on the servers, for this scan alone.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations for the scan; unless set, `None`: all authorizations of the user. An
    /// empty set means no authorizations.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// Number of threads of the proxy that query tablet servers for this scan; the proxy's default
    /// (10) unless set.
    pub threads: Option<NonZeroUsize>,
    /// Maximum number of entries of one batch; 1000 unless set. It is also limited to the number of
    /// 256 KiB entries that fit in [`max_reply_bytes`](field@crate::ProxyOptions::max_reply_bytes)
    /// (256 entries by default). Large entries arrive in smaller batches.
    pub batch_entries: Option<NonZeroUsize>,
}

/// Implements the methods that both types have.
macro_rules! common_methods {
    ($name:ident) => {
        impl $name {
            /// Adds a column to read. Without columns the scan reads all.
            pub fn column(mut self, column: ScanColumn) -> Self {
                self.columns.push(column);
                self
            }

            /// Sets the columns to read.
            pub fn columns(self, columns: impl IntoIterator<Item = ScanColumn>) -> Self {
                Self { columns: columns.into_iter().collect(), ..self }
            }

            /// Adds an iterator.
            pub fn iterator(mut self, iterator: IteratorSetting) -> Self {
                self.iterators.push(iterator);
                self
            }

            /// Sets the authorizations for the scan. The user must have them.
            pub fn authorizations<A: Into<Bytes>>(
                self,
                authorizations: impl IntoIterator<Item = A>,
            ) -> Self {
                let authorizations = Some(authorizations.into_iter().map(Into::into).collect());
                Self { authorizations, ..self }
            }

            /// Scans without authorizations: entries with a visibility are hidden.
            pub fn no_authorizations(self) -> Self {
                self.authorizations::<Bytes>([])
            }
        }
    };
}

common_methods!(ScanOptions);
common_methods!(BatchScanOptions);

setters! { ScanOptions { range: Range, batch_entries: NonZeroUsize, } }
setters! { BatchScanOptions { threads: NonZeroUsize, batch_entries: NonZeroUsize, } }

impl BatchScanOptions {
    /// Creates options for these parts of the table.
    pub fn over(ranges: impl IntoIterator<Item = Range>) -> Self {
        Self { ranges: ranges.into_iter().collect(), ..Self::default() }
    }
}
