//! Bulk loads into a table in memory: counts, failures of every call, and rows that exist.

#![cfg(test)]

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fluo_keys::{
    BulkLoad, BulkLoadCause, BulkLoadError, BulkLoadReport, KeyDesign, KeyMigration, Modulo,
    RandomSalt, RecipeErrorKind,
};
use fluo_table::{
    Authorizations, Bytes, Column, Error, ErrorKind, MemoryTables, Mutation, Outcome, Result, Scan,
    Span, Table, TableAdmin, Versions,
};
use fluo_tests::{Call, Fault, FaultyTables, Hooks, Intercepted};
use futures_util::{Stream, StreamExt, stream};

const FAULTS: [Fault; 3] = [Fault::Before, Fault::Lost, Fault::After];
/// Rows of a load, and of each of its writes after the first one.
const ROWS: usize = 10;
const BATCH: NonZeroUsize = NonZeroUsize::new(3).unwrap();

fn design(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo { buckets, ..Modulo::default() }).unwrap()
}

fn put(row: &str) -> Mutation {
    Mutation::new(row.to_owned()).put(Column::new("f", "q"), "v")
}

fn stream_of(mutations: Vec<Mutation>) -> impl Stream<Item = Result<Mutation>> + Send {
    stream::iter(mutations.into_iter().map(Ok))
}

fn input(rows: &[&str]) -> impl Stream<Item = Result<Mutation>> + Send + use<> {
    stream_of(rows.iter().map(|row| put(row)).collect())
}

fn numbered(rows: usize) -> impl Stream<Item = Result<Mutation>> + Send {
    stream_of((0..rows).map(|row| put(&format!("row {row}"))).collect())
}

fn ten_rows() -> impl Stream<Item = Result<Mutation>> + Send {
    numbered(ROWS)
}

async fn table_of(tables: &dyn TableAdmin) -> Arc<dyn Table> {
    tables.create_table("t", Versions::default()).await.unwrap();
    tables.open_table("t", Authorizations::none()).await.unwrap()
}

async fn new_table() -> Arc<dyn Table> {
    table_of(&MemoryTables::new()).await
}

/// Returns the stored keys.
async fn keys(table: &dyn Table) -> Vec<String> {
    let cells = table.read(Scan::over(Span::all())).await.unwrap();
    let key = |cell: fluo_table::Cell| String::from_utf8(cell.key.row.to_vec()).unwrap();
    cells.into_iter().map(key).collect()
}

fn report(loaded: std::result::Result<BulkLoadReport, BulkLoadError>) -> BulkLoadReport {
    loaded.unwrap_or_else(|error| *error.report)
}

#[tokio::test]
async fn writes_rows_under_their_keys_and_reports_progress() {
    let table = new_table().await;
    let mut seen = Vec::new();
    let loaded = BulkLoad::new(&design(4))
        .batch_rows(BATCH)
        .on_progress(|report| seen.push((report.written, report.unknown)))
        .load(&*table, ten_rows())
        .await
        .unwrap();
    assert_eq!((loaded.written, loaded.unknown), (10, 0));
    assert_eq!(loaded.written_cells, 10);
    assert_eq!((seen[0], seen[1]), ((0, 0), (0, 1)), "the first row is written alone");
    assert!(seen.is_sorted_by_key(|(written, _)| *written), "{seen:?}");
    assert!(seen.iter().all(|(written, unknown)| written + unknown <= 10), "{seen:?}");
    assert_eq!(seen.last(), Some(&(10, 0)));

    let design = design(4);
    let mut expected: Vec<_> =
        (0..ROWS).map(|row| design.encode_row(format!("row {row}").as_bytes()).unwrap()).collect();
    expected.sort_unstable();
    assert_eq!(keys(&*table).await, expected);
}

#[tokio::test]
async fn loads_nothing_from_an_empty_input() {
    let table = new_table().await;
    let loaded = BulkLoad::new(&design(4)).load(&*table, input(&[])).await;
    assert_eq!(loaded.unwrap(), BulkLoadReport::default());
}

