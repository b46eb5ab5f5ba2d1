//! Writes of rows only if they are absent from every place.

use std::cell::Cell;
use std::sync::Arc;

use fluo_keys::KeyMigration;
use fluo_table::{
    Bytes, Condition, ConditionalMutation, Mutation, Outcome, Scan, Span, Table, TableExt,
};

use super::scene::{Actor, OLD, Scene, cells_of, in_every_order, now};
use super::{column, modulo};

/// Writes a row if it is in no older place, and not in the newest one.
async fn create(epochs: &KeyMigration, table: &dyn Table, row: &'static [u8]) -> bool {
    let rows = [Bytes::from_static(row)];
    let older = epochs.find_in_old_designs(table, &rows, &[column("q")]).await.unwrap();
    if older != [None] {
        return false;
    }
    let put = ConditionalMutation {
        conditions: vec![Condition::absent(column("q"))],
        mutation: Mutation::new(epochs.key(row).unwrap()).put_at(column("q"), 2, "new"),
    };
    let outcomes = table.write_conditional(vec![put]).await.unwrap();
    matches!(outcomes.as_slice(), [Outcome::Accepted])
}

fn creator(scene: &Scene, row: &'static [u8], created: &Arc<std::sync::Mutex<usize>>) -> Actor {
    let ((epochs, table), created) = (scene.slow(), created.clone());
    Box::pin(async move {
        let is_created = create(&epochs, &*table, row).await;
        *created.lock().unwrap() += usize::from(is_created);
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
fn returns_the_oldest_place_with_one_of_the_columns() {
    let scene = Scene::new();
    let rows = ["a", "x", "b"].map(Bytes::from);
    let places = |columns: &[&'static str]| {
        let columns: Vec<_> = columns.iter().map(|name| column(name)).collect();
        now(scene.epochs.find_in_old_designs(&*scene.table, &rows, &columns)).unwrap()
    };
    // `b` has the same key in both designs, and so no older place.
    let old = modulo(1).encode_row(b"a").unwrap();
    assert_eq!(places(&["q"]), [Some(old.clone()), None, None]);
    assert_eq!(places(&["other", "r"]), [Some(old), None, None]);
    assert_eq!(places(&["other"]), [None, None, None]);
    // An empty list of columns selects all columns.
    let old = modulo(1).encode_row(b"a").unwrap();
    assert_eq!(places(&[]), [Some(old), None, None]);
}
