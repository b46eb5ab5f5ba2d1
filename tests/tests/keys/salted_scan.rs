//! Ordered scans of salted rows, compared with the same scans of the same rows unsalted.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{
    DigestSalt, KeyDesign, Modulo, RowSelection, SaltedPart, SaltedRows, SaltedScan, ScanCursor,
    UnknownKeys,
};
use fluo_table::{
    Authorizations, Bytes, Cell, CellBatches, Column, ColumnSelector, Filter, MemoryTables,
    Mutation, Scan, Span, Table, TableAdmin, Versions,
};
use fluo_tests::{FaultyTables, Hooks, Intercepted};
use futures::TryStreamExt;
use proptest::prelude::*;
use tokio::runtime::Runtime;

const PLAIN: &str = "plain";
const SALTED: &str = "salted";

fn modulo(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo { buckets, ..Modulo::default() }).unwrap()
}

fn digest(digits: u8, over: SaltedPart) -> KeyDesign {
    KeyDesign::new(DigestSalt { digits, over, ..DigestSalt::default() }).unwrap()
}

fn all(design: &KeyDesign) -> SaltedScan {
    SaltedScan::new(design, &RowSelection::All).unwrap()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn new_table(tables: &dyn TableAdmin, name: &str, versions: Versions) -> Arc<dyn Table> {
    tables.create_table(name, versions).await.unwrap();
    tables.open_table(name, Authorizations::none()).await.unwrap()
}

fn embedded() -> (tempfile::TempDir, EmbeddedTables) {
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory.path(), options).unwrap();
    (directory, tables)
}

/// Returns tables that count their scans and cells, and the salted one.
async fn counted(tables: impl TableAdmin + 'static) -> (FaultyTables, Arc<dyn Table>) {
    let tables = FaultyTables::new(Arc::new(tables));
    let table = tables.open_table(SALTED, Authorizations::none()).await.unwrap();
    (tables, table)
}

/// Creates a table with rows of one cell.
async fn loaded(
    tables: &dyn TableAdmin,
    design: &KeyDesign,
    rows: impl IntoIterator<Item = String>,
) -> Arc<dyn Table> {
    let table = new_table(tables, SALTED, Versions::default()).await;
    let put = |row: String| {
        Mutation::new(design.encode_row(row.as_bytes()).unwrap()).put_at(
            Column::new("f", "q"),
            1,
            row,
        )
    };
    table.write(rows.into_iter().map(put).collect()).await.unwrap();
    table
}

/// Returns the rows of a scan, with their cells as if they were unsalted.
async fn unsalted(batches: SaltedRows) -> Vec<(Bytes, Vec<Cell>)> {
    let mut all = Vec::new();
    for batch in batches.try_collect::<Vec<_>>().await.unwrap() {
        assert!(!batch.is_empty());
        all.extend(batch.rows().map(|row| as_unsalted(row.row, row.cells)));
    }
    all
}

fn as_unsalted(row: &[u8], cells: &[Cell]) -> (Bytes, Vec<Cell>) {
    let row = Bytes::copy_from_slice(row);
    let mut cells = cells.to_vec();
    cells.iter_mut().for_each(|cell| cell.key.row = row.clone());
    (row, cells)
}

async fn names(batches: SaltedRows) -> Vec<String> {
    let rows = unsalted(batches).await.into_iter();
    rows.map(|(row, _)| String::from_utf8(row.to_vec()).unwrap()).collect()
}

/// Returns the rows that a scan of the unsalted table yields.
async fn plain_rows(table: &dyn Table, scan: Scan, rows: &RowSelection) -> Vec<(Bytes, Vec<Cell>)> {
    let cells = table.read(scan).await.unwrap();
    let by_row = cells.chunk_by(|one, next| one.key.row == next.key.row);
    let all = by_row.map(|cells| (cells[0].key.row.clone(), cells.to_vec()));
    all.filter(|(row, _)| rows.contains(row).unwrap()).collect()
}

