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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::data::Column;

    fn put(row: &'static str, qualifier: &'static str, timestamp: i64) -> StoredKey {
        StoredKey { key: Key::new(row, Column::new("f", qualifier), timestamp), is_put: true }
    }

    fn delete(row: &'static str, qualifier: &'static str, timestamp: i64) -> StoredKey {
        StoredKey { is_put: false, ..put(row, qualifier, timestamp) }
    }

    fn shown(entries: &[StoredKey], scan: &Scan, versions: Versions) -> Vec<(String, String, i64)> {
        let span = &scan.spans()[0];
        let none = Authorizations::none();
        let mut view = EntryFilter::new(scan, span, versions, Some(&none));
        let from = EntryFilter::read_from(scan, span);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut sorted = entries.to_vec();
        sorted.sort();
        sorted
            .iter()
            .filter(|entry| entry.key >= from && span.end().is_none_or(|end| entry.key < *end))
            .filter(|entry| view.shows(entry.key.as_ref(), &[], !entry.is_put))
            .map(|e| (text(&e.key.row), text(&e.key.column.qualifier), e.key.timestamp))
            .collect()
    }

    fn cell(row: &str, qualifier: &str, timestamp: i64) -> (String, String, i64) {
        (row.into(), qualifier.into(), timestamp)
    }

    #[test]
    fn a_delete_hides_its_column_at_and_below_its_timestamp() {
        let stored = [
            put("a", "q", 9),
            put("a", "q", 5),
            delete("a", "q", 5),
            put("a", "q", 4),
            put("a", "r", 1),
        ];
        assert_eq!(
            shown(&stored, &Scan::over(Span::all()), Versions::All),
            [cell("a", "q", 9), cell("a", "r", 1)]
        );
    }

    #[test]
    fn the_newest_versions_are_shown_and_a_deleted_one_does_not_count() {
        let stored = [put("a", "q", 9), put("a", "q", 8), put("a", "q", 7), put("b", "q", 3)];
        let two = Versions::Latest(NonZeroU32::new(2).unwrap());
        assert_eq!(
            shown(&stored, &Scan::over(Span::all()), two),
            [cell("a", "q", 9), cell("a", "q", 8), cell("b", "q", 3)]
        );
    }

    #[test]
    fn a_scan_that_resumes_inside_a_column_accounts_for_earlier_entries() {
        let stored = [delete("a", "q", 9), put("a", "q", 8), put("b", "q", 7), put("b", "q", 6)];
        let resume = |key: &StoredKey| Scan::over(Span::all()).after(&key.key);
        assert_eq!(shown(&stored, &resume(&put("a", "q", 9)), Versions::All).len(), 2);
        assert_eq!(shown(&stored, &resume(&put("b", "q", 7)), Versions::default()), []);
        let rows = resume(&put("b", "q", 7)).filter(Filter::FirstOfRow);
        assert_eq!(shown(&stored, &rows, Versions::All), []);
    }

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

    #[test]
    fn the_first_cell_of_a_row_is_the_first_visible_one() {
        let stored = [
            delete("a", "q", 9),
            put("a", "q", 8),
            put("a", "r", 1),
            put("a", "s", 1),
            put("b", "q", 1),
        ];
        let rows = Scan::over(Span::all()).filter(Filter::FirstOfRow);
        assert_eq!(shown(&stored, &rows, Versions::All), [cell("a", "r", 1), cell("b", "q", 1)]);
        let selected = rows.column(ColumnSelector::qualifier("f", "s"));
        assert_eq!(shown(&stored, &selected, Versions::All), [cell("a", "s", 1)]);
    }

    #[test]
    fn an_unseen_or_unreadable_visibility_hides_the_cell() {
        let with = |visibility: &'static str| {
            let column = Column::new("f", "q").with_visibility(visibility);
            StoredKey { key: Key::new("a", column, 1), is_put: true }
        };
        let stored = [with(""), with("A"), with("A&")];
        assert_eq!(shown(&stored, &Scan::over(Span::all()), Versions::All).len(), 1);
    }
}