/// Fails each write of a load in each way. Every row is counted once, and as the table has it.
#[tokio::test]
async fn loses_and_repeats_no_row_if_a_write_fails() {
    for insert_only in [false, true] {
        for write in 0..5 {
            for fault in FAULTS {
                let context = format!("{fault:?} at write {write}, insert-only: {insert_only}");
                let tables = MemoryTables::new();
                let faulty = FaultyTables::new(Arc::new(tables.clone())).fail_write(write, fault);
                let table = table_of(&faulty).await;
                let design = design(4);
                let load = || match insert_only {
                    true => BulkLoad::new(&design).insert_only().unwrap(),
                    false => BulkLoad::new(&design),
                };
                let loaded = load().batch_rows(BATCH).load(&*table, ten_rows()).await;
                let is_complete = loaded.is_ok();
                let found = report(loaded);
                let stored = keys(&*table).await.len() as u64;
                let counted = found.written + found.existing.count + found.unsure.count;
                assert!(counted <= stored, "{context}: {found:?}, {stored} stored");
                assert!(stored <= counted + found.unknown, "{context}: {found:?}, {stored} stored");
                assert_eq!(found.existing.count, 0, "{context}");
                assert!(!is_complete || counted == 10, "{context}: {found:?}");
                // Loading again completes the table.
                let table = tables.open_table("t", Authorizations::none()).await.unwrap();
                let again = load().load(&*table, ten_rows()).await.unwrap();
                assert_eq!(again.existing.count, if insert_only { stored } else { 0 }, "{context}");
                assert_eq!(again.written + again.existing.count, 10, "{context}");
                assert_eq!(keys(&*table).await.len(), ROWS, "{context}");
            }
        }
    }
}

#[tokio::test]
async fn writes_no_second_row_if_the_first_is_refused() {
    let faulty = FaultyTables::new(Arc::new(MemoryTables::new())).fail_write(0, Fault::Before);
    let table = table_of(&faulty).await;
    let error = BulkLoad::new(&design(4)).load(&*table, ten_rows()).await.unwrap_err();
    assert_eq!((error.rows.clone(), error.report.written), (1..=1, 0));
    assert_eq!(faulty.writes(), 1);
    assert!(error.to_string().ends_with(" (row 1 of the load; rows written: 0)"), "{error}");
}

#[tokio::test]
async fn names_the_rows_of_a_failed_write_and_counts_those_that_may_be_written() {
    let faulty = FaultyTables::new(Arc::new(MemoryTables::new())).fail_write(2, Fault::After);
    let table = table_of(&faulty).await;
    let one = NonZeroUsize::MIN;
    let load = BulkLoad::new(&design(4)).batch_rows(BATCH).concurrency(one);
    let error = load.load(&*table, ten_rows()).await.unwrap_err();
    assert!(
        matches!(&error.cause, BulkLoadCause::Table(error) if error.kind() == ErrorKind::Uncertain)
    );
    assert_eq!(error.rows, 5..=9);
    assert_eq!((error.report.written, error.report.unknown), (4, 3));
    assert!(
        error.to_string().ends_with(" (in rows 5 to 9 of the load; rows written: 4, unknown: 3)"),
        "{error}"
    );
}

#[tokio::test]
async fn stops_at_a_row_without_a_key_and_writes_the_rows_before() {
    let table = new_table().await;
    let rows = [Ok(put("a")), Ok(put("b")), Ok(Mutation::new(&b"\xff"[..])), Ok(put("c"))];
    let error = BulkLoad::new(&design(4))
        .load(&*table, stream::iter(rows.into_iter().map(|row: Result<_>| row)))
        .await
        .unwrap_err();
    assert!(
        matches!(&error.cause, BulkLoadCause::Design(error) if error.kind() == RecipeErrorKind::Row)
    );
    assert_eq!((error.rows.clone(), error.report.written), (3..=3, 2));
    assert_eq!(keys(&*table).await.len(), 2);
}

#[tokio::test]
async fn stops_at_a_failure_of_the_input_and_writes_the_rows_before() {
    let table = new_table().await;
    let broken = std::io::Error::other("the line is not hex");
    let rows = stream::iter([Ok(put("a")), Ok(put("b")), Err(broken), Ok(put("c"))]);
    let error = BulkLoad::new(&design(4)).load(&*table, rows).await.unwrap_err();
    assert_eq!(error.to_string(), "the line is not hex (row 3 of the load; rows written: 2)");
    assert!(matches!(error.cause, BulkLoadCause::Input(_)));
    assert_eq!(keys(&*table).await.len(), 2);
}

