//! What no client has written fails a transaction at once, and says where it is.
//!
//! A transaction that only writes took such damage for another transaction that was faster. It was run again for five
//! minutes, as long as its runner allows, and then named no damage.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test panics where it fails"
)]

use std::sync::Arc;
use std::time::Duration;

use fluo_core::admin::{Initialization, initialize};
use fluo_core::coordination::{Applications, MemoryApplications, TransactorId};
use fluo_core::layout::{EntryKind, EntryStamp, LockValue};
use fluo_core::{
    Authorizations, Bytes, Client, ClientSettings, Column, Error, ErrorKind, MemoryTables,
    Mutation, RowColumn, Table, TableAdmin, Timestamp,
};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_tests::scenarios::damage::damages;

fn balance() -> Column {
    Column::new("account", "balance")
}

fn stamp(kind: EntryKind) -> i64 {
    EntryStamp::new(kind, Timestamp::new(1).unwrap()).encode()
}

/// A table with one entry, and a client on it.
async fn client_over(tables: &dyn TableAdmin, entries: &[Mutation]) -> Client {
    let applications = MemoryApplications::new();
    let initialization = Initialization::new("1", "bank").clear();
    initialize(tables, &applications, "bank", initialization)
        .await
        .unwrap();
    let table: Arc<dyn Table> = tables
        .open_table("bank", Authorizations::none())
        .await
        .unwrap();
    table.write(entries.to_vec()).await.unwrap();
    let bank = applications.open("bank").await.unwrap();
    Client::open(table, bank, ClientSettings::default())
        .await
        .unwrap()
}

/// The result of a runner with the default policy, which goes on for 5 minutes where it may.
async fn in_time<T>(run: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let ended = tokio::time::timeout(Duration::from_secs(20), run).await;
    ended.unwrap_or_else(|_| panic!("it is still being retried"))
}

async fn blind_write(client: &Client) -> Result<(), Error> {
    in_time(client.run(async |tx| tx.set("alice", &balance(), "1"))).await
}

async fn read(client: &Client) -> Result<Option<Bytes>, Error> {
    in_time(client.run(async |tx| tx.get("alice", &balance()).await)).await
}

fn assert_corrupt<T: std::fmt::Debug>(result: Result<T, Error>, cell: &str, told: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let message = error.to_string();
    assert!(
        message.contains(&format!("an entry of `{cell}` is damaged: {told}")),
        "{message} does not say: {told}"
    );
}

async fn damage_is_told(tables: &dyn TableAdmin) {
    for damage in damages() {
        let entry = Mutation::new("alice").put_at(
            balance(),
            damage.stamp.cast_signed(),
            damage.value.clone(),
        );
        let client = client_over(tables, &[entry]).await;
        match damage.is_read {
            true => assert_corrupt(read(&client).await, "alice account:balance", damage.told),
            false => assert_eq!(read(&client).await.unwrap(), None),
        }
        match damage.is_in_the_way {
            true => {
                let written = blind_write(&client).await;
                assert_corrupt(written, "alice account:balance", damage.told);
                // In a row beside the primary's too; and nothing is left of it.
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

/// The lock of somebody dead, whose primary is damaged: nobody can tell what became of it.
async fn a_damaged_primary_is_told(tables: &dyn TableAdmin) {
    let lock = lock_of_the_dead();
    let primary = Mutation::new("primary").put_at(balance(), stamp(EntryKind::Write), "garbage");
    let client = client_over(tables, &[lock, primary]).await;
    for result in [read(&client).await.map(drop), blind_write(&client).await] {
        let told = "the value of a WRITE entry cannot be read: 7 bytes, `garbage`";
        assert_corrupt(result, "primary account:balance", told);
    }
}

/// The lock of somebody dead, of which its primary knows nothing.
async fn a_lock_without_a_primary_is_told(tables: &dyn TableAdmin) {
    let client = client_over(tables, &[lock_of_the_dead()]).await;
    for result in [read(&client).await.map(drop), blind_write(&client).await] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert_eq!(
            error.to_string(),
            "`alice account:balance` is locked by the transaction that began at 1, of which its primary \
             `primary account:balance` knows nothing; the lock can neither be rolled forward nor back"
        );
    }
}

fn lock_of_the_dead() -> Mutation {
    let lock = LockValue {
        primary: RowColumn::new("primary", balance()),
        transactor: TransactorId(77),
        is_write: true,
        is_delete: false,
        is_trigger: false,
    };
    Mutation::new("alice").put_at(balance(), stamp(EntryKind::Lock), lock.encode())
}

#[tokio::test]
async fn in_memory() {
    let tables = MemoryTables::new();
    damage_is_told(&tables).await;
    a_damaged_primary_is_told(&tables).await;
    a_lock_without_a_primary_is_told(&tables).await;
}

#[tokio::test]
async fn embedded() {
    let directory = tempfile::tempdir().unwrap();
    let settings = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory.path(), settings).unwrap();
    damage_is_told(&tables).await;
    a_damaged_primary_is_told(&tables).await;
    a_lock_without_a_primary_is_told(&tables).await;
}
