//! Applications in a directory, and handles that outlive each other.

use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{Clock, ErrorKind, Instance};
use futures::FutureExt;

fn options() -> EmbeddedOptions {
    EmbeddedOptions::new().create_if_missing(true)
}

/// A transactor or a worker holds the directory. The last handle releases it.
#[tokio::test]
async fn the_directory_is_held_until_the_last_handle_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let tables = EmbeddedTables::open(directory.path(), options()).unwrap();
    let applications = tables.applications();
    let application = Application::new("1", "t");
    applications.initialize("web", application).await.unwrap();
    let web = applications.open("web").await.unwrap();
    let transactor = web.begin_transactor().await.unwrap();
    let worker = web.join_workers().await.unwrap();
    drop((tables, applications, web));
    let held = || EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).map(drop);
    assert_eq!(held().unwrap_err().kind(), ErrorKind::Unavailable);
    transactor.publish_oldest_active(None).await.unwrap();
    drop(transactor);
    assert_eq!(held().unwrap_err().kind(), ErrorKind::Unavailable);
    let share = worker.share().await.unwrap().unwrap();
    assert_eq!(share.partition().divisor(), NonZeroU32::MIN);
    drop(worker);
    held().unwrap();
}

/// Regression test: an application was recorded after its caller, and the caller's claim, had been
/// dropped. By then another caller had checked the table, created it for another application and
/// recorded that one. Two applications had one table.
#[tokio::test]
async fn a_table_has_one_application_while_calls_wait_in_the_queue() {
    use fluo_engine::InstanceExt;
    use tokio::task::unconstrained;

    let directory = tempfile::tempdir().unwrap();
    let tables = EmbeddedTables::open(directory.path(), options()).unwrap();
    let applications = tables.applications();
    let busy = Application::new("1", "busy");
    applications.initialize("busy", busy).await.unwrap();
    let busy = applications.open("busy").await.unwrap();
    for _ in 0..200 {
        // Cancelled calls keep the writer busy. They are unconstrained, because tokio would
        // otherwise delay 200 calls without a pause.
        drop(unconstrained(busy.join_workers()).now_or_never());
    }
    let web = applications.initialize("web", Application::new("1", "pages"));
    assert!(unconstrained(web).now_or_never().is_none());
    let shop = applications.initialize("shop", Application::new("2", "pages"));
    let refused =
        "the table `pages` belongs to the application `web`; choose another table for `shop`";
    let error = shop.await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::AlreadyExists, refused));
    let fluo = Instance::new(Arc::new(tables), Arc::new(applications.clone()));
    let shop = fluo.application("shop").table("pages").clear(true);
    let error = shop.initialize().await.unwrap_err();
    assert_eq!(error.to_string(), refused);
    assert_eq!(applications.list().await.unwrap(), ["busy", "web"]);

    // The table of a removed application is free.
    applications.remove("web").await.unwrap();
    let shop = applications.initialize("shop", Application::new("2", "pages"));
    shop.await.unwrap();
}

/// A cancelled job of the writer leaves no partial write, and the writer's thread is never the last
/// holder of the directory.
#[tokio::test]
async fn a_cancelled_call_leaves_no_partial_write() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let tables = EmbeddedTables::open(directory.path(), options()).unwrap();
        let applications = tables.applications();
        let application = Application::new("1", "t");
        let _ = applications.initialize("web", application).await;
        let web = applications.open("web").await.unwrap();
        let _ = web.begin_transactor().now_or_never();
        let _ = web.timestamps(NonZeroU32::MIN).now_or_never();
        let _ = web.advance_horizon().now_or_never();
        let _ = web.join_workers().now_or_never();
        if round % 2 == 0 {
            let block = web.timestamps(NonZeroU32::MIN).await.unwrap();
            assert!(block.horizon <= block.first);
        }
        drop((tables, applications, web));
        EmbeddedTables::check(directory.path()).unwrap();
    }
}

/// A clock that panics once it is broken.
#[derive(Debug, Default)]
struct BreakableClock(AtomicBool);

impl Clock for BreakableClock {
    fn now_ms(&self) -> i64 {
        assert!(!self.0.load(Ordering::Relaxed), "no time");
        0
    }
}

/// Regression test: the clock was read after a commit had begun. If it panicked, the commit never
/// ended, and all transactions that began later waited for it.
#[tokio::test]
async fn a_panicking_clock_leaves_no_pending_commit() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(BreakableClock::default());
    let tables = EmbeddedTables::open(directory.path(), options().clock(clock.clone())).unwrap();
    let applications = tables.applications();
    applications.initialize("web", Application::new("1", "t")).await.unwrap();
    let web = applications.open("web").await.unwrap();
    let start = web.timestamps(NonZeroU32::MIN).await.unwrap().first;
    clock.0.store(true, Ordering::Relaxed);
    AssertUnwindSafe(web.begin_commit(start)).catch_unwind().await.unwrap_err();
    clock.0.store(false, Ordering::Relaxed);
    // The timestamps are at hand, so nothing but a pending commit makes the call wait.
    web.timestamps(NonZeroU32::MIN).now_or_never().unwrap().unwrap();
}
