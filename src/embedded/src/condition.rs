//! The evaluation of conditions against stored entries.

use fluo_table::table::EntryFilter;
use fluo_table::{Authorizations, Bytes, Condition, KeyRef, Scan, Span, Versions};

use crate::engine::{Cells, Families, Read};
use crate::error::Failure;
use crate::key::{self, KeyReader};
use crate::seek::Skip;

/// The view of the table for a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    /// The number of versions that the table shows.
    pub(crate) versions: Versions,
    pub(crate) authorizations: &'a Authorizations,
}

impl Reader<'_> {
    /// Checks whether a condition holds for a row of `cells` (T10).
    pub(crate) fn holds(
        self,
        read: &impl Read,
        cells: &Cells,
        row: &Bytes,
        condition: &Condition,
    ) -> Result<bool, Failure> {
        let column = &condition.column;
        let mut from = Vec::with_capacity(row.len() + 64);
        key::push_column(&mut from, KeyRef::new(row, column, 0));
        let to = key::after_all_versions(&from);
        let entries =
            |from: &[u8]| read.cells(cells, Families::for_family(&column.family), from, Some(&to));
        let mut rest = entries(&from);
        let mut next = rest.next();
        // Most conditions are about a column without entries, which needs no view.
        if next.is_none() {
            return Ok(condition.holds(None));
        }
        let span = Span::cell(row.clone(), column);
        let scan = Scan::over(span.clone()).filter(condition.filter);
        let mut view = EntryFilter::new(&scan, &span, self.versions, Some(self.authorizations));
        let mut reader = KeyReader::default();
        let mut skip = Skip::default();
        while let Some(entry) = next {
            let (bytes, value) = entry?;
            let (key, is_delete) = reader.read(&bytes).ok_or_else(unreadable_key)?;
            let is_wanted = condition.timestamp.is_none_or(|wanted| key.timestamp == wanted);
            if view.shows(key, &value, is_delete) && is_wanted {
                return Ok(condition.holds(Some(&value)));
            }
            // The range contains only this column: if no further entry of it can matter, the loop
            // is done.
            if view.looks_next().is_none() {
                break;
            }
            if let Some(from) = skip.hidden(&view, &bytes) {
                rest = skip.seek(|| entries(&from));
            }
            next = rest.next();
        }
        Ok(condition.holds(None))
    }
}

pub(crate) fn unreadable_key() -> Failure {
    Failure::damaged("a stored key cannot be read")
}