/// Covers a bug: a failure of the input had the number after that of the last row.
#[tokio::test]
async fn names_the_number_of_a_failure_after_rows_that_were_skipped() {
    for failure in [Err(Error::new(ErrorKind::Invalid, "bad")), Ok(Mutation::new(&b"\xff"[..]))] {
        let rows = [(1, Ok(put("a"))), (7, Ok(put("b"))), (12, failure), (13, Ok(put("c")))];
        let load = BulkLoad::new(&design(4));
        let error = load.load_numbered(&*new_table().await, stream::iter(rows)).await.unwrap_err();
        assert_eq!((error.rows.clone(), error.report.written), (12..=12, 2), "{error}");
    }
}

#[tokio::test]
async fn does_not_wait_for_more_input_after_a_failure() {
    let faulty = FaultyTables::new(Arc::new(MemoryTables::new())).fail_write(1, Fault::Before);
    let table = table_of(&faulty).await;
    let endless = input(&["a", "b", "c"]).chain(stream::pending());
    let load = BulkLoad::new(&design(4)).max_memory_bytes(NonZeroUsize::MIN);
    let error = load.load(&*table, endless).await.unwrap_err();
    assert_eq!(error.rows, 2..=2);
}

#[tokio::test]
async fn counts_rows_whose_key_an_earlier_row_has() {
    let table = new_table().await;
    let rows = ["a", "b", "a", "a", "c"];
    let loaded = BulkLoad::new(&design(4)).load(&*table, input(&rows)).await.unwrap();
    assert_eq!((loaded.written, loaded.repeated_keys.rows), (5, 2));
    assert!(!loaded.repeated_keys.is_lower_bound);
}

#[tokio::test]
async fn an_insert_only_load_names_the_first_rows_that_exist() {
    let table = new_table().await;
    let load = || BulkLoad::new(&design(4)).insert_only().unwrap().batch_rows(BATCH);
    load().load(&*table, input(&["a", "b", "c"])).await.unwrap();
    let again = load().named_rows(2).load(&*table, input(&["d", "c", "b", "a", "e", "d"]));
    let again = again.await.unwrap();
    assert_eq!((again.written, again.existing.count, again.repeated_keys.rows), (2, 4, 0));
    let first: Vec<_> = again.existing.first.iter().map(|row| (row.number, &*row.row)).collect();
    assert_eq!(first, [(2, &b"c"[..]), (3, b"b")]);
    assert_eq!(again.existing.first[0].key, design(4).encode_row(b"c").unwrap());

    // A row without any of the columns does not exist.
    let other = Mutation::new("a").put(Column::new("f", "other"), "v");
    let other = stream_of(vec![other]);
    assert_eq!(load().load(&*table, other).await.unwrap().written, 1);
}

/// Covers rule B5: the answer to the first write of `c` to `e` is lost, and `d` exists.
#[tokio::test]
async fn an_insert_only_load_repeats_a_write_whose_answer_is_lost() {
    for (fault, written, unsure) in [(Fault::Lost, 3, vec![3]), (Fault::After, 1, vec![2, 3, 4])] {
        let faulty = FaultyTables::new(Arc::new(MemoryTables::new())).fail_write(2, fault);
        let table = table_of(&faulty).await;
        let design = design(4);
        BulkLoad::new(&design).load(&*table, input(&["d"])).await.unwrap();
        let load = BulkLoad::new(&design).insert_only().unwrap();
        let loaded = load.load(&*table, input(&["b", "c", "d", "e"])).await.unwrap();
        assert_eq!((loaded.written, loaded.existing.count), (written, 0), "{fault:?}");
        let numbers: Vec<_> = loaded.unsure.first.iter().map(|row| row.number).collect();
        assert_eq!((loaded.unsure.count, numbers), (unsure.len() as u64, unsure), "{fault:?}");
        assert_eq!(faulty.writes(), 4);
    }
}

#[tokio::test]
async fn an_insert_only_load_fails_if_an_outcome_stays_unknown() {
    for second in FAULTS {
        let faulty = FaultyTables::new(Arc::new(MemoryTables::new()))
            .fail_write(0, Fault::Lost)
            .fail_write(1, second);
        let table = table_of(&faulty).await;
        let load = BulkLoad::new(&design(4)).insert_only().unwrap();
        let error = load.load(&*table, ten_rows()).await.unwrap_err();
        assert_eq!(error.rows, 1..=1, "{second:?}");
        assert_eq!((error.report.written, error.report.unknown), (0, 1), "{second:?}");
        assert_eq!(faulty.writes(), 2, "{second:?}");
    }
}

