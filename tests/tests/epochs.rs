//! Rows of several designs in one table: nothing is missed or seen twice while they are moved.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use fluo_core::{
    Authorizations, Bytes, Cell, CellBatches, Column, ColumnSelector, ConditionalMutation, Filter,
    MemoryTables, Mutation, Outcome, Result, Scan, Span, Table, TableAdmin, TableExt, Versions,
};
use fluo_embedded::{EmbeddedTables, Settings};
use fluo_recipes::{
    DigestSalt, Epochs, ForeignKeys, KeyDesign, MigrateSettings, MigrationCursor, MigrationStep,
    Modulo, RandomSalt, Rows,
};
use fluo_tests::{Fault, FaultyTables};
use futures::stream::{self, StreamExt, TryStreamExt};
use proptest::prelude::*;

const TABLE: &str = "events";

fn modulo(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo {
        buckets,
        ..Modulo::default()
    })
    .unwrap()
}

fn digest(digits: u8, separator: &str) -> KeyDesign {
    KeyDesign::new(DigestSalt {
        digits,
        separator: separator.to_owned(),
        ..DigestSalt::default()
    })
    .unwrap()
}

async fn new_table(tables: &dyn TableAdmin, versions: Versions) -> Arc<dyn Table> {
    tables.create_table(TABLE, versions).await.unwrap();
    tables
        .open_table(TABLE, Authorizations::none())
        .await
        .unwrap()
}

fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

fn small_steps(cells: usize) -> MigrateSettings {
    MigrateSettings {
        step_cells: NonZeroUsize::new(cells).unwrap(),
        ..MigrateSettings::default()
    }
}

/// Runs a migration to its end.
async fn migrate(epochs: &Epochs, table: &dyn Table, settings: &MigrateSettings) -> MigrationStep {
    let (mut all, mut cursor) = (MigrationStep::default(), None);
    loop {
        let step = epochs
            .migrate_step(table, cursor.as_ref(), settings)
            .await
            .unwrap();
        all.rows_seen += step.rows_seen;
        all.rows_moved += step.rows_moved;
        all.cells_moved += step.cells_moved;
        all.rows_contended += step.rows_contended;
        all.rows_hidden += step.rows_hidden;
        all.rows_foreign += step.rows_foreign;
        let Some(next) = step.cursor else { return all };
        let text = next.to_string();
        cursor = Some(text.parse::<MigrationCursor>().unwrap());
    }
}

/// Row, qualifier, timestamp and value of every cell, in order.
type Seen = Vec<(String, String, i64, String)>;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn seen(row: &[u8], cells: &[Cell]) -> Seen {
    let cell = |cell: &Cell| {
        (
            text(row),
            text(&cell.key.column.qualifier),
            cell.key.timestamp,
            text(&cell.value),
        )
    };
    cells.iter().map(cell).collect()
}

async fn scan_all(epochs: &Epochs, table: &Arc<dyn Table>) -> Seen {
    let scan = epochs.scan(&Rows::All).unwrap().concurrent_reads(1);
    let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
    let rows = batches.iter().flat_map(|batch| batch.rows());
    rows.flat_map(|row| seen(row.row, row.cells)).collect()
}

#[tokio::test]
async fn rows_of_three_designs_are_read_and_moved() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::All).await;
    let designs = [modulo(4), modulo(16), modulo(64)];
    let mut expected = Seen::new();
    for number in 0..200_i64 {
        let row = format!("row-{number:03}");
        let design = &designs[usize::try_from(number % 3).unwrap()];
        let key = design.add(row.as_bytes()).unwrap();
        let put =
            Mutation::new(key)
                .put_at(column("a"), number, "x")
                .put_at(column("a"), 1_000, "y");
        table.write(vec![put]).await.unwrap();
        expected.push((row.clone(), "a".to_owned(), 1_000, "y".to_owned()));
        expected.push((row, "a".to_owned(), number, "x".to_owned()));
    }
    let epochs = Epochs::new(designs, Versions::All).unwrap();
    assert_eq!(scan_all(&epochs, &table).await, expected);
    let before = epochs.count(&*table).await.unwrap();
    assert_eq!((before.left() + before.done(), before.foreign), (200, 0));
    assert!(before.left() > 90, "{before}");

    let done = migrate(&epochs, &*table, &small_steps(7)).await;
    assert_eq!(
        (done.rows_moved, done.rows_contended, done.rows_hidden),
        (before.left(), 0, 0)
    );
    assert_eq!(scan_all(&epochs, &table).await, expected);
    let after = epochs.count(&*table).await.unwrap();
    assert_eq!(after.to_string(), "all 200 rows are in the newest epoch");
    // The newest design alone reads all of them.
    let alone = Epochs::new([modulo(64)], Versions::All).unwrap();
    assert_eq!(scan_all(&alone, &table).await, expected);
    assert_eq!(
        migrate(&epochs, &*table, &small_steps(7)).await.rows_moved,
        0
    );
}