/// All parameters of a scan.
#[derive(Clone, Debug)]
struct Request {
    rows: RowSelection,
    limit: Option<u64>,
    column: Option<&'static str>,
    filter: Filter,
    memory_bytes: usize,
    open_scans: usize,
    concurrent_reads: usize,
}

impl Request {
    fn salted(&self, design: &KeyDesign) -> SaltedScan {
        let scan = SaltedScan::new(design, &self.rows).unwrap();
        let scan = scan
            .filter(self.filter)
            .memory_bytes(self.memory_bytes)
            .open_scans(self.open_scans)
            .concurrent_reads(self.concurrent_reads);
        match self.column {
            Some(qualifier) => scan.column(ColumnSelector::qualifier("f", qualifier)),
            None => scan,
        }
    }

    fn plain(&self) -> Scan {
        let scan = Scan::over(Span::all()).filter(self.filter);
        match self.column {
            Some(qualifier) => scan.column(ColumnSelector::qualifier("f", qualifier)),
            None => scan,
        }
    }
}

fn row() -> impl Strategy<Value = String> {
    "[ab~]{0,4}"
}

fn any_rows() -> impl Strategy<Value = RowSelection> {
    prop_oneof![
        3 => Just(RowSelection::All),
        1 => row().prop_map(|row| RowSelection::Row(row.into())),
        1 => row().prop_map(|prefix| RowSelection::Prefix(prefix.into())),
        2 => (row(), row()).prop_map(|(start, end)| RowSelection::range(start, end)),
    ]
}

fn any_request() -> impl Strategy<Value = Request> {
    let column = prop_oneof![2 => Just(None), 1 => Just(Some("a"))];
    let filter = prop_oneof![2 => Just(Filter::None), 1 => Just(Filter::FirstOfRow)];
    let limit = proptest::option::of(1_u64..20);
    let costs = (
        prop_oneof![Just(40_000_usize), Just(1 << 20), Just(64 << 20)],
        prop_oneof![Just(0_usize), Just(256)],
        prop_oneof![Just(1_usize), Just(16)],
    );
    (any_rows(), limit, column, filter, costs).prop_map(|(rows, limit, column, filter, costs)| {
        Request {
            rows,
            limit,
            column,
            filter,
            memory_bytes: costs.0,
            open_scans: costs.1,
            concurrent_reads: costs.2,
        }
    })
}

fn any_design() -> impl Strategy<Value = KeyDesign> {
    prop_oneof![
        Just(modulo(1)),
        Just(modulo(3)),
        Just(modulo(64)),
        Just(digest(1, SaltedPart::Whole)),
        Just(digest(1, SaltedPart::First(1))),
        Just(digest(2, SaltedPart::Before("b".to_owned()))),
    ]
}

/// Returns cells as row, qualifier and timestamp.
fn any_cells() -> impl Strategy<Value = Vec<(String, String, i64)>> {
    proptest::collection::vec((row(), "[ab]", 0_i64..3), 0..60)
}