#[test]
fn an_insert_only_load_rejects_drawn_salts() {
    let drawn = KeyDesign::new(RandomSalt::new(4)).unwrap().with_salt_source(|| 7);
    let error = BulkLoad::new(&drawn).insert_only().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the salts of random-salt are drawn, so no row can be found: use a design that computes them"
    );
}

#[tokio::test]
async fn an_insert_only_load_finds_rows_under_their_old_keys() {
    let (old, new) = (design(4), design(16));
    let migration = KeyMigration::new([old.clone(), new.clone()], Versions::default()).unwrap();
    let table = new_table().await;
    // `z` (122) is 02 of 4 and 10 of 16; `a` (97) is 01 of both.
    BulkLoad::new(&old).load(&*table, input(&["z", "a"])).await.unwrap();
    let load = || BulkLoad::for_migration(&migration).insert_only().unwrap();
    let loaded = load().load(&*table, input(&["e", "z", "a"])).await.unwrap();
    assert_eq!((loaded.written, loaded.existing.count), (1, 2));
    let first: Vec<_> = loaded.existing.first.iter().map(|row| (row.number, &*row.key)).collect();
    assert_eq!(first, [(2, &b"02|z"[..]), (3, b"01|a")]);

    // Another column under the old key is no conflict, even beside a row of the same key that is.
    let other = Mutation::new("z").put(Column::new("f", "other"), "v");
    let rows = stream_of(vec![put("y"), put("z"), other]);
    let loaded = load().load(&*table, rows).await.unwrap();
    assert_eq!((loaded.written, loaded.existing.count), (2, 1));

    // Without the condition, the row is written under its new key.
    let plain = BulkLoad::for_migration(&migration).load(&*table, input(&["z"])).await.unwrap();
    assert_eq!(plain.written, 1);
    assert!(keys(&*table).await.contains(&"10|z".to_owned()));
}

#[tokio::test]
async fn writes_nothing_of_a_batch_whose_old_keys_cannot_be_read() {
    let migration = KeyMigration::new([design(4), design(16)], Versions::default()).unwrap();
    let faulty = FaultyTables::new(Arc::new(MemoryTables::new())).fail_scan(1, 0);
    let table = table_of(&faulty).await;
    let load = BulkLoad::for_migration(&migration).insert_only().unwrap();
    let error = load.load(&*table, ten_rows()).await.unwrap_err();
    assert_eq!((error.rows.clone(), error.report.written), (2..=10, 1));
    assert_eq!((error.report.unknown, faulty.writes()), (0, 1));
}

/// Hooks that answer that a constraint rejects one row, and count concurrent writes. The inner
/// table stores the row all the same.
struct Watched {
    refused: &'static str,
    now: AtomicUsize,
    most: AtomicUsize,
    /// The keys of each write.
    writes: Mutex<Vec<Vec<Bytes>>>,
}

impl Watched {
    async fn table(refused: &'static str) -> Intercepted<dyn Table, Self> {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let watched = Self { refused, now, most, writes: Mutex::default() };
        Intercepted::with_hooks(new_table().await, watched).row_by_row()
    }
}

#[async_trait]
impl Hooks for Watched {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if let Call::Write(mutations) = call {
            let keys = mutations.iter().map(|mutation| mutation.row.clone()).collect();
            self.writes.lock().unwrap().push(keys);
            let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(now, Ordering::Relaxed);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.now.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(None)
    }

    async fn after(&self, call: &Call, answer: &mut Result<Vec<Outcome>>) {
        let outcomes = answer.iter_mut().flatten();
        for (outcome, mutation) in outcomes.zip(call.mutations()) {
            if mutation.row.ends_with(self.refused.as_bytes()) {
                let error = Error::new(ErrorKind::Invalid, "too long");
                *outcome = Outcome::ConstraintViolation(error);
            }
        }
    }
}

#[tokio::test]
async fn names_a_row_that_a_constraint_refuses() {
    let table = Watched::table("row 5").await;
    let load = BulkLoad::new(&design(4)).insert_only().unwrap();
    let error = load.load(&table, ten_rows()).await.unwrap_err();
    assert_eq!(error.rows, 6..=6);
    assert_eq!((error.report.written, error.report.unknown), (9, 0));
    assert_eq!(error.to_string(), "too long (row 6 of the load; rows written: 9)");
}