#[tokio::test]
async fn a_delete_reaches_every_place() {
    for moved in [false, true] {
        let tables = MemoryTables::new();
        let table = new_table(&tables, Versions::default()).await;
        let epochs = Epochs::new([modulo(16), modulo(64)], Versions::default()).unwrap();
        for number in 0..40 {
            let key = modulo(16).add(format!("{number}").as_bytes()).unwrap();
            table
                .write(vec![Mutation::new(key).put_at(column("a"), 5, "v")])
                .await
                .unwrap();
        }
        if moved {
            migrate(&epochs, &*table, &MigrateSettings::default()).await;
        }
        let deletes = epochs
            .delete_mutations(b"7", &[column("a")], Some(9))
            .unwrap();
        assert_eq!(deletes.len(), epochs.keys(b"7").unwrap().len());
        table.write(deletes).await.unwrap();
        migrate(&epochs, &*table, &MigrateSettings::default()).await;
        assert_eq!(epochs.get(&*table, b"7", &column("a")).await.unwrap(), None);
        assert_eq!(epochs.read_row(&*table, b"7", &[]).await.unwrap(), []);
        assert_eq!(scan_all(&epochs, &table).await.len(), 39);
    }
}

/// A cell that was written to the new place at the timestamp of the old one was overwritten by its own past.
#[tokio::test]
async fn what_is_in_the_new_place_is_not_overwritten() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::All).await;
    let epochs = Epochs::new([digest(1, "-"), digest(2, "-")], Versions::All).unwrap();
    let put = |key: Bytes, value: &'static str| {
        Mutation::new(key)
            .put_at(column("a"), 0, value)
            .put_at(column("b"), 0, value)
    };
    let [old, new] = epochs.keys(b"row").unwrap().try_into().unwrap();
    table.write(vec![put(old, "old")]).await.unwrap();
    table
        .write(vec![Mutation::new(new).put_at(column("a"), 0, "new")])
        .await
        .unwrap();
    for _ in 0..2 {
        let cells = scan_all(&epochs, &table).await;
        let values: Vec<_> = cells
            .iter()
            .map(|cell| (cell.1.as_str(), cell.3.as_str()))
            .collect();
        assert_eq!(values, [("a", "new"), ("b", "old")]);
        migrate(&epochs, &*table, &MigrateSettings::default()).await;
    }
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 0);
}

/// Rows that are moved back find the delete markers of their first move. They stay where they are seen.
#[tokio::test]
async fn a_marker_in_the_new_place_loses_nothing() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::default()).await;
    let (few, many) = (digest(1, "-"), digest(2, "-"));
    table
        .write(vec![Mutation::new(few.add(b"row").unwrap()).put_at(
            column("a"),
            5,
            "v",
        )])
        .await
        .unwrap();
    let there = Epochs::new([few.clone(), many.clone()], Versions::default()).unwrap();
    assert_eq!(
        migrate(&there, &*table, &MigrateSettings::default())
            .await
            .rows_moved,
        1
    );
    let back = Epochs::new([many, few], Versions::default()).unwrap();
    let stuck = migrate(&back, &*table, &MigrateSettings::default()).await;
    assert_eq!((stuck.rows_moved, stuck.rows_hidden), (0, 1));
    assert_eq!(scan_all(&back, &table).await.len(), 1);

    tables.compact(TABLE, &Span::all()).await.unwrap();
    let moved = migrate(&back, &*table, &MigrateSettings::default()).await;
    assert_eq!((moved.rows_moved, moved.rows_hidden), (1, 0));
    assert_eq!(scan_all(&back, &table).await.len(), 1);
}