async fn check(
    design: &KeyDesign,
    cells: &[(String, String, i64)],
    request: &Request,
    page: Option<u64>,
) {
    let tables = MemoryTables::new();
    let plain = new_table(&tables, PLAIN, Versions::All).await;
    let salted = new_table(&tables, SALTED, Versions::All).await;
    for (row, qualifier, timestamp) in cells {
        let put = |key: Bytes| {
            Mutation::new(key).put_at(Column::new("f", qualifier.clone()), *timestamp, "v")
        };
        plain.write(vec![put(row.clone().into())]).await.unwrap();
        salted.write(vec![put(design.encode_row(row.as_bytes()).unwrap())]).await.unwrap();
    }
    let mut expected = plain_rows(&*plain, request.plain(), &request.rows).await;
    let limit = request.limit.unwrap_or(u64::MAX);
    expected.truncate(usize::try_from(limit).unwrap_or(usize::MAX));

    // Page by page: each page starts after the cursor of the last row, sent as text. The table is
    // split in between.
    let mut found = Vec::new();
    let mut cursor: Option<ScanCursor> = None;
    loop {
        let left = limit - u64::try_from(found.len()).unwrap();
        let scan = request.salted(design).limit(page.unwrap_or(u64::MAX).min(left));
        let scan = match &cursor {
            Some(cursor) => scan.after(&cursor.to_string().parse().unwrap()).unwrap(),
            None => scan,
        };
        let mut batches = scan.run(salted.clone());
        let before = found.len();
        while let Some(batch) = batches.try_next().await.unwrap() {
            let rows = batch.rows();
            found.extend(rows.map(|row| as_unsalted(row.row, row.cells)));
            let last = batch.rows().last().unwrap().cursor();
            assert_eq!(last, batch.cursor());
            cursor = Some(last);
            let split = BTreeSet::from([batch.cells().next().unwrap().key.row.clone()]);
            tables.add_splits(SALTED, &split).await.unwrap();
            let by_row: Vec<Cell> = batch.rows().flat_map(|row| row.cells.to_vec()).collect();
            assert!(batch.cells().eq(&by_row));
            assert_eq!(batch.cell_count(), by_row.len());
        }
        if page.is_none() || found.len() == before || found.len() == expected.len() {
            break;
        }
    }
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_salted_scan_yields_the_rows_of_an_unsalted_scan(
        design in any_design(),
        cells in any_cells(),
        request in any_request(),
        page in proptest::option::of(1_u64..7),
    ) {
        runtime().block_on(check(&design, &cells, &request, page));
    }
}

fn numbered(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("row-{number:06}"))
}

#[tokio::test]
async fn a_limit_reads_a_short_head_of_each_piece() {
    let (_directory, tables) = embedded();
    let design = modulo(64);
    loaded(&tables, &design, numbered(20_000)).await;
    let (tables, table) = counted(tables).await;
    let scan = all(&design).limit(1_000);
    assert_eq!(scan.explain().first_cells, 25);
    let expected: Vec<_> = numbered(1_000).collect();
    assert_eq!(names(scan.run(table)).await, expected);
    // Each piece has a share of 15 rows, plus a deviation by chance. Java's hash is uneven on
    // numbers, so that some pieces are read twice.
    let (cells, scans) = (tables.cells(), tables.scans());
    assert!(cells <= 64 * 40, "{cells}");
    assert!((64..=96).contains(&scans), "{scans}");
}

#[tokio::test]
async fn reads_only_on_demand() {
    let memory = MemoryTables::new();
    let design = modulo(64);
    loaded(&memory, &design, numbered(100_000)).await;
    let (tables, table) = counted(memory).await;
    let scan = all(&design).memory_bytes(1 << 20);
    let mut batches = scan.run(table);
    assert_eq!(tables.cells(), 0);
    batches.try_next().await.unwrap().unwrap();
    // At most the cells of a mebibyte: a cell takes two hundred bytes.
    let first = tables.cells();
    assert!(first < 8_000, "{first}");
    tokio::task::yield_now().await;
    assert_eq!(tables.cells(), first);
}

/// Hooks that count the open scans.
#[derive(Default)]
struct Counting {
    open: Arc<AtomicUsize>,
    most_open: Arc<AtomicUsize>,
}

struct OpenScan(Arc<AtomicUsize>);

