//! What a scan reads, and how.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use crate::convert::{ToWire, all_to_wire, bytes_set};
use crate::data::{Bytes, IteratorSetting, Range, ScanColumn};
use crate::wire::generated as wire;

const BATCH_ENTRIES: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// What a [`Scanner`](crate::Scanner) reads, and how.
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
    /// The part of the table; all of it unless set.
    pub range: Range,
    /// The columns; none given are all.
    pub columns: Vec<ScanColumn>,
    /// Iterators on the servers, for this scan alone.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations to read with; `None`, unless set, are all of the user's, and an empty set is no
    /// authorization at all.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// Most entries of one batch; 1000 unless set. Large entries come in smaller batches.
    pub batch_entries: NonZeroUsize,
}

/// What a [`BatchScanner`](crate::BatchScanner) reads, and how.
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
    /// The parts of the table; where there is none, nothing is read.
    pub ranges: Vec<Range>,
    /// The columns; none given are all.
    pub columns: Vec<ScanColumn>,
    /// Iterators on the servers, for this scan alone.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations to read with; `None`, unless set, are all of the user's, and an empty set is no
    /// authorization at all.
    pub authorizations: Option<BTreeSet<Bytes>>,
    /// Threads of the proxy that ask tablet servers for this scan; the proxy's default (10) unless set.
    pub threads: Option<NonZeroUsize>,
    /// Most entries of one batch; 1000 unless set, and never more than [`max_reply_bytes`](crate::Settings::max_reply_bytes)
    /// has room for if each takes 256 KiB (256 entries by default). Large entries come in smaller batches.
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

/// The methods that both have.
macro_rules! common_options {
    ($name:ident) => {
        impl $name {
            /// Reads this column too; without any, all are read.
            #[must_use]
            pub fn column(mut self, column: ScanColumn) -> Self {
                self.columns.push(column);
                self
            }

            /// Reads these columns only.
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

            /// Reads with these authorizations, which the user must have.
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

            /// Reads with no authorization: what has a visibility is not seen.
            #[must_use]
            pub fn no_authorizations(self) -> Self {
                self.authorizations::<Bytes>([])
            }

            /// Sets the most entries of one batch.
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
    /// Reads this part of the table.
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
    /// These parts of the table.
    pub fn over(ranges: impl IntoIterator<Item = Range>) -> Self {
        Self {
            ranges: ranges.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets the threads of the proxy.
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

/// An absent list means all columns, or no iterator; an empty one need not.
fn some_to_wire<T: ToWire>(values: &[T]) -> Option<Vec<T::Wire>> {
    (!values.is_empty()).then(|| all_to_wire(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_authorizations_are_absent_and_none_are_an_empty_set() {
        assert_eq!(ScanOptions::default().to_wire().authorizations, None);
        let none = ScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
        assert_eq!(BatchScanOptions::default().to_wire().authorizations, None);
        let none = BatchScanOptions::default().no_authorizations().to_wire();
        assert_eq!(none.authorizations, Some(BTreeSet::new()));
    }

    #[test]
    fn no_columns_are_all_columns() {
        let wire = ScanOptions::default().to_wire();
        assert_eq!((wire.columns, wire.iterators), (None, None));
    }
}