#[tokio::test]
async fn large_rows_are_moved_in_parts() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::All).await;
    let epochs = Epochs::new([digest(1, "-"), digest(2, "-")], Versions::All).unwrap();
    let [old, _] = epochs.keys(b"wide").unwrap().try_into().unwrap();
    let qualifiers = (0..500).map(|n| format!("{n:03}"));
    let mutation = qualifiers.fold(Mutation::new(old.clone()), |mutation, qualifier| {
        let column = Column::new("f", qualifier);
        mutation
            .put_at(column.clone(), 1, vec![b'v'; 1_000])
            .put_at(column, i64::MIN, "")
    });
    table.write(vec![mutation]).await.unwrap();
    let before = scan_all(&epochs, &table).await;
    assert_eq!(before.len(), 1_000);
    let done = migrate(&epochs, &*table, &small_steps(64)).await;
    assert_eq!((done.cells_moved, done.rows_hidden), (1_000, 0));
    assert!(done.rows_moved > 5, "{done:?}");
    assert_eq!(scan_all(&epochs, &table).await, before);
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 0);

    table
        .write(
            (0..100)
                .map(|n| Mutation::new(old.clone()).put_at(column("x"), 10 + n, vec![b'v'; 1_000]))
                .collect(),
        )
        .await
        .unwrap();
    let settings = MigrateSettings {
        memory_bytes: 20_000,
        ..MigrateSettings::default()
    };
    let error = epochs
        .migrate_step(&*table, None, &settings)
        .await
        .unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("one column of the row `"), "{message}");
    assert!(
        message.ends_with("and a step may hold 20000: raise memory_bytes"),
        "{message}"
    );
}

#[tokio::test]
async fn visibilities_are_kept() {
    let tables = MemoryTables::new();
    tables
        .create_table(TABLE, Versions::default())
        .await
        .unwrap();
    let all = tables
        .open_table(TABLE, Authorizations::from_iter(["a"]))
        .await
        .unwrap();
    let none = tables
        .open_table(TABLE, Authorizations::none())
        .await
        .unwrap();
    let epochs = Epochs::new([digest(1, "-"), digest(2, "-")], Versions::default()).unwrap();
    let [old, _] = epochs.keys(b"row").unwrap().try_into().unwrap();
    let secret = column("q").with_visibility("a");
    all.write(vec![
        Mutation::new(old)
            .put_at(column("q"), 1, "v")
            .put_at(secret, 2, "s"),
    ])
    .await
    .unwrap();
    // Whoever may not see a cell leaves it where it is, and it is found there.
    migrate(&epochs, &*none, &MigrateSettings::default()).await;
    assert_eq!(scan_all(&epochs, &all).await.len(), 2);
    assert_eq!(epochs.count(&*all).await.unwrap().left(), 1);
    migrate(&epochs, &*all, &MigrateSettings::default()).await;
    assert_eq!(epochs.count(&*all).await.unwrap().left(), 0);
    assert_eq!(
        (
            scan_all(&epochs, &all).await.len(),
            scan_all(&epochs, &none).await.len()
        ),
        (2, 1)
    );
}

#[test]
fn designs_that_cannot_share_a_table_are_refused() {
    let refusal = |designs: Vec<KeyDesign>| {
        let epochs = Epochs::new(designs, Versions::default());
        epochs.unwrap_err().to_string()
    };
    assert_eq!(
        refusal(vec![]),
        "a table has at least one design, and the list of its epochs is empty"
    );
    assert_eq!(
        refusal(vec![modulo(16), modulo(64), modulo(16)]),
        "the epochs hold modulo (Java's String.hashCode modulo 16) twice: list each design once, in the order in which \
         rows move"
    );
    assert_eq!(
        refusal(vec![digest(1, ""), digest(2, "")]),
        "keys of digest-salt (first hexadecimal digit of MD5) and of digest-salt (first 2 hexadecimal digits of MD5) \
         could be taken for each other, such as those that begin with `00`: give the newer design another separator"
    );
    assert_eq!(
        refusal(vec![
            KeyDesign::new(RandomSalt::new(8)).unwrap(),
            modulo(64)
        ]),
        "a row of random-salt (drawn from 8 buckets) can be anywhere, so that nobody could say where to move it: \
         epochs need designs whose salts are computed from the row, such as digest-salt"
    );
    assert!(Epochs::new([modulo(64), modulo(128)], Versions::default()).is_ok());
    assert!(Epochs::new([digest(1, "-"), digest(2, "-")], Versions::default()).is_ok());
}

