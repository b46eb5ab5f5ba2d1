//! The rules by which a scan shows stored entries: one pure state machine for every table that
//! evaluates scans itself.

use crate::data::{Authorizations, Key, KeyRef, Span};
use crate::layout::{ColumnFilter, Filter, is_unpartitioned};
use crate::table::{ColumnSelector, Scan, Versions};

/// A key as it is stored: a put, or a delete marker.
///
/// # Order
///
/// The key's order. At one key the delete marker comes first, so that it hides the put.
// The derived order needs `key` first, and `false` before `true`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoredKey {
    /// Row, column and timestamp.
    pub key: Key,
    /// True for a put, false for a delete marker.
    pub is_put: bool,
}

/// A state machine that decides, entry by entry in stored order, which cells a scan of one span
/// shows.
///
/// It applies these rules in order:
/// - **V1.** An entry is hidden if its column is not selected, or if the reader may not see its
///   visibility. A visibility that cannot be parsed is visible to no reader.
/// - **V2.** A delete marker is hidden, and hides the entries of its column at or below its
///   timestamp.
/// - **V3.** Of the remaining entries of a column the newest versions are shown, as many as the
///   [`Versions`] of the table allow.
/// - **V4.** The filter selects among those. A filter of transactions applies before V3, which then
///   counts the entries that the filter shows, because such a filter defines versions differently.
///   It shows only entries of the families that it [looks at](Filter::looks_at_family); a filter
///   [of one column](Filter::is_of_one_column) shows only entries of the column in which the span
///   starts.
/// - **V5.** Entries before the start of the span are hidden, but take part in V2 to V4: a scan
///   that resumes in the middle of a column or row shows the same cells there as the whole scan. A
///   table may miss a delete marker at the highest timestamp (`i64::MAX`) if a scan begins inside
///   its column.
///
/// Because of V5 the entries must be fed from [`read_from`](EntryFilter::read_from) on, up to the
/// end of the span.
#[derive(Debug)]
pub struct EntryFilter {
    columns: Vec<ColumnSelector>,
    versions: Versions,
    /// The authorizations of the reader; with `None` all visibilities are shown.
    authorizations: Option<Authorizations>,
    start: Key,
    reached_start: bool,
    row: Vec<u8>,
    row_was_shown: bool,
    column: CurrentColumn,
    column_filter: ColumnFilter,
}

/// The state of the current column. The buffers are reused for the next column.
#[derive(Debug, Default)]
struct CurrentColumn {
    is_started: bool,
    family: Vec<u8>,
    qualifier: Vec<u8>,
    visibility: Vec<u8>,
    is_readable: bool,
    deleted_up_to: Option<i64>,
    versions_seen: u32,
}

impl EntryFilter {
    /// Creates the state machine for one of the spans of `scan`. The reader has these
    /// authorizations; `None` shows every cell that any reader could see, as a compaction needs.
    pub fn new(
        scan: &Scan,
        span: &Span,
        versions: Versions,
        authorizations: Option<&Authorizations>,
    ) -> Self {
        Self {
            columns: scan.columns.clone(),
            versions,
            authorizations: authorizations.cloned(),
            start: span.start().clone(),
            reached_start: false,
            row: Vec::new(),
            row_was_shown: false,
            column: CurrentColumn::default(),
            column_filter: ColumnFilter::new(scan.filter),
        }
    }

    /// Returns the key from which entries must be fed so that V5 holds: the beginning of the column
    /// in which the span starts, or of its row.
    pub fn read_from(scan: &Scan, span: &Span) -> Key {
        let start = span.start();
        match scan.filter {
            Filter::FirstOfRow => Key::first_of_row(start.row.clone()),
            _ => Key { timestamp: i64::MAX, ..start.clone() },
        }
    }

    /// Checks whether the next stored entry is shown.
    pub fn shows(&mut self, key: KeyRef<'_>, value: &[u8], is_delete: bool) -> bool {
        self.enter(key);
        self.is_visible(key, value, is_delete) && self.passes_filter() && self.is_in_span(key)
    }

    /// Returns the upper bound of the timestamp of the next entry that can matter, in the column of
    /// the last entry, or `None` if no further entry of the column can. Entries above the bound are
    /// hidden, and may be skipped. A column that is hidden as a whole (V1) is skipped as a whole;
    /// in other columns only filters of transactions skip entries. A skipped delete marker hides
    /// nothing.
    pub fn looks_next(&self) -> Option<i64> {
        let is_hidden = self.column.is_started && !self.column.is_readable;
        self.column_filter.next.filter(|_| !is_hidden)
    }

