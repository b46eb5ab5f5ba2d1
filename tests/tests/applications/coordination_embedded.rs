//! The applications of an embedded directory pass the conformance suite of coordination.

use std::path::Path;
use std::sync::Arc;

use fjall::{KeyspaceCreateOptions, SingleWriterTxDatabase};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications, FailedNotification};
use fluo_tests::conformance_coordination;
use tempfile::TempDir;

fn open(directory: &Path, options: EmbeddedOptions) -> Arc<dyn Applications> {
    let options = options.create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options).unwrap();
    Arc::new(tables.applications())
}

async fn embedded() -> (Arc<dyn Applications>, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (open(directory.path(), EmbeddedOptions::new()), directory)
}

conformance_coordination::suite!(embedded);

#[tokio::test]
async fn acknowledged_state_survives_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let open = async || open(directory.path(), EmbeddedOptions::new());
    conformance_coordination::c2_timestamps_continue_after_reopening(&open).await;
    conformance_coordination::c3_the_horizon_survives_reopening(&open).await;
    conformance_coordination::c6_numbers_are_not_used_again_after_reopening(&open).await;
    conformance_coordination::c12_completed_calls_survive_reopening(&open).await;
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap().applications, 0);
}

/// Copies one dead letter in the file: adding this number of dead letters one by one would take a
/// minute of syncs.
#[tokio::test]
async fn limits_the_number_of_dead_letters() {
    let directory = tempfile::tempdir().unwrap();
    {
        let applications = open(directory.path(), EmbeddedOptions::new());
        let application = Application::new("1", "t");
        applications.initialize("web", application).await.unwrap();
        let web = applications.open("web").await.unwrap();
        web.add_dead_letter(conformance_coordination::failed("00000")).await.unwrap();
    }
    let tables = directory.path().join("fluo.tables");
    let engine = SingleWriterTxDatabase::builder(tables).open().unwrap();
    let dead_letters = engine.keyspace("dead-letters", KeyspaceCreateOptions::default).unwrap();
    let (key, value) = dead_letters.first_key_value().unwrap().into_inner().unwrap();
    let mut transaction = engine.write_tx();
    for row in 1..FailedNotification::MAX_DEAD_LETTERS - 2 {
        let mut key = key.to_vec();
        // The row is after the name of the application and a zero byte.
        key[4..9].copy_from_slice(format!("{row:05}").as_bytes());
        transaction.insert(&dead_letters, key, value.clone());
    }
    transaction.commit().unwrap();
    drop((dead_letters, engine));
    let applications = open(directory.path(), EmbeddedOptions::new());
    conformance_coordination::c8_the_number_of_dead_letters_is_bounded(applications, "web").await;
    EmbeddedTables::check(directory.path()).unwrap();
}

/// Passes all rules with a queue in which every job waits for the previous one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tightly_bounded_queue_passes_all_rules_and_leaves_a_sound_directory() {
    let directory = tempfile::tempdir().unwrap();
    let applications =
        open(directory.path(), EmbeddedOptions::new().cache_bytes(1 << 20).max_queued_mutations(1));
    conformance_coordination::run_all(applications.clone()).await;
    assert!(applications.list().await.unwrap().is_empty());
    drop(applications);
    EmbeddedTables::check(directory.path()).unwrap();
}
