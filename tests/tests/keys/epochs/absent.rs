//! Writes of rows only if they are absent from every place.

use std::cell::Cell;
use std::sync::Arc;

use fluo_keys::{BulkLoad, BulkLoadReport, KeyMigration};
use fluo_table::{Bytes, Error, Mutation, Scan, Span, Table};
use futures::stream;

use super::scene::{Actor, OLD, Scene, cells_of, in_every_order, now};
use super::{column, modulo};

/// Writes rows that are in no older place, and not in the newest one.
async fn create(epochs: &KeyMigration, table: &dyn Table, rows: Vec<Mutation>) -> BulkLoadReport {
    let load = BulkLoad::for_migration(epochs).insert_only().unwrap();
    load.load(table, stream::iter(rows.into_iter().map(Ok::<_, Error>))).await.unwrap()
}

fn creator(scene: &Scene, row: &'static [u8], created: &Arc<std::sync::Mutex<u64>>) -> Actor {
    let ((epochs, table), created) = (scene.slow(), created.clone());
    Box::pin(async move {
        let put = Mutation::new(row).put_at(column("q"), 2, "new");
        *created.lock().unwrap() += create(&epochs, &*table, vec![put]).await.written;
    })
}

#[test]
fn a_moving_row_is_never_written_twice() {
    let orders = in_every_order(
        || {
            let (scene, created) = (Scene::new(), Arc::default());
            let actors = vec![creator(&scene, b"a", &created), scene.migrator(100)];
            ((scene, created), actors)
        },
        |(scene, created)| {
            assert_eq!(*created.lock().unwrap(), 0);
            let whole = cells_of(&[("a", OLD), ("b", OLD), ("c", OLD)]);
            assert_eq!(scene.at_the_end(), whole);
        },
    );
    assert!(orders > 10, "{orders}");
}

#[test]
fn one_of_two_writers_writes_a_new_row_during_a_migration() {
    in_every_order(
        || {
            let (scene, created) = (Scene::new(), Arc::default());
            let new = || creator(&scene, b"d", &created);
            let actors = vec![new(), new(), scene.migrator(100)];
            ((scene, created), actors)
        },
        |(_, created)| assert_eq!(*created.lock().unwrap(), 1),
    );
}

/// Uses the opposite order: first the condition in the newest place, then a look into the older
/// one. This must find a double write, or the tests above prove nothing.
#[test]
fn checking_the_older_place_last_would_write_twice() {
    let twice = Cell::new(0);
    in_every_order(
        || {
            let (scene, looked) = (Scene::new(), Arc::<std::sync::Mutex<bool>>::default());
            let ((epochs, table), found) = (scene.slow(), looked.clone());
            let wrong: Actor = Box::pin(async move {
                let mut is_there = false;
                for key in epochs.keys(b"a").unwrap().into_iter().rev() {
                    let cells = table.read(Scan::over(Span::row(key))).await.unwrap();
                    is_there |= !cells.is_empty();
                }
                *found.lock().unwrap() = is_there;
            });
            let actors = vec![wrong, scene.migrator(100)];
            (looked, actors)
        },
        |looked| twice.set(twice.get() + usize::from(!*looked.lock().unwrap())),
    );
    assert!(twice.get() > 0);
}

#[test]
fn finds_the_oldest_place_with_one_of_the_columns() {
    let places = |columns: &[&'static str]| {
        let scene = Scene::new();
        let put = |row: &&'static str| {
            let row = Mutation::new(*row);
            columns.iter().fold(row, |row, name| row.put_at(column(name), 2, "new"))
        };
        let rows = ["a", "x"].iter().map(put).collect();
        let existing = now(create(&scene.epochs, &*scene.table, rows)).existing.first;
        existing.into_iter().map(|row| (row.row, row.key)).collect::<Vec<_>>()
    };
    let old = (Bytes::from("a"), modulo(1).encode_row(b"a").unwrap());
    assert_eq!(places(&["q"]), std::slice::from_ref(&old));
    assert_eq!(places(&["other", "r"]), [old]);
    assert_eq!(places(&["other"]), []);
}
