//! Tablets as rows of `accumulo.metadata`.
//!
//! ```text
//! row                     <table id> ";" <end row>     or, of the last tablet,  <table id> "<"
//! ~tab:~pr                00                           or  01 <end row of the tablet before>
//! loc:<session>           host:port of the server
//! file:<path>             <bytes> "," <entries> [ "," <time> ]
//! srv:compact             decimal: the number of the last compaction that a user has requested
//! ```

use accumulo_proxy::{Entry, ProxyClient, Range, ScanColumn, ScanOptions};
use bytes::Bytes;
use fluo_table::{Error, Result};
use futures::stream::TryStreamExt;

use crate::error::port_error;

const METADATA: &str = "accumulo.metadata";
const ROOT: &str = "accumulo.root";
const LOCATION: &[u8] = b"loc";
const FILE: &[u8] = b"file";
const SERVER: &[u8] = b"srv";
/// Separator between the id of the table and the end row in the row of a tablet.
const END_ROW: u8 = b';';
/// Last byte of the row of a table's last tablet; the byte after [`END_ROW`].
const LAST: u8 = b'<';

/// Some tablets of a table: those after a split point, up to another one. `None` is the edge of the
/// table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) after: Option<Bytes>,
    pub(crate) up_to: Option<Bytes>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct TabletRow {
    pub(crate) end_row: Option<Bytes>,
    pub(crate) server: Option<String>,
    pub(crate) entries: u64,
    pub(crate) files: usize,
    /// The number of the last compaction that a user has requested.
    pub(crate) compacted: u64,
    /// `None` if it was not read yet, `Some(None)` for the first tablet.
    pub(crate) previous: Option<Option<Bytes>>,
}

/// Reads the rows of the tablets that have some rows. A merge may have given these to a tablet with
/// a later end row. Returns `None` while a split or merge is changing the tablets.
pub(crate) async fn rows(
    client: &ProxyClient,
    name: &str,
    id: &str,
    some: &Rows,
) -> Result<Option<Vec<TabletRow>>> {
    let mut rows: Vec<TabletRow> = Vec::new();
    let mut batches = client.scanner(table_of_tablets(name)?, options(id, some));
    'scan: while let Some(entries) = batches.try_next().await.map_err(port_error)? {
        for entry in entries {
            let end_row = end_row(id, &entry.key.row)?;
            if rows.last().is_none_or(|last| last.end_row != end_row) {
                if rows.last().is_some_and(|last| some.end_in(last)) {
                    break 'scan;
                }
                rows.push(TabletRow { end_row, ..TabletRow::default() });
            }
            if let Some(row) = rows.last_mut() {
                row.read(&entry)?;
            }
        }
    }
    Ok(some.are_in(&rows).then_some(rows))
}

fn table_of_tablets(name: &str) -> Result<&'static str> {
    match name {
        ROOT => Err(Error::invalid(format!(
            "table `{ROOT}` always has one tablet, and no table stores its server"
        ))),
        METADATA => Ok(ROOT),
        _ => Ok(METADATA),
    }
}

fn options(id: &str, some: &Rows) -> ScanOptions {
    let id = id.as_bytes();
    let start = match &some.after {
        Some(after) => [id, &[END_ROW], after, &[0]].concat(),
        None => [id, &[END_ROW]].concat(),
    };
    // The row of the last tablet is the last row of the table, and rows of other ids do not begin
    // with it.
    let stop = [id, &[LAST, 0]].concat();
    let range = Range::rows(Some(start.into()), Some(stop.into()));
    ScanOptions::default().range(range).columns([
        ScanColumn::family(LOCATION),
        ScanColumn::family(FILE),
        ScanColumn::qualifier("~tab", "~pr"),
        ScanColumn::qualifier(SERVER, "compact"),
    ])
}

impl TabletRow {
    fn read(&mut self, entry: &Entry) -> Result<()> {
        let value = &entry.value;
        match &entry.key.family[..] {
            LOCATION => self.server = Some(String::from_utf8_lossy(value).into_owned()),
            FILE => {
                self.entries = self.entries.saturating_add(file_entries(value)?);
                self.files += 1;
            }
            SERVER => self.compacted = compacted(value)?,
            _ => self.previous = Some(previous(value)),
        }
        Ok(())
    }
}

