//! Tablets as rows of `accumulo.metadata`.
//!
//! ```text
//! row                     <table id> ";" <end row>     or, of the last tablet,  <table id> "<"
//! ~tab:~pr                00                           or  01 <end row of the tablet before>
//! loc:<session>           host:port of the server
//! file:<path>             <bytes> "," <entries> [ "," <time> ]
//! srv:compact             decimal: the number of the last compaction that a user has requested
//! ```

use accumulo_proxy::{Entry, Key, ProxyClient, Range, ScanColumn, ScanOptions};
use bytes::Bytes;
use fluo_table::{Error, ErrorKind, Result, Tablet, Tablets};
use futures::stream::TryStreamExt;

use crate::error::port_error;

const METADATA: &str = "accumulo.metadata";
const ROOT: &str = "accumulo.root";
const LOCATION: &[u8] = b"loc";
const FILE: &[u8] = b"file";
const SERVER: &[u8] = b"srv";
const COMPACTED: &[u8] = b"compact";
const TABLET: &[u8] = b"~tab";
const PREVIOUS: &[u8] = b"~pr";
/// Separator between the id of the table and the end row in the row of a tablet.
const END_ROW: u8 = b';';
/// Last byte of the row of a table's last tablet; the byte after [`END_ROW`].
const LAST: u8 = b'<';

/// Some tablets of a table: those after a split point, up to another one. `None` is the edge of the
/// table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) after: Option<Bytes>,
    pub(crate) up_to: Option<Bytes>,
}

/// Returns the tablets of a table. `None` while a split or merge is changing its rows.
pub(crate) async fn tablets(client: &ProxyClient, name: &str, id: &str) -> Result<Option<Tablets>> {
    let all = Rows { after: None, up_to: None };
    let rows = rows(client, name, id, &all).await?;
    if !cover(id, &all, &rows)? {
        return Ok(None);
    }
    let tablets = rows.into_iter().map(|row| {
        Ok(Tablet { end_row: end_row(id, &row.row)?, server: row.server, entries: row.entries })
    });
    let tablets = tablets.collect::<Result<_>>()?;
    Ok(Some(Tablets::new(tablets)))
}

/// The files of a tablet, and the number of the last compaction that a user has requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabletFiles {
    pub(crate) end_row: Option<Bytes>,
    pub(crate) files: usize,
    pub(crate) compacted: u64,
}

/// Returns the files of the tablets that have some rows, in the order of the rows. There are none
/// while a split or merge is changing the tablets.
pub(crate) async fn files(
    client: &ProxyClient,
    name: &str,
    id: &str,
    some: &Rows,
) -> Result<Vec<TabletFiles>> {
    let rows = rows(client, name, id, some).await?;
    if !cover(id, some, &rows)? {
        return Ok(Vec::new());
    }
    let files = rows.into_iter().map(|row| {
        Ok(TabletFiles {
            end_row: end_row(id, &row.row)?,
            files: row.files,
            compacted: row.compacted,
        })
    });
    files.collect()
}

/// Reads the rows of the tablets that have some rows. A merge may have given these to a tablet with
/// a later end row.
async fn rows(client: &ProxyClient, name: &str, id: &str, some: &Rows) -> Result<Vec<TabletRow>> {
    let mut rows: Vec<TabletRow> = Vec::new();
    let last_wanted = row_of(id, some.up_to.as_ref());
    let mut batches = client.scanner(table_of_tablets(name)?, options(id, some));
    while let Some(entries) = batches.try_next().await.map_err(port_error)? {
        for entry in entries {
            if rows.last().is_none_or(|last| last.row != entry.key.row) {
                if rows.last().is_some_and(|last| last.row >= last_wanted) {
                    return Ok(rows);
                }
                rows.push(TabletRow::new(entry.key.row.clone()));
            }
            if let Some(row) = rows.last_mut() {
                row.read(&entry)?;
            }
        }
    }
    Ok(rows)
}

/// Returns the table that stores the tablets of a table.
fn table_of_tablets(name: &str) -> Result<&'static str> {
    match name {
        ROOT => Err(Error::invalid(format!(
            "table `{ROOT}` always has one tablet, and no table stores its server"
        ))),
        METADATA => Ok(ROOT),
        _ => Ok(METADATA),
    }
}

