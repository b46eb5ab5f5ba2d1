//! Readers, writers and migrations in every order of their calls.

use fluo_table::{Scan, Span};

use super::scene::{Actor, DELETED, NEW, OLD, Scene, cells_of, in_every_order_of};
use super::{Seen, seen};

#[test]
fn reads_during_a_migration_return_every_row_once_in_every_order() {
    type Reader = fn(&Scene) -> Actor;
    for (reader, step_cells) in
        [(Scene::reader as Reader, 100), (Scene::reader, 2), (Scene::paging_reader, 100)]
    {
        let orders = in_every_order_of(
            |scene| vec![reader(scene), scene.migrator(step_cells)],
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
fn a_write_is_visible_as_a_whole_or_not_at_all_in_every_order() {
    let orders = in_every_order_of(
        |scene| vec![scene.reader(), scene.migrator(100), scene.writer()],
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
    let orders = in_every_order_of(
        |scene| vec![scene.getter(), scene.migrator(100), scene.deleter()],
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
fn two_concurrent_migrations_lose_no_row_in_any_order() {
    let orders = in_every_order_of(
        |scene| vec![scene.migrator(100), scene.migrator(100)],
        |scene| {
            assert_eq!(scene.at_the_end(), cells_of(&[("a", OLD), ("b", OLD), ("c", OLD)]));
        },
    );
    assert!(orders > 100, "{orders}");
}

/// Reads in the order that rule E2 forbids. This must miss rows, or the tests above prove nothing.
#[test]
fn reading_the_new_place_first_misses_rows() {
    let missed = std::cell::Cell::new(0);
    in_every_order_of(
        |scene| {
            let ((epochs, table), read) = (scene.slow(), scene.read.clone());
            let wrong: Actor = Box::pin(async move {
                let mut all = Seen::new();
                for key in epochs.keys(b"a").unwrap().into_iter().rev() {
                    let cells = table.read(Scan::over(Span::row(key))).await.unwrap();
                    all.extend(seen(b"a", &cells));
                }
                read.lock().unwrap().push(all);
            });
            vec![wrong, scene.migrator(100)]
        },
        |scene| missed.set(missed.get() + usize::from(scene.one_read().is_empty())),
    );
    assert!(missed.get() > 0);
}