#[tokio::test]
async fn a_cursor_of_other_epochs_is_refused() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::default()).await;
    let epochs = Epochs::new([modulo(2), modulo(4), modulo(8)], Versions::default()).unwrap();
    let settings = MigrateSettings::default();
    let cursor = epochs
        .migrate_step(&*table, None, &settings)
        .await
        .unwrap()
        .cursor
        .unwrap();
    let other = Epochs::new([modulo(2), modulo(8)], Versions::default()).unwrap();
    assert_eq!(
        other
            .migrate_step(&*table, Some(&cursor), &settings)
            .await
            .unwrap_err()
            .to_string(),
        format!(
            "the cursor `{cursor}` is not of these epochs: it was made for other designs; start without a cursor, which \
             moves no row twice"
        )
    );
}

#[tokio::test]
async fn keys_of_no_epoch_are_refused_or_counted_once() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::default()).await;
    let epochs = Epochs::new([modulo(16), modulo(64)], Versions::default()).unwrap();
    // Within the salts of both; the salt of `b` is 02, and 34 of 64.
    table
        .write(vec![Mutation::new("03|b").put(column("q"), "v")])
        .await
        .unwrap();
    let scan = epochs.scan(&Rows::All).unwrap();
    let error = scan
        .clone()
        .run(table.clone())
        .try_collect::<Vec<_>>()
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a row of another design lies among"),
        "{error}"
    );
    let mut batches = scan.foreign(ForeignKeys::Skip).run(table.clone());
    assert!(batches.try_next().await.unwrap().is_none());
    assert_eq!(batches.skipped(), 1);
    let step = epochs
        .migrate_step(&*table, None, &MigrateSettings::default())
        .await
        .unwrap();
    assert_eq!(
        (step.rows_seen, step.rows_foreign, step.cursor),
        (1, 1, None)
    );
    assert_eq!(epochs.count(&*table).await.unwrap().foreign, 1);
}

/// A table each of whose calls waits once before it takes effect, so that a test decides what comes between.
#[derive(Debug)]
struct Stepwise(Arc<dyn Table>);

async fn wait_once() {
    let mut has_waited = false;
    std::future::poll_fn(|context: &mut Context<'_>| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[async_trait]
impl Table for Stepwise {
    fn scan(&self, scan: Scan) -> CellBatches {
        let inner = self.0.clone();
        let batches = async move {
            wait_once().await;
            inner.scan(scan)
        };
        stream::once(batches).flatten().boxed()
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        wait_once().await;
        self.0.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        wait_once().await;
        self.0.write_conditional(mutations).await
    }
}

type Actor = Pin<Box<dyn Future<Output = ()>>>;

/// Runs actors in every order of their calls; `start` makes them anew, `check` looks at what came of it. Returns how
/// many orders there were.
fn in_every_order<T>(start: impl Fn() -> (T, Vec<Actor>), check: impl Fn(T)) -> usize {
    let (mut prefix, mut orders): (Vec<usize>, usize) = (Vec::new(), 0);
    loop {
        let (state, mut actors) = start();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        while !actors.is_empty() {
            let choice = prefix.get(taken.len()).copied().unwrap_or_default();
            taken.push((choice, actors.len()));
            let mut context = Context::from_waker(Waker::noop());
            if actors[choice].as_mut().poll(&mut context).is_ready() {
                drop(actors.remove(choice));
            }
        }
        check(state);
        orders += 1;
        while taken
            .last()
            .is_some_and(|(choice, options)| choice + 1 == *options)
        {
            taken.pop();
        }
        let Some((last, _)) = taken.pop() else {
            return orders;
        };
        prefix = taken
            .iter()
            .map(|(choice, _)| *choice)
            .chain([last + 1])
            .collect();
    }
}

/// What actors share: the table as it is, and what a reader saw.
struct Scene {
    table: Arc<dyn Table>,
    epochs: Epochs,
    read: Arc<std::sync::Mutex<Vec<Seen>>>,
}

impl Scene {
    /// Rows `a`, `b` and `c`, all by the older design; `b` is where it stays.
    fn new() -> Self {
        let scene = Self {
            table: now(new_table(&MemoryTables::new(), Versions::default())),
            epochs: Epochs::new([modulo(1), modulo(2)], Versions::default()).unwrap(),
            read: Arc::default(),
        };
        for row in ["a", "b", "c"] {
            let key = modulo(1).add(row.as_bytes()).unwrap();
            let put =
                Mutation::new(key)
                    .put_at(column("q"), 1, "old")
                    .put_at(column("r"), 1, "old");
            now(scene.table.write(vec![put])).unwrap();
        }
        assert_eq!(now(scene.epochs.count(&*scene.table)).unwrap().left(), 2);
        scene
    }

    fn slow(&self) -> (Epochs, Arc<dyn Table>) {
        (self.epochs.clone(), Arc::new(Stepwise(self.table.clone())))
    }

    fn migrator(&self, step_cells: usize) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            migrate(&epochs, &*table, &small_steps(step_cells)).await;
        })
    }

    fn reader(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let all = scan_all(&epochs, &table).await;
            read.lock().unwrap().push(all);
        })
    }

    /// Reads row by row, each time from the cursor of the one before.
    fn paging_reader(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let (mut all, mut cursor) = (Seen::new(), None);
            loop {
                let scan = epochs.scan(&Rows::All).unwrap().limit(1);
                let scan = match &cursor {
                    Some(cursor) => scan.after(cursor).unwrap(),
                    None => scan,
                };
                let Some(batch) = scan.run(table.clone()).try_next().await.unwrap() else {
                    break;
                };
                assert_eq!(batch.len(), 1);
                batch
                    .rows()
                    .for_each(|row| all.extend(seen(row.row, row.cells)));
                cursor = Some(batch.cursor());
            }
            read.lock().unwrap().push(all);
        })
    }

    fn getter(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let cells = epochs.read_row(&*table, b"a", &[]).await.unwrap();
            read.lock().unwrap().push(seen(b"a", &cells));
        })
    }

    fn writer(&self) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            let put = Mutation::new(epochs.key(b"a").unwrap()).put_at(column("q"), 2, "new");
            table.write(vec![put]).await.unwrap();
        })
    }

    fn deleter(&self) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            // One call for each place: nobody promises that the two take effect at once.
            for delete in epochs
                .delete_mutations(b"a", &[column("q")], Some(9))
                .unwrap()
            {
                table.write(vec![delete]).await.unwrap();
            }
        })
    }

    fn one_read(&self) -> Seen {
        self.read.lock().unwrap().pop().unwrap()
    }

    /// What is there when all has been moved.
    fn at_the_end(&self) -> Seen {
        now(migrate(
            &self.epochs,
            &*self.table,
            &MigrateSettings::default(),
        ));
        assert_eq!(now(self.epochs.count(&*self.table)).unwrap().left(), 0);
        now(scan_all(&self.epochs, &self.table))
    }
}