/// Returns the row of the tablet with this end row.
fn row_of(id: &str, end_row: Option<&Bytes>) -> Vec<u8> {
    match end_row {
        Some(end_row) => [id.as_bytes(), &[END_ROW], end_row].concat(),
        None => [id.as_bytes(), &[LAST]].concat(),
    }
}

fn options(id: &str, some: &Rows) -> ScanOptions {
    let start = match &some.after {
        Some(_) => [&row_of(id, some.after.as_ref())[..], &[0]].concat(),
        None => [id.as_bytes(), &[END_ROW]].concat(),
    };
    // The row of the last tablet is the last row of the table, and rows of other ids do not begin
    // with it.
    let range = Range {
        start: Some(Key::from_row(start)),
        start_inclusive: true,
        stop: Some(Key::from_row([&row_of(id, None)[..], &[0]].concat())),
        stop_inclusive: false,
    };
    ScanOptions::default().range(range).columns([
        ScanColumn::family(LOCATION),
        ScanColumn::family(FILE),
        ScanColumn::qualifier(TABLET, PREVIOUS),
        ScanColumn::qualifier(SERVER, COMPACTED),
    ])
}

/// The data of one tablet read so far.
struct TabletRow {
    row: Bytes,
    server: Option<String>,
    entries: u64,
    files: usize,
    compacted: u64,
    /// `None` if it was not read yet, `Some(None)` for the first tablet.
    previous: Option<Option<Bytes>>,
}

impl TabletRow {
    fn new(row: Bytes) -> Self {
        Self { row, server: None, entries: 0, files: 0, compacted: 0, previous: None }
    }

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

/// Checks that the tablets have all these rows: the first begins at or before the first of them,
/// and each other one at the end of the one before.
fn cover(id: &str, some: &Rows, tablets: &[TabletRow]) -> Result<bool> {
    let mut before: Option<Option<Bytes>> = None;
    for tablet in tablets {
        let follows = match (&tablet.previous, &before) {
            (Some(previous), Some(before)) => previous == before,
            (Some(previous), None) => *previous <= some.after,
            (None, _) => false,
        };
        if !follows {
            return Ok(false);
        }
        before = Some(end_row(id, &tablet.row)?);
    }
    Ok(match (before, &some.up_to) {
        (Some(Some(end)), Some(up_to)) => end >= *up_to,
        (Some(end), _) => end.is_none(),
        (None, _) => false,
    })
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
    let message =
        format!("a {what} of `{METADATA}` has an unknown format: `{}`", fluo_table::Escaped(bytes));
    Error::new(ErrorKind::Corrupt, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(row: &'static str, previous: &'static [u8]) -> TabletRow {
        let mut read = TabletRow::new(row.into());
        read.previous = Some(super::previous(&Bytes::from_static(previous)));
        read
    }

    fn rows(after: Option<&'static str>, up_to: Option<&'static str>) -> Rows {
        Rows { after: after.map(Bytes::from), up_to: up_to.map(Bytes::from) }
    }

    fn are_all(tablets: &[TabletRow]) -> bool {
        cover("2k", &rows(None, None), tablets).unwrap()
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
        assert!(!are_all(&[TabletRow::new("2k<".into())]));
    }

    #[test]
    fn some_rows_may_be_in_tablets_with_other_bounds() {
        let covers = |tablets: &[TabletRow]| cover("2k", &rows(Some("d"), Some("m")), tablets);
        assert!(covers(&[row("2k;m", b"\x01d")]).unwrap());
        assert!(covers(&[row("2k;f", b"\x01b"), row("2k;p", b"\x01f")]).unwrap());
        assert!(covers(&[row("2k<", b"\0")]).unwrap());
        assert!(!covers(&[row("2k;f", b"\x01d")]).unwrap());
        assert!(!covers(&[row("2k;m", b"\x01e")]).unwrap());
        assert!(!covers(&[row("2k;f", b"\x01d"), row("2k;m", b"\x01h")]).unwrap());
    }

    #[test]
    fn reads_the_number_of_entries_of_a_file() {
        assert_eq!(file_entries(b"1024,77").unwrap(), 77);
        assert_eq!(file_entries(b"1024,77,1500000000000").unwrap(), 77);
        assert_eq!(file_entries(b"1024").unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
