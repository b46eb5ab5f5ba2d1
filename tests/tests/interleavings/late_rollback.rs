//! Another transaction rolls back a sleeping transaction, and the marks of the rollback are
//! collected. Then the sleeping transaction wakes, and rolls itself back. Its mark on a cell must
//! not hide the lock that an older transaction has taken there in between.

use std::time::Duration;

use fluo_table::{Garbage, Span};
use tokio::time::sleep;

use super::scene::{Scene, get, set};

const YOUNG: usize = 0;
const OLD: usize = 1;

/// Lets a transaction make a number of calls.
async fn steps(scene: &Scene, transaction: usize, count: usize) {
    for _ in 0..count {
        sleep(Duration::from_millis(1)).await;
        scene.gate.release(transaction);
    }
    sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_rollback_does_not_hide_the_lock_of_an_older_transaction() {
    let scene = Scene::new(false, 2, &[("a", 0), ("b", 0), ("x", 0)]).await;
    scene.gate.open();
    let old = scene.clients[OLD].begin().await.unwrap();
    set(&old, "b", 1);
    set(&old, "x", 1);
    let young = scene.clients[YOUNG].begin().await.unwrap();
    set(&young, "a", 2);
    set(&young, "x", 2);
    assert!(old.start() < young.start());

    // The young transaction locks both rows, takes its timestamp, and sleeps before its commit.
    scene.gate.close();
    let young = tokio::spawn(young.commit());
    steps(&scene, YOUNG, 3).await;

    // Its session ends, a reader rolls it back, and its remaining entries are collected.
    scene.fixture.end_session(&scene.clients[YOUNG]).await;
    scene.gate.open();
    let reader = scene.observer().snapshot().await.unwrap();
    assert_eq!((get(&reader, "a").await, get(&reader, "x").await), (0, 0));
    drop(reader);
    let horizon = scene.observer().advance_horizon().await.unwrap();
    let garbage = Garbage::DropBelow(horizon);
    let (tables, name) = (&scene.fixture.tables, &scene.fixture.name);
    tables.compact(name, &Span::all(), garbage).await.unwrap();

    // The old transaction locks its rows, and takes its timestamp.
    scene.gate.close();
    let old = tokio::spawn(old.commit());
    steps(&scene, OLD, 3).await;

    // The young transaction wakes, and finds that it was rolled back.
    steps(&scene, YOUNG, 1).await;
    while scene.gate.waiting().contains(&YOUNG) {
        steps(&scene, YOUNG, 1).await;
    }
    assert!(young.await.unwrap().is_err());

    // The old transaction commits, but has not yet rolled its other row forward.
    steps(&scene, OLD, 1).await;
    scene.gate.open();
    let reader = scene.observer().snapshot().await.unwrap();
    let seen = (get(&reader, "b").await, get(&reader, "x").await);
    if scene.gate.waiting().contains(&OLD) {
        scene.gate.release(OLD);
    }
    let committed = old.await.unwrap();
    let expected = if committed.is_ok() { (1, 1) } else { (0, 0) };
    assert_eq!(seen, expected, "{committed:?}");
}