/// The answer of a table in memory.
fn now<T>(future: impl Future<Output = T>) -> T {
    futures::FutureExt::now_or_never(future).expect("tables in memory answer at once")
}

fn cells_of(rows: &[(&str, &[(&str, &str)])]) -> Seen {
    let cell = |row: &str, (qualifier, value): &(&str, &str)| {
        let timestamp = if *value == "new" { 2 } else { 1 };
        (
            row.to_owned(),
            (*qualifier).to_owned(),
            timestamp,
            (*value).to_owned(),
        )
    };
    rows.iter()
        .flat_map(|(row, cells)| cells.iter().map(|of| cell(row, of)))
        .collect()
}

const OLD: &[(&str, &str)] = &[("q", "old"), ("r", "old")];
const NEW: &[(&str, &str)] = &[("q", "new"), ("r", "old")];
const DELETED: &[(&str, &str)] = &[("r", "old")];

#[test]
fn no_order_of_reading_and_moving_misses_a_row_or_shows_it_twice() {
    type Reader = fn(&Scene) -> Actor;
    for (reader, step_cells) in [
        (Scene::reader as Reader, 100),
        (Scene::reader, 2),
        (Scene::paging_reader, 100),
    ] {
        let orders = in_every_order(
            || {
                let scene = Scene::new();
                let actors = vec![reader(&scene), scene.migrator(step_cells)];
                (scene, actors)
            },
            |scene| {
                let whole = cells_of(&[("a", OLD), ("b", OLD), ("c", OLD)]);
                assert_eq!(scene.one_read(), whole);
                assert_eq!(scene.at_the_end(), whole);
            },
        );
        assert!(orders > 50, "{orders}");
    }
}

#[test]
fn a_writer_is_seen_before_or_after_in_every_order() {
    let orders = in_every_order(
        || {
            let scene = Scene::new();
            let actors = vec![scene.reader(), scene.migrator(100), scene.writer()];
            (scene, actors)
        },
        |scene| {
            let [before, after] = [OLD, NEW].map(|a| cells_of(&[("a", a), ("b", OLD), ("c", OLD)]));
            let read = scene.one_read();
            assert!(read == before || read == after, "{read:?}");
            assert_eq!(scene.at_the_end(), after);
        },
    );
    assert!(orders > 1_000, "{orders}");
}