impl Rows {
    /// Checks that tablets have all these rows: the first begins at or before the first of them,
    /// and each other one at the end of the one before.
    fn are_in(&self, tablets: &[TabletRow]) -> bool {
        let begins =
            |tablet: &TabletRow| tablet.previous.as_ref().is_some_and(|row| *row <= self.after);
        let mut pairs = tablets.iter().zip(tablets.iter().skip(1));
        tablets.first().is_some_and(begins)
            && pairs.all(|(before, tablet)| tablet.previous.as_ref() == Some(&before.end_row))
            && tablets.last().is_some_and(|last| self.end_in(last))
    }

    /// Checks whether a tablet has the last of these rows, or a later one.
    fn end_in(&self, tablet: &TabletRow) -> bool {
        match (&tablet.end_row, &self.up_to) {
            (Some(end), Some(up_to)) => end >= up_to,
            (end, _) => end.is_none(),
        }
    }
}

fn end_row(id: &str, row: &Bytes) -> Result<Option<Bytes>> {
    match row.strip_prefix(id.as_bytes()).and_then(<[u8]>::split_first) {
        Some((&END_ROW, _)) => Ok(Some(row.slice(id.len() + 1..))),
        Some((&LAST, [])) => Ok(None),
        _ => Err(unreadable("row", row)),
    }
}

fn previous(value: &Bytes) -> Option<Bytes> {
    let (has_row, _) = value.split_first()?;
    (*has_row != 0).then(|| value.slice(1..))
}

fn file_entries(value: &[u8]) -> Result<u64> {
    let text = str::from_utf8(value).ok();
    let entries = text.and_then(|text| text.split(',').nth(1)?.parse().ok());
    entries.ok_or_else(|| unreadable("file entry", value))
}

fn compacted(value: &[u8]) -> Result<u64> {
    let number = str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| unreadable("number of a compaction", value))
}

fn unreadable(what: &str, bytes: &[u8]) -> Error {
    let shown = fluo_table::Escaped(bytes);
    Error::corrupt(format!("a {what} of `{METADATA}` has an unknown format: `{shown}`"))
}

#[cfg(test)]
mod tests {
    use fluo_table::ErrorKind;

    use super::*;

    fn row(row: &'static str, previous: &'static [u8]) -> TabletRow {
        TabletRow {
            end_row: end_row("2k", &row.into()).unwrap(),
            previous: Some(super::previous(&Bytes::from_static(previous))),
            ..TabletRow::default()
        }
    }

    fn rows(after: Option<&'static str>, up_to: Option<&'static str>) -> Rows {
        Rows { after: after.map(Bytes::from), up_to: up_to.map(Bytes::from) }
    }

    fn are_all(tablets: &[TabletRow]) -> bool {
        Rows::default().are_in(tablets)
    }

    #[test]
    fn accepts_tablets_without_a_gap() {
        assert!(are_all(&[row("2k;a", b"\0"), row("2k;b;<", b"\x01a"), row("2k<", b"\x01b;<"),]));
        assert!(are_all(&[row("2k<", b"\0")]));
    }

    #[test]
    fn rejects_rows_in_the_middle_of_a_change() {
        assert!(!are_all(&[]));
        assert!(!are_all(&[row("2k;a", b"\0")]));
        assert!(!are_all(&[row("2k;a", b"\0"), row("2k<", b"\0")]));
        assert!(!are_all(&[row("2k;b", b"\x01a"), row("2k<", b"\x01b")]));
        assert!(!are_all(&[TabletRow::default()]));
    }

    #[test]
    fn some_rows_may_be_in_tablets_with_other_bounds() {
        let covers = |tablets: &[TabletRow]| rows(Some("d"), Some("m")).are_in(tablets);
        assert!(covers(&[row("2k;m", b"\x01d")]));
        assert!(covers(&[row("2k;f", b"\x01b"), row("2k;p", b"\x01f")]));
        assert!(covers(&[row("2k<", b"\0")]));
        assert!(!covers(&[row("2k;f", b"\x01d")]));
        assert!(!covers(&[row("2k;m", b"\x01e")]));
        assert!(!covers(&[row("2k;f", b"\x01d"), row("2k;m", b"\x01h")]));
    }

    #[test]
    fn reads_the_number_of_entries_of_a_file() {
        assert_eq!(file_entries(b"1024,77").unwrap(), 77);
        assert_eq!(file_entries(b"1024,77,1500000000000").unwrap(), 77);
        assert_eq!(file_entries(b"1024").unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