    fn enter(&mut self, key: KeyRef<'_>) {
        let is_same_row = self.column.is_started && self.row == key.row;
        if !is_same_row {
            replace(&mut self.row, key.row);
            self.row_was_shown = false;
        }
        if !(is_same_row && self.column.is_of(key)) {
            self.column.start(key);
            self.column.is_readable = self.is_selected(key) && self.may_see(key.visibility);
            self.column_filter = ColumnFilter::new(self.column_filter.filter);
        }
    }

    /// Checks whether the scan selects the column (V1) and its filter looks at it (V4).
    fn is_selected(&self, key: KeyRef<'_>) -> bool {
        let is_owned = match self.column_filter.filter {
            Filter::Notifications { share: Some(share) } => share.contains(key.row, key.qualifier),
            Filter::UnpartitionedNotifications => is_unpartitioned(key.row, key.qualifier),
            _ => true,
        };
        let is_start = || KeyRef { timestamp: self.start.timestamp, ..key } == self.start.as_ref();
        is_owned
            && self.column_filter.filter.looks_at_family(key.family)
            && (!self.column_filter.filter.is_of_one_column() || is_start())
            && (self.columns.is_empty()
                || self.columns.iter().any(|column| column.selects(key.family, key.qualifier)))
    }

    fn may_see(&self, visibility: &[u8]) -> bool {
        let held = self.authorizations.as_ref();
        held.is_none_or(|held| held.can_see(visibility).unwrap_or(false))
    }

    fn is_visible(&mut self, key: KeyRef<'_>, value: &[u8], is_delete: bool) -> bool {
        let column = &mut self.column;
        if !column.is_readable || column.deleted_up_to.is_some_and(|limit| key.timestamp <= limit) {
            return false;
        }
        if is_delete {
            column.deleted_up_to = Some(key.timestamp);
            return false;
        }
        if !self.column_filter.shows(key.timestamp, value) {
            return false;
        }
        let newer = column.versions_seen;
        column.versions_seen = newer.saturating_add(1);
        self.versions.shows(newer)
    }

    fn passes_filter(&mut self) -> bool {
        self.column_filter.filter != Filter::FirstOfRow
            || !std::mem::replace(&mut self.row_was_shown, true)
    }

    fn is_in_span(&mut self, key: KeyRef<'_>) -> bool {
        self.reached_start = self.reached_start || key >= self.start.as_ref();
        self.reached_start
    }
}

impl CurrentColumn {
    fn is_of(&self, key: KeyRef<'_>) -> bool {
        self.family == key.family
            && self.qualifier == key.qualifier
            && self.visibility == key.visibility
    }

    fn start(&mut self, key: KeyRef<'_>) {
        self.is_started = true;
        replace(&mut self.family, key.family);
        replace(&mut self.qualifier, key.qualifier);
        replace(&mut self.visibility, key.visibility);
        self.deleted_up_to = None;
        self.versions_seen = 0;
    }
}

fn replace(buffer: &mut Vec<u8>, bytes: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(bytes);
}

/// The conformance rules V1 to V5 check what a table shows.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[test]
    fn skips_the_rest_of_a_column_that_is_hidden_as_a_whole() {
        let none = Authorizations::none();
        let entry = |qualifier, visibility| {
            let column = Column::new("f", qualifier).with_visibility(visibility);
            Key::new("a", column, 7)
        };
        for (key, expected) in
            [(entry("q", ""), Some(i64::MAX)), (entry("r", ""), None), (entry("q", "A"), None)]
        {
            let scan = Scan::over(Span::all()).column(ColumnSelector::qualifier("f", "q"));
            let mut view = EntryFilter::new(&scan, &scan.spans()[0], Versions::All, Some(&none));
            assert_eq!(view.looks_next(), Some(i64::MAX));
            view.shows(key.as_ref(), b"", false);
            assert_eq!(view.looks_next(), expected, "{key:?}");
        }
    }

    /// No table stores such a cell, but a cell of a damaged table has any visibility.
    #[test]
    fn an_unreadable_visibility_hides_the_cell() {
        let scan = Scan::over(Span::all());
        let none = Authorizations::none();
        let mut view = EntryFilter::new(&scan, &scan.spans()[0], Versions::All, Some(&none));
        let shown = ["", "A&"].map(|visibility| {
            let column = Column::new("f", "q").with_visibility(visibility);
            view.shows(Key::new("a", column, 1).as_ref(), b"", false)
        });
        assert_eq!(shown, [true, false]);
    }
}