#[test]
fn a_deleted_cell_stays_deleted_in_every_order() {
    let orders = in_every_order(
        || {
            let scene = Scene::new();
            let actors = vec![scene.getter(), scene.migrator(100), scene.deleter()];
            (scene, actors)
        },
        |scene| {
            let [before, after] = [OLD, DELETED].map(|a| cells_of(&[("a", a)]));
            let read = scene.one_read();
            assert!(read == before || read == after, "{read:?}");
            let end = scene.at_the_end();
            assert_eq!(end, cells_of(&[("a", DELETED), ("b", OLD), ("c", OLD)]));
        },
    );
    assert!(orders > 1_000, "{orders}");
}

#[test]
fn two_migrations_at_once_lose_nothing_in_any_order() {
    let orders = in_every_order(
        || {
            let scene = Scene::new();
            let actors = vec![scene.migrator(100), scene.migrator(100)];
            (scene, actors)
        },
        |scene| {
            assert_eq!(
                scene.at_the_end(),
                cells_of(&[("a", OLD), ("b", OLD), ("c", OLD)])
            );
        },
    );
    assert!(orders > 100, "{orders}");
}

/// The opposite order of reading: what the rule E2 is for. If this finds nothing, the tests above prove nothing.
#[test]
fn reading_the_new_place_first_misses_rows() {
    let missed = std::cell::Cell::new(0);
    in_every_order(
        || {
            let scene = Scene::new();
            let ((epochs, table), read) = (scene.slow(), scene.read.clone());
            let wrong: Actor = Box::pin(async move {
                let mut all = Seen::new();
                for key in epochs.keys(b"a").unwrap().into_iter().rev() {
                    let cells = table.read(Scan::over(Span::row(key))).await.unwrap();
                    all.extend(seen(b"a", &cells));
                }
                read.lock().unwrap().push(all);
            });
            let actors = vec![wrong, scene.migrator(100)];
            (scene, actors)
        },
        |scene| missed.set(missed.get() + usize::from(scene.one_read().is_empty())),
    );
    assert!(missed.get() > 0);
}

#[tokio::test]
async fn a_migration_that_is_cut_off_at_any_call_can_be_run_again() {
    let designs = || [digest(1, "-"), digest(2, "-")];
    let load = async |tables: &dyn TableAdmin| {
        let table = new_table(tables, Versions::All).await;
        for number in 0..20 {
            let key = designs()[0].add(format!("{number:02}").as_bytes()).unwrap();
            let put =
                Mutation::new(key)
                    .put_at(column("a"), number, "v")
                    .put_at(column("a"), 3, "w");
            table.write(vec![put]).await.unwrap();
        }
        table
    };
    let epochs = Epochs::new(designs(), Versions::All).unwrap();
    let expected = scan_all(&epochs, &load(&MemoryTables::new()).await).await;

    let mut interrupted = 0;
    for call in 0..60 {
        for fault in [
            Some(Fault::Before),
            Some(Fault::After),
            Some(Fault::Lost),
            None,
        ] {
            let memory = MemoryTables::new();
            let direct = load(&memory).await;
            let faulty = FaultyTables::new(Arc::new(memory));
            let faulty = match fault {
                Some(fault) => faulty.fail_write(call, fault),
                None => faulty.fail_scan(call, 0),
            };
            let table = faulty
                .open_table(TABLE, Authorizations::none())
                .await
                .unwrap();
            let mut cursor = None;
            let settings = small_steps(9);
            loop {
                match epochs
                    .migrate_step(&*table, cursor.as_ref(), &settings)
                    .await
                {
                    Ok(step) if step.cursor.is_none() => break,
                    Ok(step) => cursor = step.cursor,
                    Err(_) => interrupted += 1,
                }
                assert_eq!(
                    scan_all(&epochs, &direct).await,
                    expected,
                    "call {call} {fault:?}"
                );
            }
            migrate(&epochs, &*direct, &settings).await;
            assert_eq!(
                scan_all(&epochs, &direct).await,
                expected,
                "call {call} {fault:?}"
            );
            assert_eq!(epochs.count(&*direct).await.unwrap().left(), 0);
        }
    }
    assert!(interrupted >= 20, "{interrupted}");
}