impl Drop for OpenScan {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Hooks for Counting {
    fn batches(&self, _: &Scan, batches: CellBatches) -> CellBatches {
        let now = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_open.fetch_max(now, Ordering::SeqCst);
        let open = OpenScan(self.open.clone());
        Box::pin(batches.inspect_ok(move |_| {
            let _ = &open;
        }))
    }
}

#[tokio::test]
async fn very_many_pieces_are_read_by_few_short_scans() {
    let memory = MemoryTables::new();
    let design = digest(4, SaltedPart::Whole);
    let table = Arc::new(Intercepted::with_hooks(
        loaded(&memory, &design, numbered(300)).await,
        Counting::default(),
    ));
    let scan = all(&design);
    let plan = scan.explain();
    assert_eq!((plan.spans.len(), plan.stays_open), (65_536, false));
    let expected: Vec<_> = numbered(300).collect();
    assert_eq!(names(scan.run(table.clone())).await, expected);
    assert!((1..=17).contains(&table.hooks().most_open.load(Ordering::SeqCst)));
    assert_eq!(plan.max_cells, 1);
    assert_eq!(table.hooks().open.load(Ordering::SeqCst), 0);
}

/// Counts the cells that were read but not yet yielded, which the scan holds.
#[tokio::test]
async fn limits_the_memory_of_cells_that_wait_to_be_merged() {
    let (_directory, tables) = embedded();
    let design = digest(2, SaltedPart::Whole);
    loaded(&tables, &design, numbered(40_000)).await;
    let (tables, table) = counted(tables).await;
    for (memory_bytes, open_scans) in [(1 << 18, 256), (1 << 18, 0), (2 << 20, 256), (2 << 20, 0)] {
        let before = tables.cells();
        let (mut yielded, mut most_held) = (0, 0);
        let scan = all(&design);
        let scan = scan.memory_bytes(memory_bytes).open_scans(open_scans);
        let mut batches = scan.run(table.clone());
        while let Some(batch) = batches.try_next().await.unwrap() {
            // Each short scan reads the last row of the previous one again.
            yielded += batch.cell_count();
            most_held = most_held.max((tables.cells() - before).saturating_sub(yielded));
        }
        assert_eq!(yielded, 40_000);
        if open_scans > 0 {
            let cell_bytes = size_of::<Cell>() + 30;
            assert!(most_held * cell_bytes <= memory_bytes, "{most_held} in {memory_bytes}");
        }
    }
}

/// Returns a row of many cells.
fn wide(design: &KeyDesign, row: &str, cells: usize, value_bytes: usize) -> Mutation {
    let row = Mutation::new(design.encode_row(row.as_bytes()).unwrap());
    (0..cells).fold(row, |row, cell| {
        row.put_at(Column::new("f", format!("{cell:04}")), 1, vec![b'v'; value_bytes])
    })
}

#[tokio::test]
async fn wide_rows_are_returned_whole() {
    let (_directory, tables) = embedded();
    let design = modulo(3);
    let table = new_table(&tables, SALTED, Versions::All).await;
    for name in ["a", "b", "c", "d"] {
        table.write(vec![wide(&design, name, 3_000, 1)]).await.unwrap();
    }
    for (open_scans, limit) in [(256, u64::MAX), (0, u64::MAX), (0, 2), (256, 2)] {
        let scan = all(&design);
        let rows = unsalted(scan.open_scans(open_scans).limit(limit).run(table.clone())).await;
        let sizes: Vec<_> = rows.iter().map(|(row, cells)| (row.as_ref(), cells.len())).collect();
        let expected = [&b"a"[..], b"b", b"c", b"d"].map(|row| (row, 3_000));
        assert_eq!(sizes, expected[..sizes.len()]);
        assert_eq!(sizes.len(), usize::try_from(limit.min(4)).unwrap());
    }
}

/// Writes rows of 200 cells, each of about 500 bytes.
async fn write_wide_rows(table: &dyn Table, design: &KeyDesign, rows: u32) {
    for row in numbered(rows) {
        table.write(vec![wide(design, &row, 200, 200)]).await.unwrap();
    }
}

/// Regression test: each piece was read to the end of its first row before rows were merged, so a
/// scan held one row of every piece.
#[tokio::test]
async fn one_wide_row_at_a_time_is_held_whole() {
    let memory = MemoryTables::new();
    let design = digest(1, SaltedPart::Whole);
    let table = new_table(&memory, SALTED, Versions::All).await;
    write_wide_rows(&*table, &design, 60).await;
    for (open_scans, concurrent_reads) in [(256, 1), (256, 16), (0, 4)] {
        let scan = all(&design);
        assert_eq!(scan.explain().spans.len(), 16);
        let scan = scan.open_scans(open_scans).concurrent_reads(concurrent_reads);
        // A row is a quarter of it.
        let found = unsalted(scan.memory_bytes(400_000).run(table.clone())).await;
        let sizes = found.into_iter().map(|(row, cells)| (row, cells.len()));
        assert!(sizes.eq(numbered(60).map(|row| (Bytes::from(row), 200))));
    }
}

/// Hooks that delay the batches of ten pieces for long, and those of the others shortly.
struct Slow;

impl Hooks for Slow {
    fn batches(&self, scan: &Scan, batches: CellBatches) -> CellBatches {
        let is_long = scan.spans().iter().any(|span| span.start().row.starts_with(b"0"));
        let polls = if is_long { 100 } else { 1 };
        Box::pin(batches.and_then(move |cells| async move {
            for _ in 0..polls {
                tokio::task::yield_now().await;
            }
            Ok(cells)
        }))
    }
}

/// Rows are merged while reads of their pieces wait for their turn.
#[tokio::test]
async fn a_piece_that_waits_for_its_turn_is_read_once() {
    let memory = MemoryTables::new();
    let design = modulo(16);
    let table = loaded(&memory, &design, numbered(40_000)).await;
    let table = Arc::new(Intercepted::with_hooks(table, Slow));
    for (concurrent_reads, open_scans) in [(2, 256), (4, 256), (2, 0), (4, 0)] {
        let scan = all(&design);
        let scan = scan.concurrent_reads(concurrent_reads).open_scans(open_scans);
        assert!(numbered(40_000).eq(names(scan.run(table.clone())).await));
    }
}

#[tokio::test]
async fn a_limit_reads_wide_rows_in_part() {
    let memory = MemoryTables::new();
    let design = digest(1, SaltedPart::Whole);
    let table = new_table(&memory, SALTED, Versions::All).await;
    write_wide_rows(&*table, &design, 60).await;
    let (tables, table) = counted(memory).await;
    let scan = all(&design).limit(1);
    assert_eq!(scan.explain().first_cells, 4);
    let found = unsalted(scan.run(table)).await;
    assert_eq!((found.len(), found[0].1.len()), (1, 200));
    // The first read of each piece, and the yielded row, whose reads double.
    assert!(tables.cells() <= 16 * 4 + 2 * 200, "{}", tables.cells());
}

#[tokio::test]
async fn a_row_that_is_larger_than_the_memory_is_refused() {
    let memory = MemoryTables::new();
    let design = modulo(3);
    let table = new_table(&memory, SALTED, Versions::All).await;
    table.write(vec![wide(&design, "wide", 100, 1_000)]).await.unwrap();
    let rows = RowSelection::Row("wide".into());
    let scan = SaltedScan::new(&design, &rows).unwrap().memory_bytes(50_000);
    let error = scan.run(table).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the scan holds 54,280 bytes, 54,280 for the row `02|wide`, and may hold 50,000: raise `memory_bytes`"
    );
}

