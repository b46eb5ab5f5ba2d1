//! The applications of an embedded directory pass the conformance suite of coordination.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use fjall::{KeyspaceCreateOptions, SingleWriterTxDatabase};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::Timestamp;
use fluo_table::coordination::{Application, Applications, FailedNotification};
use fluo_tests::{ManualClock, conformance_coordination};
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

#[tokio::test]
async fn ages_follow_the_clock() {
    let (directory, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::at(0)));
    let applications = open(directory.path(), EmbeddedOptions::new().clock(clock.clone()));
    let set_clock = |now_ms| clock.set(now_ms);
    conformance_coordination::c19_ages_follow_the_clock(applications, set_clock).await;
}

/// Opens the directory at this second, takes 900 timestamps, and returns the first one and the ages
/// of `timestamps` at the next second.
async fn use_at(directory: &Path, second: i64, timestamps: &[u64]) -> (u64, Vec<Option<u64>>) {
    let clock = Arc::new(ManualClock::at(second * 1_000));
    let applications = open(directory, EmbeddedOptions::new().clock(clock.clone()));
    // It exists after the first time.
    let _ = applications.initialize("web", Application::new("1", "t")).await;
    let web = applications.open("web").await.unwrap();
    let block = web.timestamps(900.try_into().unwrap()).await.unwrap();
    clock.set((second + 1) * 1_000);
    let timestamps = timestamps.iter().map(|number| Timestamp::new(*number).unwrap());
    let ages = web.ages(&timestamps.collect::<Vec<_>>()).await.unwrap();
    (block.first.get(), ages.into_iter().map(|age| age.map(|age| age.as_secs())).collect())
}

/// The samples since the last reservation are lost: then timestamps count from the next opening.
#[tokio::test]
async fn the_times_of_timestamps_survive_reopening_and_a_backup_and_damage() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (directory, backup) = (first.path().join("d"), second.path().join("d"));
    assert_eq!(use_at(&directory, 0, &[2, 901, 902]).await, (2, vec![Some(1), Some(1), None]));
    assert_eq!(use_at(&directory, 50, &[2, 1_901]).await, (1_002, vec![Some(1), Some(1)]));
    let copy = Command::new("cp").arg("-r").args([&directory, &backup]).status();
    assert!(copy.unwrap().success());
    assert_eq!(use_at(&directory, 90, &[2, 1_002]).await, (2_002, vec![Some(41), Some(1)]));
    assert_eq!(use_at(&backup, 200, &[2, 1_002]).await, (2_002, vec![Some(151), Some(1)]));

    store_timeline(&directory, "2\nof a later version");
    EmbeddedTables::check(&directory).unwrap();
    store_timeline(&directory, "1\nx");
    assert_eq!(use_at(&directory, 300, &[2, 3_002]).await, (3_002, vec![Some(1), Some(1)]));
    EmbeddedTables::check(&directory).unwrap();
    store_timeline(&directory, "1\nx");
    let error = EmbeddedTables::check(&directory).unwrap_err().to_string();
    assert!(error.contains("application `web`: the times of timestamps are damaged"), "{error}");
}

fn store_timeline(directory: &Path, text: &str) {
    let engine = SingleWriterTxDatabase::builder(directory.join("fluo.tables")).open().unwrap();
    let nodes = engine.keyspace("coordination", KeyspaceCreateOptions::default).unwrap();
    let mut transaction = engine.write_tx();
    transaction.insert(&nodes, "/web/oracle/timeline", text);
    transaction.commit().unwrap();
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
