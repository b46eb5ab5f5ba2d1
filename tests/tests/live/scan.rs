//! Scans of a real Accumulo.

use std::collections::BTreeSet;

use accumulo_proxy::{
    BatchScanOptions, ColumnUpdate, Entry, ErrorKind, IteratorSetting, Key, Mutation, ProxyClient,
    Range, ScanOptions,
};
use fluo_tests::conformance::AUTHORIZATIONS;
use tokio::task::JoinHandle;

use crate::ground::{read, table};

fn shown(entries: &[Entry]) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let show = |entry: &Entry| {
        let key = &entry.key;
        let parts = [&key.row, &key.family, &key.qualifier, &entry.value];
        parts.map(|part| text(part)).join(" ")
    };
    entries.iter().map(show).collect()
}

async fn scan(client: &ProxyClient, table: &str, options: ScanOptions) -> Vec<String> {
    shown(&read(client.scanner(table, options)).await.unwrap())
}

/// Returns the entries of a batch scan, sorted because they have no order.
async fn batch_scan(client: &ProxyClient, table: &str, options: BatchScanOptions) -> Vec<String> {
    let mut rows = shown(&read(client.batch_scanner(table, options)).await.unwrap());
    rows.sort();
    rows
}

/// Creates a table with the rows a, b and c, each with the columns f:p, f:q and g:p.
async fn small() -> Option<(ProxyClient, String)> {
    let (client, name) = table("scan").await?;
    let row = |row| Mutation::new(row).put("f", "p", "1").put("f", "q", "2").put("g", "p", "3");
    client.write(&name, ["a", "b", "c"].map(row).to_vec()).await.unwrap();
    Some((client, name))
}

#[tokio::test]
async fn bounds_have_the_same_meaning_in_both_scanners() {
    let Some((client, table)) = small().await else { return };
    let all = read(client.scanner(table.as_str(), ScanOptions::default())).await.unwrap();
    for (start_inclusive, stop_inclusive) in
        [(true, true), (true, false), (false, true), (false, false)]
    {
        for (first, last) in [(0, 8), (2, 5), (3, 3), (4, 5)] {
            let range = Range {
                start: Some(all[first].key.clone()),
                start_inclusive,
                stop: Some(all[last].key.clone()),
                stop_inclusive,
            };
            let from = if start_inclusive { first } else { first + 1 };
            let to = if stop_inclusive { last + 1 } else { last };
            let expected = shown(all.get(from..to).unwrap_or_default());
            let options = ScanOptions::default().range(range.clone());
            assert_eq!(scan(&client, &table, options).await, expected, "{range:?}");
            let options = BatchScanOptions::over([range.clone()]);
            assert_eq!(batch_scan(&client, &table, options).await, expected, "{range:?}");
        }
    }
}

#[tokio::test]
async fn a_range_separates_the_versions_of_a_column() {
    let Some((client, table)) = table("scan").await else { return };
    // Versioning keeps the newest timestamp. The earliest one has no tick after it.
    for (row, timestamp) in [("a", i64::MAX), ("b", 0), ("c", i64::MIN)] {
        let put = ColumnUpdate::put("f", "q", "v").at(timestamp);
        client.write(&table, vec![Mutation::new(row).update(put)]).await.unwrap();
        let key = Key::from_row(row).in_column("f", "q").at(timestamp);
        for inclusive in [true, false] {
            let range = Range {
                start: Some(Key::from_row(row)),
                start_inclusive: true,
                stop: Some(key.clone()),
                stop_inclusive: inclusive,
            };
            let expected = usize::from(inclusive);
            let options = ScanOptions::default().range(range.clone());
            assert_eq!(scan(&client, &table, options).await.len(), expected, "{range:?}");
            let options = BatchScanOptions::over([range.clone()]);
            assert_eq!(batch_scan(&client, &table, options).await.len(), expected, "{range:?}");
        }
    }
}

#[tokio::test]
async fn a_scan_uses_all_some_or_no_authorizations() {
    // This also grants the authorizations.
    if crate::cluster::tables().await.is_none() {
        return;
    }
    let Some((client, table)) = table("scan").await else { return };
    let seen_by = |visibility: &'static str| {
        ColumnUpdate::put("f", visibility, "v").with_visibility(visibility)
    };
    let row = Mutation::new("r").put("f", "", "v");
    let row = row.update(seen_by("A")).update(seen_by("B")).update(seen_by("A&B"));
    client.write(&table, vec![row.update(seen_by("\"a b\"|unheld"))]).await.unwrap();
    let counts = [
        (ScanOptions::default(), 5),
        (ScanOptions::default().no_authorizations(), 1),
        (ScanOptions::default().authorizations(["A"]), 2),
        (ScanOptions::default().authorizations(AUTHORIZATIONS), 5),
    ];
    for (options, expected) in counts {
        let mut batch_options = BatchScanOptions::over([Range::all()]);
        batch_options.authorizations.clone_from(&options.authorizations);
        assert_eq!(scan(&client, &table, options).await.len(), expected);
        assert_eq!(batch_scan(&client, &table, batch_options).await.len(), expected);
    }
    let options = ScanOptions::default().authorizations(["unheld"]);
    let error = read(client.scanner(table, options)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security);
    assert!(error.reason().contains("BAD_AUTHORIZATIONS"), "{error}");
}

