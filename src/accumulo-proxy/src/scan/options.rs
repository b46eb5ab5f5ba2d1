//! Options of scans.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use crate::convert::{ToWire, all_to_wire, bytes_set};
use crate::data::{Bytes, IteratorSetting, Range, ScanColumn};
use crate::wire::interface as wire;

const BATCH_ENTRIES: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    pub batch_entries: NonZeroUsize,
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// 256 KiB entries that fit in [`max_reply_bytes`](crate::ProxyOptions::max_reply_bytes) (256
    /// entries by default). Large entries arrive in smaller batches.
    pub batch_entries: NonZeroUsize,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            range: Range::all(),
            columns: Vec::new(),
            iterators: Vec::new(),
            authorizations: None,
            batch_entries: BATCH_ENTRIES,
        }
    }
}

impl Default for BatchScanOptions {
    fn default() -> Self {
        Self {
            ranges: Vec::new(),
            columns: Vec::new(),
            iterators: Vec::new(),
            authorizations: None,
            threads: None,
            batch_entries: BATCH_ENTRIES,
        }
    }
}

/// The methods of both types.
macro_rules! common_options {
    ($name:ident) => {
        impl $name {
            /// Adds a column to read. Without columns the scan reads all.
            #[must_use]
            pub fn column(mut self, column: ScanColumn) -> Self {
                self.columns.push(column);
                self
            }

            /// Sets the columns to read.
            #[must_use]
            pub fn columns(self, columns: impl IntoIterator<Item = ScanColumn>) -> Self {
                let columns = columns.into_iter().collect();
                Self { columns, ..self }
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
                Self {
                    authorizations,
                    ..self
                }
            }

            /// Scans without authorizations: entries with a visibility are hidden.
            #[must_use]
            pub fn no_authorizations(self) -> Self {
                self.authorizations::<Bytes>([])
            }

            /// Sets the maximum number of entries of one batch.
            #[must_use]
            pub fn batch_entries(self, batch_entries: NonZeroUsize) -> Self {
                Self {
                    batch_entries,
                    ..self
                }
            }
        }
    };
}

common_options!(ScanOptions);
common_options!(BatchScanOptions);

impl ScanOptions {
    /// Sets the part of the table to read.
    #[must_use]
    pub fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    pub(crate) fn to_wire(&self) -> wire::ScanOptions {
        wire::ScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            self.range.to_wire(),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            None,
        )
    }
}

impl BatchScanOptions {
    /// Creates options for these parts of the table.
    pub fn over(ranges: impl IntoIterator<Item = Range>) -> Self {
        Self {
            ranges: ranges.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets the number of threads of the proxy.
    #[must_use]
    pub fn threads(self, threads: NonZeroUsize) -> Self {
        let threads = Some(threads);
        Self { threads, ..self }
    }

    pub(crate) fn to_wire(&self) -> wire::BatchScanOptions {
        let threads = self.threads.map(NonZeroUsize::get);
        wire::BatchScanOptions::new(
            self.authorizations.as_ref().map(bytes_set),
            all_to_wire(&self.ranges),
            some_to_wire(&self.columns),
            some_to_wire(&self.iterators),
            threads.map(|threads| i32::try_from(threads).unwrap_or(i32::MAX)),
        )
    }
}

/// Converts a list, an empty one to an absent one: absent means all columns or no iterators, which
/// an empty list does not guarantee.
fn some_to_wire<T: ToWire>(values: &[T]) -> Option<Vec<T::Wire>> {
    (!values.is_empty()).then(|| all_to_wire(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_all_authorizations_as_absent_and_none_as_an_empty_set() {
        assert_eq!(ScanOptions::default().to_wire().authorizations, None);
        let none = ScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
        assert_eq!(BatchScanOptions::default().to_wire().authorizations, None);
        let none = BatchScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
    }

    #[test]
    fn sends_empty_lists_as_absent() {
        let wire = ScanOptions::default().to_wire();
        assert_eq!((wire.columns, wire.iterators), (None, None));
    }
}
