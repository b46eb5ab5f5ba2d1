//! Applications in a directory: one that an older build made, handles that outlive each other, and how little of it is
//! written.

use std::num::NonZeroU32;
use std::path::Path;

use fluo_core::coordination::{Application, Applications};
use fluo_core::{ErrorKind, TableAdmin, Versions};
use fluo_embedded::{CheckReport, EmbeddedOptions, EmbeddedTables};
use redb::{Database, ReadableDatabase, TableHandle};

fn settings() -> EmbeddedOptions {
    EmbeddedOptions::new().create_if_missing(true)
}

#[expect(clippy::unwrap_used, reason = "part of a test")]
fn engine_tables(directory: &Path) -> Vec<String> {
    let engine = Database::open(directory.join("fluo.redb")).unwrap();
    let snapshot = engine.begin_read().unwrap();
    let tables = snapshot.list_tables().unwrap();
    tables.map(|table| table.name().to_owned()).collect()
}

/// What an older build made has no place for applications: it is made when the first one is.
#[tokio::test]
async fn a_directory_of_an_older_build_takes_applications() {
    let directory = tempfile::tempdir().unwrap();
    let tables = EmbeddedTables::open(directory.path(), settings()).unwrap();
    tables.create_table("t", Versions::All).await.unwrap();
    drop(tables);
    let older = ["cells-1", "meta", "properties", "tables", "tablets"];
    assert_eq!(engine_tables(directory.path()), older);

    let tables = EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).unwrap();
    let applications = tables.applications();
    assert!(applications.list().await.unwrap().is_empty());
    let error = applications.open("web").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    drop((tables, applications));
    // Looking changes nothing.
    assert_eq!(engine_tables(directory.path()), older);

    let tables = EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).unwrap();
    let applications = tables.applications();
    let application = Application::new("1", "t");
    applications.initialize("web", application).await.unwrap();
    drop((tables, applications));
    let report = CheckReport {
        tables: 1,
        tablets: 1,
        entries: 0,
        applications: 1,
    };
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap(), report);
}

/// A transactor or a worker holds the directory, and whoever is dropped last closes it.
#[tokio::test]
async fn the_directory_is_held_until_the_last_one_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let tables = EmbeddedTables::open(directory.path(), settings()).unwrap();
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
    assert_eq!(worker.share().await.unwrap().divisor(), NonZeroU32::MIN);
    drop(worker);
    held().unwrap();
}

/// An application was recorded after whoever asked for it had gone, and the claim with them: somebody else had looked by
/// then, made the table for another application, and recorded that one. There were two on one table.
#[tokio::test]
async fn a_table_has_one_application_whatever_waits_in_the_queue() {
    use fluo_core::admin::{Initialization, initialize};
    use futures::FutureExt;
    use tokio::task::unconstrained;

    let directory = tempfile::tempdir().unwrap();
    let tables = EmbeddedTables::open(directory.path(), settings()).unwrap();
    let applications = tables.applications();
    let busy = Application::new("1", "busy");
    applications.initialize("busy", busy).await.unwrap();
    let busy = applications.open("busy").await.unwrap();
    for _ in 0..200 {
        // The writer is busy with who came and went before. The runtime would hold back so many calls without a pause.
        drop(unconstrained(busy.join_workers()).now_or_never());
    }
    let web = applications.initialize("web", Application::new("1", "pages"));
    assert!(unconstrained(web).now_or_never().is_none());
    let shop = applications.initialize("shop", Application::new("2", "pages"));
    let refused =
        "the table `pages` belongs to the application `web`; choose another table for `shop`";
    let error = shop.await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::AlreadyExists, refused)
    );
    let shop = Initialization::new("2", "pages").clear();
    let error = initialize(&tables, &applications, "shop", shop).await;
    assert_eq!(error.unwrap_err().to_string(), refused);
    assert_eq!(applications.list().await.unwrap(), ["busy", "web"]);

    // The table of one that was removed is free.
    applications.remove("web").await.unwrap();
    let shop = applications.initialize("shop", Application::new("2", "pages"));
    shop.await.unwrap();
}

/// Somebody who stops waiting for a job of the writer leaves nothing half done, and the writer's thread is never the last
/// to hold the directory.
#[tokio::test]
async fn who_stops_waiting_harms_nobody() {
    use futures::FutureExt;

    let directory = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let tables = EmbeddedTables::open(directory.path(), settings()).unwrap();
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