#[tokio::test]
async fn limits_concurrent_writes() {
    for concurrency in [1, 3] {
        let table = Watched::table("none").await;
        let rows = numbered(100);
        let load = BulkLoad::new(&design(4))
            .batch_rows(BATCH)
            .concurrency(NonZeroUsize::new(concurrency).unwrap());
        assert_eq!(load.load(&table, rows).await.unwrap().written, 100);
        assert_eq!(table.hooks().most.load(Ordering::Relaxed), concurrency);
    }
}

#[tokio::test]
async fn writes_in_the_order_of_the_keys_within_the_bound_of_memory() {
    // A row takes about 600 bytes of memory. Half of the memory is for the rows that are written.
    for (max_memory_bytes, most_rows, sorted_rows) in
        [(64_000_000, 100, 99..=99), (14_000, 30, 6..=40)]
    {
        let table = Watched::table("none").await;
        let mut most_gathered = 0;
        let load = BulkLoad::new(&design(64))
            .max_memory_bytes(NonZeroUsize::new(max_memory_bytes).unwrap())
            .batch_rows(BATCH)
            .concurrency(NonZeroUsize::MIN)
            .on_progress(|report| {
                most_gathered = most_gathered.max(report.read_bytes - report.ended_bytes);
            });
        let loaded = load.load(&table, numbered(100)).await.unwrap();
        let bytes = u64::try_from((0..100).map(|row| format!("row {row}fqv").len()).sum::<usize>());
        assert_eq!(Ok(loaded.read_bytes), bytes);
        assert_eq!(loaded.ended_bytes, loaded.read_bytes);
        assert!(most_gathered <= most_rows * 9, "{most_gathered}");

        let keys = table.hooks().writes.lock().unwrap().concat();
        assert_eq!(keys.len(), 100);
        let runs: Vec<_> = keys[1..].chunk_by(|a, b| a <= b).map(<[Bytes]>::len).collect();
        assert!(runs[..runs.len() - 1].iter().all(|run| *run > 5), "{runs:?}");
        assert!(sorted_rows.contains(runs.iter().max().unwrap()), "{runs:?}");
    }
}

/// Delays early writes longer than late ones.
#[derive(Debug, Default)]
struct EarlyAreSlow(AtomicUsize);

#[async_trait]
impl Hooks for EarlyAreSlow {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if matches!(call, Call::Write(_) | Call::WriteConditional(_)) {
            let earlier = self.0.fetch_add(1, Ordering::Relaxed);
            for _ in 0..200_usize.saturating_sub(20 * earlier) {
                tokio::task::yield_now().await;
            }
        }
        Ok(None)
    }
}

#[tokio::test]
async fn the_last_row_of_a_key_remains_and_the_first_one_of_an_insert_only_load() {
    const KEYS: usize = 5;
    let row = |number: usize| {
        let value = number.to_string();
        Mutation::new(format!("{}", number % KEYS)).put(Column::new("f", "q"), value)
    };
    // Half of the memory of the small one is for the rows that are gathered, some at a time.
    for (max_memory_bytes, insert_only) in
        [(64_000_000, false), (64_000_000, true), (5_000, false), (5_000, true)]
    {
        let hooks = EarlyAreSlow::default();
        let written = new_table().await;
        let table = Intercepted::with_hooks(written.clone(), hooks).row_by_row();
        let load = BulkLoad::new(&design(4))
            .max_memory_bytes(NonZeroUsize::new(max_memory_bytes).unwrap())
            .batch_rows(NonZeroUsize::MIN)
            .concurrency(NonZeroUsize::new(3).unwrap());
        let load = if insert_only { load.insert_only().unwrap() } else { load };
        let report = load.load(&table, stream_of((0..40).map(row).collect())).await.unwrap();

        let cells = written.read(Scan::over(Span::all())).await.unwrap();
        let number = |value: &[u8]| std::str::from_utf8(value).unwrap().parse().unwrap();
        let mut left: Vec<usize> = cells.iter().map(|cell| number(&cell.value)).collect();
        left.sort_unstable();
        let (wanted, rows) = if insert_only { (0..5, 5) } else { (35..40, 40) };
        assert_eq!(left, wanted.collect::<Vec<_>>(), "{max_memory_bytes} {insert_only}");
        assert_eq!(report.written, rows, "{max_memory_bytes} {insert_only}");
    }
}