/// What a history does next.
#[derive(Clone, Debug)]
enum Step {
    Put(usize, &'static str),
    Delete(usize, &'static str),
    Migrate(usize),
    Restart,
    Compact,
    Scan(Option<u64>, Filter),
    Get(usize, &'static str),
}

fn any_step() -> impl Strategy<Value = Step> {
    let qualifier = || prop_oneof![Just("a"), Just("b")];
    prop_oneof![
        4 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Put(row, qualifier)),
        2 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Delete(row, qualifier)),
        3 => (1_usize..6).prop_map(Step::Migrate),
        1 => Just(Step::Restart),
        1 => Just(Step::Compact),
        2 => (proptest::option::of(1_u64..5), prop_oneof![Just(Filter::None), Just(Filter::FirstOfRow)])
            .prop_map(|(limit, filter)| Step::Scan(limit, filter)),
        2 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Get(row, qualifier)),
    ]
}

/// Versions of each column of each row, newest last.
type Model = BTreeMap<(String, &'static str), BTreeMap<i64, String>>;

fn model_rows(model: &Model, versions: Versions, filter: Filter) -> Vec<Seen> {
    let mut rows: BTreeMap<&String, Seen> = BTreeMap::new();
    for ((row, qualifier), cells) in model {
        let shown = cells
            .iter()
            .rev()
            .zip(0..)
            .filter(|(_, newer)| versions.shows(*newer));
        let cell = |((timestamp, value), _): ((&i64, &String), u32)| {
            (
                row.clone(),
                (*qualifier).to_owned(),
                *timestamp,
                value.clone(),
            )
        };
        rows.entry(row).or_default().extend(shown.map(cell));
    }
    let mut rows: Vec<_> = rows
        .into_values()
        .filter(|cells| !cells.is_empty())
        .collect();
    if filter == Filter::FirstOfRow {
        rows.iter_mut().for_each(|cells| cells.truncate(1));
    }
    rows
}

async fn check_history(first: &[usize], steps: &[Step], versions: Versions) {
    let tables = MemoryTables::new();
    let table = new_table(&tables, versions).await;
    let designs = [modulo(3), modulo(5), digest(1, "-")];
    let epochs = Epochs::new(designs.clone(), versions).unwrap();
    let name = |row: usize| format!("row{row:02}");
    let (mut model, mut clock, mut cursor) = (Model::new(), 0_i64, None);
    for (row, design) in first.iter().enumerate() {
        let key = designs[*design].add(name(row).as_bytes()).unwrap();
        clock += 1;
        table
            .write(vec![Mutation::new(key).put_at(column("a"), clock, "first")])
            .await
            .unwrap();
        model
            .entry((name(row), "a"))
            .or_default()
            .insert(clock, "first".to_owned());
    }
    for step in steps {
        clock += 1;
        match step {
            Step::Put(row, qualifier) => {
                let put = Mutation::new(epochs.key(name(*row).as_bytes()).unwrap());
                let value = clock.to_string();
                table
                    .write(vec![put.put_at(column(qualifier), clock, value.clone())])
                    .await
                    .unwrap();
                model
                    .entry((name(*row), qualifier))
                    .or_default()
                    .insert(clock, value);
            }
            Step::Delete(row, qualifier) => {
                let columns = [column(qualifier)];
                let deletes = epochs.delete_mutations(name(*row).as_bytes(), &columns, Some(clock));
                table.write(deletes.unwrap()).await.unwrap();
                model.remove(&(name(*row), *qualifier));
            }
            Step::Migrate(cells) => {
                let settings = small_steps(*cells);
                cursor = epochs
                    .migrate_step(&*table, cursor.as_ref(), &settings)
                    .await
                    .unwrap()
                    .cursor;
            }
            Step::Restart => cursor = None,
            Step::Compact => tables.compact(TABLE, &Span::all()).await.unwrap(),
            Step::Scan(limit, filter) => {
                let scan = epochs.scan(&Rows::All).unwrap().filter(*filter);
                let scan = scan.limit(limit.unwrap_or(u64::MAX));
                let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
                let rows = batches.iter().flat_map(|batch| batch.rows());
                let found: Vec<_> = rows.map(|row| seen(row.row, row.cells)).collect();
                let mut expected = model_rows(&model, versions, *filter);
                expected
                    .truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap()));
                assert_eq!(found, expected);
            }
            Step::Get(row, qualifier) => {
                let found = epochs
                    .get(&*table, name(*row).as_bytes(), &column(qualifier))
                    .await;
                let cells = model.get(&(name(*row), *qualifier));
                let newest = cells.and_then(|cells| cells.values().next_back());
                assert_eq!(found.unwrap().map(|value| text(&value)), newest.cloned());
            }
        }
    }
    migrate(&epochs, &*table, &MigrateSettings::default()).await;
    assert_eq!(
        scan_all(&epochs, &table).await,
        model_rows(&model, versions, Filter::None).concat()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_history_reads_as_if_there_were_one_design(
        first in proptest::collection::vec(0_usize..3, 12),
        steps in proptest::collection::vec(any_step(), 1..40),
        all_versions in any::<bool>(),
    ) {
        let versions = if all_versions { Versions::All } else { Versions::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check_history(&first, &steps, versions));
    }
}

