//! An entry that no client has written fails a transaction at once, with an error that names its
//! place.
//!
//! Regression test: a transaction that only writes took such damage for a faster transaction. Its
//! runner retried it for the allowed five minutes, and the last error did not report the damage.

use std::time::Duration;

use fluo_engine::Client;
use fluo_table::coordination::TransactorId;
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue};
use fluo_table::{Bytes, Column, Error, ErrorKind, Instance, Mutation, RowColumn, Timestamp};
use fluo_tests::Fixture;
use fluo_tests::scenarios::damage::damages;

fn balance() -> Column {
    Column::new("account", "balance")
}

fn stamp(kind: EntryKind) -> i64 {
    EntryTimestamp::new(kind, Timestamp::new(1).unwrap()).encode()
}

/// Creates a table with some entries, and opens a client on it.
async fn client_over(instance: &Instance, entries: &[Mutation]) -> Client {
    let fixture = Fixture::new(instance).await;
    fixture.write(entries.to_vec()).await;
    fixture.client().await
}

/// Returns the result of a runner with the default policy, which may retry for 5 minutes. Panics
/// after 4 minutes.
async fn in_time<T>(run: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let ended = tokio::time::timeout(Duration::from_secs(240), run).await;
    ended.unwrap_or_else(|_| panic!("it is still being retried"))
}

async fn blind_write(client: &Client) -> Result<(), Error> {
    in_time(client.run(async |tx| tx.set("alice", &balance(), "1"))).await
}

async fn read(client: &Client) -> Result<Option<Bytes>, Error> {
    in_time(client.run(async |tx| tx.get("alice", &balance()).await)).await
}

fn assert_corrupt<T: std::fmt::Debug>(result: Result<T, Error>, cell: &str, finding: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let message = error.to_string();
    assert!(
        message.contains(&format!("an entry of `{cell}` is damaged: {finding}")),
        "{message} does not contain: {finding}"
    );
}

async fn reports_damage(instance: &Instance) {
    for damage in damages() {
        let entry = Mutation::new("alice").put_at(
            balance(),
            damage.stamp.cast_signed(),
            damage.value.clone(),
        );
        let client = client_over(instance, &[entry]).await;
        match damage.is_read {
            true => assert_corrupt(read(&client).await, "alice account:balance", damage.told),
            false => assert_eq!(read(&client).await.unwrap(), None),
        }
        match damage.is_in_the_way {
            true => {
                let written = blind_write(&client).await;
                assert_corrupt(written, "alice account:balance", damage.told);
                // Damage in a row beside the primary's is reported too, and the transaction leaves
                // no entry.
                let both = client.run(async |tx| {
                    tx.set("aaron", &balance(), "1")?;
                    tx.set("alice", &balance(), "1")
                });
                assert_corrupt(in_time(both).await, "alice account:balance", damage.told);
                let snapshot = client.snapshot().await.unwrap();
                assert_eq!(snapshot.get("aaron", &balance()).await.unwrap(), None);
            }
            false => blind_write(&client).await.unwrap(),
        }
    }
}

/// Checks an abandoned lock whose primary is damaged, so that its outcome cannot be determined.
async fn reports_a_damaged_primary(instance: &Instance) {
    let lock = abandoned_lock();
    let primary = Mutation::new("primary").put_at(balance(), stamp(EntryKind::Write), "garbage");
    let client = client_over(instance, &[lock, primary]).await;
    for result in [read(&client).await.map(drop), blind_write(&client).await] {
        let finding = "the value of a WRITE entry cannot be read: 7 bytes, `garbage`";
        assert_corrupt(result, "primary account:balance", finding);
    }
}

/// Checks an abandoned lock whose primary has no entry of its transaction.
async fn reports_a_lock_without_a_primary(instance: &Instance) {
    let client = client_over(instance, &[abandoned_lock()]).await;
    for result in [read(&client).await.map(drop), blind_write(&client).await] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert_eq!(
            error.to_string(),
            "`alice account:balance` is locked by transaction 1, of which the primary `primary account:balance` has no \
             trace; its outcome is lost"
        );
    }
}

fn abandoned_lock() -> Mutation {
    let lock = LockValue {
        primary: RowColumn::new("primary", balance()),
        transactor: TransactorId(77),
        is_write: true,
        is_delete: false,
        is_trigger: false,
    };
    Mutation::new("alice").put_at(balance(), stamp(EntryKind::Lock), lock.encode())
}

async fn reports_all_damage(instance: &Instance) {
    reports_damage(instance).await;
    reports_a_damaged_primary(instance).await;
    reports_a_lock_without_a_primary(instance).await;
}

#[tokio::test]
async fn reports_damage_in_memory() {
    reports_all_damage(&Instance::in_memory()).await;
}

#[tokio::test]
async fn reports_damage_in_embedded_tables() {
    let directory = tempfile::tempdir().unwrap();
    reports_all_damage(&fluo_embedded::open(directory.path()).unwrap()).await;
}
