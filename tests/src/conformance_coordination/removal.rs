//! C11 and C12: removal, and the presence of transactors and workers.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::{Application, Applications, TransactorId};
use fluo_table::{ErrorKind, Timestamp};
use futures::FutureExt;

use super::ground::{Ground, at, count, failed, unused_name};
use crate::STUCK;
use crate::unused_name::unused_name as unused_table;

/// Checks C11: removing an application removes all its state. A later application with the same
/// name starts from the beginning.
pub async fn c11_a_removed_application_leaves_nothing_behind(applications: Arc<dyn Applications>) {
    let name = unused_name();
    for life in 0..3 {
        let application =
            Application::new("same-id", unused_table("t")).set("life", life.to_string());
        applications.initialize(&name, application.clone()).await.unwrap();
        let coordination = applications.open(&name).await.unwrap();
        assert_eq!(coordination.application().await.unwrap(), application);
        assert_eq!(coordination.horizon().await.unwrap(), Timestamp::ZERO);
        assert_eq!(coordination.timestamps(count(1_500)).await.unwrap().first, at(2));
        assert!(coordination.dead_letters().await.unwrap().is_empty());
        let transactor = coordination.begin_transactor().await.unwrap();
        assert_eq!(transactor.id(), TransactorId(1));
        drop(transactor);
        coordination.add_dead_letter(failed("r")).await.unwrap();
        assert!(coordination.advance_horizon().await.unwrap() > at(1_500));
        applications.remove(&name).await.unwrap();
        assert!(!applications.list().await.unwrap().contains(&name));
        let error = applications.remove(&name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

/// Checks C11: calls through a handle on a removed application return `NotFound`, also after a new
/// application with the same name is created.
pub async fn c11_a_handle_fails_after_its_application_is_removed(
    applications: Arc<dyn Applications>,
) {
    let Ground { coordination, name, .. } = Ground::new(&applications).await;
    // This reserves timestamps.
    coordination.timestamps(count(1)).await.unwrap();
    applications.remove(&name).await.unwrap();
    for is_made_again in [false, true] {
        if is_made_again {
            let next = Application::new("1", unused_table("t"));
            applications.initialize(&name, next).await.unwrap();
        }
        let failed = failed("r");
        for error in [
            coordination.timestamps(count(1)).await.unwrap_err(),
            coordination.horizon().await.unwrap_err(),
            coordination.advance_horizon().await.unwrap_err(),
            coordination.begin_transactor().await.unwrap_err(),
            coordination.is_alive(TransactorId(1)).await.unwrap_err(),
            coordination.join_workers().await.unwrap_err(),
            coordination.add_dead_letter(failed.clone()).await.unwrap_err(),
            coordination.dead_letters().await.unwrap_err(),
            coordination.remove_dead_letter(&failed.cell, failed.timestamp).await.unwrap_err(),
            coordination.application().await.unwrap_err(),
            coordination.update_settings([].into()).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
    }
    let next = applications.open(&name).await.unwrap();
    assert_eq!(next.timestamps(count(1)).await.unwrap().first, at(2));
    assert!(!applications.is_running(&name).await.unwrap());
    applications.remove(&name).await.unwrap();
}

/// Checks C11: an application with a transactor or a worker is running, and cannot be removed.
pub async fn c11_a_running_application_is_not_removed(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let name = &ground.name;
    assert!(!applications.is_running(name).await.unwrap());
    let transactor = ground.begin().await;
    let worker = ground.coordination.join_workers().await.unwrap();
    let refused = async || {
        assert!(applications.is_running(name).await.unwrap());
        let error = applications.remove(name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(
            error.to_string(),
            format!("the application `{name}` is running; stop its clients and workers first")
        );
    };
    refused().await;
    drop(transactor);
    refused().await;
    drop(worker);
    assert!(!applications.is_running(name).await.unwrap());
    // The rejected removal changed nothing.
    assert_eq!(ground.next().await, at(2));
}

/// Checks C11: of a concurrent removal and a begin or join, exactly one is rejected.
pub async fn c11_no_transactor_begins_in_a_removed_application(
    applications: Arc<dyn Applications>,
) {
    for round in 0..40 {
        let ground = Ground::new(&applications).await;
        let (other, name) = (applications.clone(), ground.name.clone());
        let removal = tokio::spawn(async move { other.remove(&name).await });
        let coordination = ground.coordination.clone();
        let present = tokio::spawn(async move {
            // The transactor or worker is kept until both calls have ended.
            match round % 2 {
                0 => coordination.begin_transactor().await.map(|found| (Some(found), None)),
                _ => coordination.join_workers().await.map(|found| (None, Some(found))),
            }
        });
        match (removal.await.unwrap(), present.await.unwrap()) {
            (Ok(()), Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            }
            (Err(error), Ok(_)) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
            both => panic!("round {round}: {both:?}"),
        }
        let _ = applications.remove(&ground.name).await;
    }
}

/// Checks C12: a transactor or a worker is not present if its caller is cancelled while it begins
/// or joins.
pub async fn c12_a_cancelled_caller_is_not_present(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    for _ in 0..20 {
        // The result is dropped in any case, also if it is ready at once.
        drop(ground.coordination.begin_transactor().now_or_never());
        drop(ground.coordination.join_workers().now_or_never());
    }
    let transactor = ground.begin().await;
    assert!(ground.coordination.is_alive(transactor.id()).await.unwrap());
    drop(transactor);
    // A request of a cancelled caller may still be under way, and is undone when it ends.
    let removed = async {
        while let Err(error) = applications.remove(&ground.name).await {
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let removed = tokio::time::timeout(STUCK, removed).await;
    removed.expect("a transactor or a worker is still present");
}