#[tokio::test]
async fn an_iterator_that_the_servers_lack_is_an_error_of_accumulo() {
    let Some((client, table)) = small().await else { return };
    let iterator = || IteratorSetting::new(50, "none", "org.example.NoSuchIterator");
    let options = ScanOptions::default().iterator(iterator());
    let error = read(client.scanner(table.as_str(), options)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Accumulo, "{error}");
    let options = BatchScanOptions::over([Range::all()]).iterator(iterator());
    let error = read(client.batch_scanner(table, options)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Accumulo, "{error}");
}

/// Number of columns of the row that is rewritten.
const COLUMNS: usize = 40;
const WATCHED: &str = "watched";

fn numbered(number: usize) -> Mutation {
    let columns = (0..COLUMNS).map(|column| format!("{column:02}"));
    columns.fold(Mutation::new(WATCHED), |row, column| row.put("f", column, number.to_string()))
}

/// Rewrites the row repeatedly, each time as a whole.
fn rewrite(client: &ProxyClient, table: &str) -> JoinHandle<()> {
    let (client, table) = (client.clone(), table.to_owned());
    tokio::spawn(async move {
        for number in 1.. {
            client.write(&table, vec![numbered(number)]).await.unwrap();
        }
    })
}

/// Returns `true` if all cells of a row are from one write.
fn is_whole(cells: &[Entry]) -> bool {
    cells.len() == COLUMNS && cells.iter().all(|cell| cell.value == cells[0].value)
}

/// A server reads each piece that it sends, a thousand cells, at one moment. A scan can see half a
/// row if the row spans two pieces, but not if the row is read alone, or by an iterator that makes
/// one cell of a row.
#[tokio::test]
async fn a_row_that_is_read_alone_or_as_one_cell_is_complete() {
    const SCANS: usize = 100;
    // The last cell of the first piece is the first cell of the row.
    const BEFORE: usize = 999;
    let Some((client, table)) = table("scan").await else { return };
    let before = (0..BEFORE).map(|row| Mutation::new(format!("before{row:03}")).put("f", "q", "v"));
    let rows = before.chain([numbered(0)]).collect();
    client.write(&table, rows).await.unwrap();
    let writer = rewrite(&client, &table);

    let alone = ScanOptions::default().range(Range::row(WATCHED));
    let class = "org.apache.accumulo.core.iterators.user.WholeRowIterator";
    let rows = ScanOptions::default().iterator(IteratorSetting::new(50, "rows", class));
    let (mut parts, mut seen) = (0, BTreeSet::new());
    for _ in 0..SCANS {
        let cells = read(client.scanner(&table, alone.clone())).await.unwrap();
        assert!(is_whole(&cells), "{:?}", shown(&cells));
        let all = read(client.scanner(&table, ScanOptions::default())).await.unwrap();
        let cells: Vec<_> = all.into_iter().filter(|cell| cell.key.row == WATCHED).collect();
        parts += usize::from(!is_whole(&cells));
        let all = read(client.scanner(&table, rows.clone())).await.unwrap();
        let cell = all.last().unwrap();
        let numbers = values_of_row(&cell.value);
        assert_eq!(numbers.len(), COLUMNS);
        assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
        seen.insert(numbers[0].clone());
    }
    writer.abort();
    // The row was rewritten all the time, or the test would prove nothing.
    assert!(seen.len() > SCANS / 10, "{}", seen.len());
    // The documented limitation still exists.
    assert!(parts > 0, "no scan of {SCANS} saw half a row");
}

/// Returns the values in the one cell that `WholeRowIterator` makes of a row. The cell contains the
/// number of cells. For each of them follow family, qualifier and visibility, each after its
/// length, the timestamp, and the value after its length.
fn values_of_row(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut take = |length: usize| {
        let (front, rest) = bytes.split_at(length);
        bytes = rest;
        front
    };
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap()) as usize;
    let cells = number(take(4));
    let values = (0..cells).map(|_| {
        for _ in 0..3 {
            let length = number(take(4));
            take(length);
        }
        take(8);
        let length = number(take(4));
        take(length).to_vec()
    });
    values.collect()
}
