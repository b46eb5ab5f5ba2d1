//! All writes to one table in order, and the cells that result from them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use fluo_table::{
    Authorizations, Bytes, Cell, Change, Column, Condition, Filter, Key, Mutation, Scan, Span,
    Versions,
};

#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) writes: Vec<Write>,
    pub(crate) splits: BTreeSet<Bytes>,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) is_deleted: bool,
    pub(crate) last_ms: i64,
}

/// A put, or a delete if there is no value.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) key: Key,
    pub(crate) value: Option<Bytes>,
}

impl Log {
    pub(crate) fn new(versions: Versions) -> Self {
        Self {
            writes: Vec::new(),
            splits: BTreeSet::new(),
            properties: versions.to_properties(),
            is_deleted: false,
            last_ms: i64::MIN,
        }
    }

    pub(crate) fn apply(&mut self, mutation: Mutation, now_ms: i64) {
        self.last_ms = self.last_ms.max(now_ms);
        for update in mutation.updates {
            let timestamp = update.timestamp.unwrap_or(self.last_ms);
            let value = match update.change {
                Change::Put(value) => Some(value),
                Change::Delete => None,
            };
            let key = Key { row: mutation.row.clone(), column: update.column, timestamp };
            self.writes.push(Write { key, value });
        }
    }

    /// Returns the cells of a scan (T1, T2). Rules V1 to V3 select the cells, V4 chooses among
    /// them, and V5 restricts them to the spans.
    pub(crate) fn scan(&self, scan: &Scan, held: &Authorizations) -> Vec<Cell> {
        let mut cells: Vec<Cell> =
            self.shown(|key| is_selected(scan, key) && may_see(&key.column, held));
        cells.sort_by(|a, b| order(&a.key, &b.key));
        if scan.filter == Filter::FirstOfRow {
            cells.dedup_by(|later, first| later.key.row == first.key.row);
        }
        cells.retain(|cell| scan.spans().iter().any(|span| is_in(span, &cell.key)));
        cells
    }

    pub(crate) fn holds(&self, row: &[u8], condition: &Condition, held: &Authorizations) -> bool {
        let mut seen = self.shown(|key| {
            key.row == row && key.column == condition.column && may_see(&key.column, held)
        });
        seen.retain(|cell| condition.timestamp.is_none_or(|t| cell.key.timestamp == t));
        let newest = seen.iter().max_by_key(|cell| cell.key.timestamp);
        newest.map(|cell| &cell.value) == condition.expected.as_ref()
    }

    /// Keeps only the cells that some reader could see (A8).
    pub(crate) fn compact(&mut self) {
        let kept = self.shown(|_| true);
        let as_write = |cell: Cell| Write { key: cell.key, value: Some(cell.value) };
        self.writes = kept.into_iter().map(as_write).collect();
    }

    pub(crate) fn count(&self, span: &Span) -> usize {
        self.writes.iter().filter(|write| is_in(span, &write.key)).count()
    }

    /// Returns the newest versions of the columns that `is_read` admits: put, not deleted and not
    /// overwritten.
    fn shown(&self, is_read: impl Fn(&Key) -> bool) -> Vec<Cell> {
        let mut columns: BTreeMap<_, Vec<&Write>> = BTreeMap::new();
        for write in self.writes.iter().filter(|write| is_read(&write.key)) {
            let Key { row, column, .. } = &write.key;
            columns.entry((row, column)).or_default().push(write);
        }
        let most = self.versions();
        columns.values().flat_map(|writes| shown_of_column(writes, most)).collect()
    }

    fn versions(&self) -> Option<usize> {
        self.properties.get("table.iterator.scan.vers")?;
        let count = self.properties.get("table.iterator.scan.vers.opt.maxVersions");
        Some(count.map_or(1, |count| count.parse().unwrap()))
    }
}

/// Returns the visible cells of one column, given its writes in the order in which they were made
/// (T6, V2, V3).
fn shown_of_column(writes: &[&Write], most: Option<usize>) -> Vec<Cell> {
    let deletes = writes.iter().filter(|write| write.value.is_none());
    let deleted_up_to = deletes.map(|write| write.key.timestamp).max();
    let mut newest_first = BTreeMap::new();
    for Write { key, value } in writes {
        let is_deleted = deleted_up_to.is_some_and(|limit| key.timestamp <= limit);
        if let (Some(value), false) = (value, is_deleted) {
            let cell = Cell { key: key.clone(), value: value.clone() };
            newest_first.insert(Reverse(key.timestamp), cell);
        }
    }
    newest_first.into_values().take(most.unwrap_or(usize::MAX)).collect()
}

fn is_selected(scan: &Scan, key: &Key) -> bool {
    scan.columns.is_empty()
        || scan.columns.iter().any(|wanted| {
            wanted.family == key.column.family
                && wanted.qualifier.as_ref().is_none_or(|q| *q == key.column.qualifier)
        })
}

fn order(a: &Key, b: &Key) -> Ordering {
    let bytes = |key: &Key| {
        let column = &key.column;
        [&key.row, &column.family, &column.qualifier, &column.visibility].map(|part| part.to_vec())
    };
    bytes(a).cmp(&bytes(b)).then(b.timestamp.cmp(&a.timestamp))
}

fn is_in(span: &Span, key: &Key) -> bool {
    let is_before_end = |end: &Key| order(key, end) == Ordering::Less;
    order(key, span.start()) != Ordering::Less && span.end().is_none_or(is_before_end)
}

/// Evaluates the expressions that the tests write, by their truth tables.
pub(crate) fn may_see(column: &Column, held: &Authorizations) -> bool {
    let [a, b, ab] = [&b"A"[..], b"B", b"a b"].map(|label| held.contains(label));
    match &column.visibility[..] {
        b"" => true,
        b"A" | b"A|unheld" => a,
        b"B" => b,
        b"A&B" => a && b,
        b"A|B" => a || b,
        b"\"a b\"" => ab,
        b"(A|B)&\"a b\"" => (a || b) && ab,
        b"unheld" => false,
        other => panic!("{other:?} is not in the table of expressions"),
    }
}