#[tokio::test]
async fn keys_of_another_design_are_refused_or_counted() {
    let memory = MemoryTables::new();
    let design = modulo(10);
    let table = loaded(&memory, &design, ["a", "b", "c"].map(str::to_owned)).await;
    let column = Column::new("f", "q");
    // The salt of `b` is 08.
    table.write(vec![Mutation::new("03|b").put(column.clone(), "v")]).await.unwrap();
    let scan = all(&design);
    let error = scan.clone().run(table.clone()).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the scanned rows include a key of another design: `03|b` is not a key of this modulo design: its salt is `03`, \
         but that of its row is `08`; skip such keys"
    );
    let mut batches = scan.clone().foreign(UnknownKeys::Skip).run(table.clone());
    let batch = batches.try_next().await.unwrap().unwrap();
    let rows: Vec<_> = batch.rows().map(|row| row.row.to_vec()).collect();
    assert_eq!(rows, [b"a", b"b", b"c"]);
    assert!(batches.try_next().await.unwrap().is_none());
    assert_eq!(batches.skipped(), 1);
    // Keys outside of the range are not checked.
    let others = SaltedScan::new(&design, &RowSelection::range("c", "d")).unwrap();
    assert_eq!(names(others.run(table)).await, ["c"]);
}

#[tokio::test]
async fn a_broken_scan_resumes_at_its_cursor() {
    let design = modulo(5);
    let expected: Vec<_> = numbered(3_000).collect();
    for broken in 0..30 {
        let memory = MemoryTables::new();
        loaded(&memory, &design, numbered(3_000)).await;
        let faulty = FaultyTables::new(Arc::new(memory)).fail_scan(broken, 1);
        let table = faulty.open_table(SALTED, Authorizations::none()).await.unwrap();
        let scan = all(&design).memory_bytes(200_000);
        let (mut found, mut cursor, mut errors) = (Vec::new(), None, 0);
        loop {
            let scan = match &cursor {
                Some(cursor) => scan.clone().after(cursor).unwrap(),
                None => scan.clone(),
            };
            let mut batches = scan.run(table.clone());
            let ended = loop {
                match batches.try_next().await {
                    Ok(Some(batch)) => {
                        let names =
                            batch.rows().map(|row| String::from_utf8(row.row.to_vec()).unwrap());
                        found.extend(names);
                        cursor = Some(batch.cursor());
                    }
                    Ok(None) => break true,
                    Err(error) => {
                        assert!(error.to_string().starts_with("injected fault"), "{error}");
                        break false;
                    }
                }
            };
            if ended {
                break;
            }
            errors += 1;
        }
        assert_eq!(found, expected, "scan {broken} broke");
        assert!(errors <= 1);
    }
}

