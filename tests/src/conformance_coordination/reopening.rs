//! C2, C3, C6 and C12 across restarts of a process, for applications that can be closed and opened
//! again.
//!
//! `open` opens the same applications each time, after the applications that it opened before are
//! dropped.

use std::sync::Arc;

use fluo_table::coordination::{
    Application, Applications, ObservedColumn, ObserverKind, TransactorId,
};
use fluo_table::{Column, ErrorKind, Timestamp};

use super::ground::{at, count, failed, unused_name, without_pauses};
use crate::unused_name::unused_name as unused_table;

async fn remove(open: impl AsyncFn() -> Arc<dyn Applications>, name: &str) {
    open().await.remove(name).await.unwrap();
}

async fn initialize(open: &impl AsyncFn() -> Arc<dyn Applications>) -> String {
    let name = unused_name();
    open().await.initialize(&name, without_pauses()).await.unwrap();
    name
}

/// Checks C1 and C2: timestamps after an opening are above all earlier ones.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c2_timestamps_continue_after_reopening(open: impl AsyncFn() -> Arc<dyn Applications>) {
    let name = initialize(&open).await;
    let mut last = at(1);
    for size in [1, 1, 998, 999, 1_000, 1_001, 50_000, 1, 1] {
        let coordination = open().await.open(&name).await.unwrap();
        for _ in 0..3 {
            let block = coordination.timestamps(count(size)).await.unwrap();
            assert!(block.first > last, "{block:?} after {last}");
            last = block.iter().last().unwrap();
        }
    }
    remove(open, &name).await;
}

/// Checks C3: the horizon after an opening is not below any earlier one, and not above later
/// timestamps.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c3_the_horizon_survives_reopening(open: impl AsyncFn() -> Arc<dyn Applications>) {
    let name = initialize(&open).await;
    let mut horizon = Timestamp::ZERO;
    for life in 0..5 {
        let coordination = open().await.open(&name).await.unwrap();
        assert_eq!(coordination.horizon().await.unwrap(), horizon, "life {life}");
        let block = coordination.timestamps(count(10)).await.unwrap();
        assert_eq!(block.horizon, horizon);
        assert!(horizon <= block.first);
        let transactor = coordination.begin_transactor().await.unwrap();
        if life % 2 == 0 {
            // The publication ends with this opening.
            transactor.publish_oldest_active(Some(block.first)).await.unwrap();
            assert_eq!(coordination.advance_horizon().await.unwrap(), block.first);
        }
        drop(transactor);
        let advanced = coordination.advance_horizon().await.unwrap();
        assert!(advanced > block.first);
        horizon = advanced;
    }
    remove(open, &name).await;
}

/// Checks C6: numbers of transactors continue after an opening, and no earlier transactor is alive.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c6_numbers_are_not_used_again_after_reopening(
    open: impl AsyncFn() -> Arc<dyn Applications>,
) {
    let name = initialize(&open).await;
    for number in 1..6 {
        let applications = open().await;
        assert!(!applications.is_running(&name).await.unwrap());
        let coordination = applications.open(&name).await.unwrap();
        let transactor = coordination.begin_transactor().await.unwrap();
        let id = transactor.id();
        assert!(id >= TransactorId(number), "{id}");
        assert!(coordination.is_alive(id).await.unwrap());
        assert!(!coordination.is_alive(TransactorId(id.0 - 1)).await.unwrap());
        let worker = coordination.join_workers().await.unwrap();
        let share = worker.share().await.unwrap().unwrap();
        assert_eq!(share.partition().divisor(), count(1));
        drop((transactor, worker));
    }
    remove(open, &name).await;
}

/// Checks C12: the effects of completed calls exist after the applications are opened again, and
/// removed applications do not.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c12_completed_calls_survive_reopening(open: impl AsyncFn() -> Arc<dyn Applications>) {
    let (name, removed) = (unused_name(), unused_name());
    let observed = ObservedColumn::new(Column::new("f", "q"), ObserverKind::Strong, "o");
    let mut application = Application::new("1", unused_table("t")).observe(observed);
    {
        let applications = open().await;
        applications.initialize(&name, application.clone()).await.unwrap();
        let other = Application::new("1", unused_table("t"));
        applications.initialize(&removed, other).await.unwrap();
        let coordination = applications.open(&removed).await.unwrap();
        coordination.add_dead_letter(failed("r")).await.unwrap();
        drop(coordination);
        applications.remove(&removed).await.unwrap();
    }
    for life in 0..3_u8 {
        let applications = open().await;
        let listed = applications.list().await.unwrap();
        assert!(listed.contains(&name) && !listed.contains(&removed));
        let error = applications.open(&removed).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let coordination = applications.open(&name).await.unwrap();
        assert_eq!(coordination.application().await.unwrap(), application);
        let rows: Vec<_> = (0..life).map(|row| failed(vec![row])).collect();
        assert_eq!(coordination.dead_letters().await.unwrap(), rows);
        coordination.add_dead_letter(failed(vec![life])).await.unwrap();
        coordination.add_dead_letter(failed("gone")).await.unwrap();
        assert!(
            coordination
                .remove_dead_letter(&failed("gone").cell, failed("gone").timestamp)
                .await
                .unwrap()
        );
        application = application.set(format!("life {life}"), "é=\n");
        coordination.update_settings(application.settings.clone()).await.unwrap();
    }
    remove(open, &name).await;
}