/// On a durable table, with threads: rows are moved and written while they are read, and each reader sees every row
/// once and no value go back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_writers_and_a_migration_run_at_once() {
    const ROWS: usize = 3_000;
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        create_if_missing: true,
        ..Settings::default()
    };
    let tables = EmbeddedTables::open(directory.path(), settings).unwrap();
    let table = new_table(&tables, Versions::default()).await;
    let name = |row: usize| format!("row-{row:05}");
    let old = modulo(16);
    let put = |row: usize| {
        Mutation::new(old.add(name(row).as_bytes()).unwrap()).put_at(column("q"), 0, "0")
    };
    table.write((0..ROWS).map(put).collect()).await.unwrap();
    let epochs = Epochs::new([old.clone(), modulo(64)], Versions::default()).unwrap();

    let migration = tokio::spawn({
        let (epochs, table) = (epochs.clone(), table.clone());
        async move { migrate(&epochs, &*table, &small_steps(40)).await }
    });
    let writing = tokio::spawn({
        let (epochs, table) = (epochs.clone(), table.clone());
        async move {
            for number in 1..300_i64 {
                let row = name(usize::try_from(number).unwrap() * 37 % ROWS);
                let put = Mutation::new(epochs.key(row.as_bytes()).unwrap());
                let put = put.put_at(column("q"), number, number.to_string());
                table.write(vec![put]).await.unwrap();
            }
        }
    });
    let splitting = tokio::spawn(async move {
        for bucket in 1..64 {
            let split = Bytes::from(format!("{bucket:02}"));
            tables
                .add_splits(TABLE, &BTreeSet::from([split]))
                .await
                .unwrap();
        }
        tables
    });
    let (mut newest, mut rounds) = (vec![0_i64; ROWS], 0);
    while !(migration.is_finished() && writing.is_finished()) || rounds < 3 {
        let cells = scan_all(&epochs, &table).await;
        assert_eq!(cells.len(), ROWS);
        for (row, (cell, newest)) in cells.iter().zip(&mut newest).enumerate() {
            assert_eq!(cell.0, name(row));
            assert!(cell.2 >= *newest, "{} went back to {}", cell.0, cell.2);
            *newest = cell.2;
        }
        rounds += 1;
    }
    writing.await.unwrap();
    let done = migration.await.unwrap();
    assert_eq!((done.rows_contended, done.rows_hidden), (0, 0), "{done:?}");
    let counts = epochs.count(&*table).await.unwrap();
    assert_eq!(
        (counts.left(), counts.done()),
        (0, u64::try_from(ROWS).unwrap())
    );
    splitting.await.unwrap();
}

#[tokio::test]
async fn a_scan_of_epochs_takes_columns_ranges_and_small_memory() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::default()).await;
    let designs = [digest(1, "-"), digest(2, "-")];
    for number in 0..3_000_usize {
        let key = designs[number % 2]
            .add(format!("{number:05}").as_bytes())
            .unwrap();
        let put = Mutation::new(key)
            .put_at(column("a"), 1, "v")
            .put_at(column("b"), 1, "w");
        table.write(vec![put]).await.unwrap();
    }
    let epochs = Epochs::new(designs, Versions::default()).unwrap();
    for memory_bytes in [600_000, 8 << 20] {
        let scan = epochs
            .scan(&Rows::range("00100", "02900"))
            .unwrap()
            .memory_bytes(memory_bytes);
        let scan = scan
            .column(ColumnSelector::qualifier("f", "b"))
            .open_scans(0);
        let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
        let rows: Vec<_> = batches.iter().flat_map(|batch| batch.rows()).collect();
        assert!(rows.iter().all(|row| row.cells.len() == 1));
        let names: Vec<_> = rows.iter().map(|row| text(row.row)).collect();
        assert!(
            names
                .into_iter()
                .eq((100..2_900).map(|number| format!("{number:05}")))
        );
    }
}