#[tokio::test]
async fn a_cursor_of_another_scan_is_refused() {
    let memory = MemoryTables::new();
    let design = modulo(10);
    let table = loaded(&memory, &design, numbered(10)).await;
    let scan = |design: &KeyDesign, rows: RowSelection| SaltedScan::new(design, &rows).unwrap();
    let mut batches = scan(&design, RowSelection::All).run(table);
    let cursor = batches.try_next().await.unwrap().unwrap().cursor();
    let message =
        format!("the cursor `{cursor}` belongs to a scan of other rows or of another design");
    for other in [
        scan(&modulo(11), RowSelection::All),
        scan(&digest(1, SaltedPart::Whole), RowSelection::All),
        scan(&design, RowSelection::Prefix("row".into())),
    ] {
        assert_eq!(other.after(&cursor).unwrap_err().to_string(), message);
    }
    let forged: ScanCursor =
        cursor.to_string().replace("-0", "-x").parse().unwrap_or(cursor.clone());
    assert!(forged == cursor || scan(&design, RowSelection::All).after(&forged).is_err());
    for text in [
        "",
        "scan-",
        "scan-0123456789abcdef",
        "scan-0123456789ABCDEF-a",
        r"scan-0123456789abcdef-\q",
    ] {
        assert_eq!(
            text.parse::<ScanCursor>().unwrap_err().to_string(),
            format!("`{text}` is not a cursor of a scan")
        );
    }
}

/// Returns every row that existed before the scan once and in order, while writers write and
/// tablets split.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_is_correct_during_writes_and_splits() {
    let (_directory, tables) = embedded();
    let design = modulo(16);
    let table = loaded(&tables, &design, numbered(20_000)).await;
    let (writer, keys) = (table.clone(), design.clone());
    let writing = tokio::spawn(async move {
        for number in 0..400 {
            let row = format!("row-{:06}-new", number * 50);
            let put = Mutation::new(keys.encode_row(row.as_bytes()).unwrap());
            writer.write(vec![put.put(Column::new("f", "q"), "v")]).await.unwrap();
        }
    });
    let splitting = tokio::spawn(async move {
        for bucket in 1..16 {
            let split = Bytes::from(format!("{bucket:02}"));
            tables.add_splits(SALTED, &BTreeSet::from([split])).await.unwrap();
        }
        tables
    });
    let mut cells = NonZeroUsize::MIN;
    while !writing.is_finished() || cells.get() < 4 {
        let memory_bytes = cells.get() << 18;
        let scan = all(&design).memory_bytes(memory_bytes);
        let found = names(scan.run(table.clone())).await;
        assert!(found.is_sorted_by(|one, next| one < next));
        let old = found.iter().filter(|row| !row.ends_with("new"));
        assert!(old.eq(&numbered(20_000).collect::<Vec<_>>()));
        cells = cells.saturating_add(1);
    }
    writing.await.unwrap();
    splitting.await.unwrap();
}
