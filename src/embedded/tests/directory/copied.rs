//! An application with its table on a cluster and its coordination in a directory, after a copy of
//! the directory.

use std::path::Path;
use std::sync::Arc;

use fluo_embedded::{EmbeddedApplications, EmbeddedOptions, EmbeddedTables};
use fluo_engine::{ApplicationHandle, InstanceExt};
use fluo_table::coordination::{Applications, MemoryApplications};
use fluo_table::{Column, Error, ErrorKind, Instance, MemoryTables, Result, TableAdmin, Versions};

use super::files::copy;

fn applications(directory: &Path) -> EmbeddedApplications {
    let create = EmbeddedOptions::new().create_if_missing(true);
    EmbeddedTables::open(directory, create).unwrap().applications()
}

/// Returns the application of a table of the cluster, with its coordination elsewhere.
fn web(cluster: &MemoryTables, applications: impl Applications + 'static) -> ApplicationHandle {
    let instance = Instance::new(Arc::new(cluster.clone()), Arc::new(applications));
    instance.with_ids(|| "8d2fa41c".to_owned()).application("web")
}

/// Opens the application, and commits a transaction.
async fn run(cluster: &MemoryTables, applications: impl Applications + 'static) -> Result<()> {
    let client = web(cluster, applications).open().await?;
    let column = Column::new("f", "q");
    client.run(async |tx| tx.set("r", &column, "v")).await.map_err(|error: Error| error)
}

/// Regression test: a directory with the coordination of an application was copied to another
/// machine, and both copies were used with the table on the cluster. Both silently handed out the
/// same timestamps.
#[tokio::test]
async fn refuses_a_directory_after_its_copy_was_used() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let cluster = MemoryTables::new();
    let created = web(&cluster, applications(&first)).initialize().await;
    created.unwrap();
    run(&cluster, applications(&first)).await.unwrap();
    run(&cluster, applications(&first)).await.unwrap();

    copy(&first, &second);
    run(&cluster, applications(&second)).await.unwrap();
    let error = run(&cluster, applications(&first)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "the coordination of the application `web` is an old copy; use the newest one, or initialize the application again"
    );
    run(&cluster, applications(&second)).await.unwrap();
    EmbeddedTables::check(&second).unwrap();
}

/// Opens although the table has the epoch of the opening before. A crash between the two steps of
/// an opening leaves it there, and so does a user who may not set properties.
#[tokio::test]
async fn opens_after_an_opening_that_did_not_reach_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = MemoryTables::new();
    let created = web(&cluster, applications(folder.path())).initialize().await;
    created.unwrap();
    for _ in 0..2 {
        let applications = applications(folder.path());
        let web = applications.open("web").await.unwrap();
        let properties = cluster.properties("web").await.unwrap();
        let found = properties.get("table.custom.fluo.epoch");
        web.begin_epoch(found.map(String::as_str)).await.unwrap();
        drop((web, applications));
        run(&cluster, self::applications(folder.path())).await.unwrap();
    }
}

/// Refuses a directory from before an application was initialized again: it would read the rows of
/// the new application.
#[tokio::test]
async fn refuses_a_table_of_another_application() {
    let cluster = MemoryTables::new();
    let (old, new) = (MemoryApplications::new(), MemoryApplications::new());
    web(&cluster, old.clone()).initialize().await.unwrap();
    let fluo = Instance::new(Arc::new(cluster.clone()), Arc::new(new));
    let second = fluo.with_ids(|| "91b0c7de".to_owned()).application("web");
    second.clear(true).initialize().await.unwrap();
    let error = run(&cluster, old).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "table `web` belongs to another application, not to `8d2fa41c`; open it with its own coordination"
    );
}

/// Refuses a table that was deleted and created again: it would drop versions in its first
/// compaction.
#[tokio::test]
async fn refuses_a_table_that_drops_versions() {
    let (cluster, applications) = (MemoryTables::new(), MemoryApplications::new());
    let created = web(&cluster, applications.clone()).initialize().await;
    created.unwrap();
    cluster.delete_table("web").await.unwrap();
    cluster.create_table("web", Versions::default()).await.unwrap();
    let error = run(&cluster, applications).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "table `web` drops versions that transactions need; remove its properties `table.iterator.*.vers*`, such as \
         `table.iterator.majc.vers`"
    );
}
