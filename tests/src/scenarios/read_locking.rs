//! Reads under a lock.

use std::sync::Arc;

use fluo_engine::OwnedTransaction;
use fluo_table::{Column, Instance, RowColumn};

use super::accounts::{balance, balances, hasty, set};
use super::meeting::conflict;
use crate::shop::number;
use crate::{FaultyTable, Fixture};

async fn read_locked(tx: &OwnedTransaction, row: &'static str) -> i64 {
    number(tx.with_read_lock().get(row, &balance()).await.unwrap())
}

pub async fn read_locks_do_not_conflict_with_each_other(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    set(&client, &[("alice", 5)]).await;
    let (first, second) = (client.begin().await.unwrap(), client.begin().await.unwrap());
    for (tx, row) in [(&first, "bob"), (&second, "carol")] {
        let read = read_locked(tx, "alice").await;
        tx.set(row, &balance(), read.to_string()).unwrap();
    }
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    assert_eq!(balances(&client, ["bob", "carol"]).await.unwrap(), [5, 5]);
    // A transaction that only reads has nothing to commit.
    let reader = client.begin().await.unwrap();
    read_locked(&reader, "alice").await;
    assert_eq!(reader.commit().await.unwrap().commit, None);
    fixture.wait_until_unlocked().await;
}

pub async fn a_write_conflicts_with_a_read_lock(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    set(&client, &[("alice", 5)]).await;
    let reader = client.begin().await.unwrap();
    read_locked(&reader, "alice").await;
    reader.set("bob", &balance(), "1").unwrap();
    set(&client, &[("alice", 6)]).await;
    assert_eq!(conflict(reader.commit().await.unwrap_err()).cells[0].row, "alice");

    // In the other order a write fails if another transaction has read the cell under a lock since
    // the writer began.
    let writer = client.begin().await.unwrap();
    writer.set("alice", &balance(), "7").unwrap();
    let reader = client.begin().await.unwrap();
    read_locked(&reader, "alice").await;
    reader.set("bob", &balance(), "1").unwrap();
    reader.commit().await.unwrap();
    conflict(writer.commit().await.unwrap_err());
    // A transaction that begins afterwards succeeds.
    set(&client, &[("alice", 8)]).await;
    assert_eq!(balances(&client, ["alice", "bob"]).await.unwrap(), [8, 1]);
    fixture.wait_until_unlocked().await;
}

/// Checks that read locks prevent write skew, and that it occurs without them. Two accounts may be
/// overdrawn as long as their sum is not negative. Each of two transactions reads both and
/// withdraws from one.
pub async fn read_locks_prevent_write_skew(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    for is_locking in [false, true] {
        set(&client, &[("alice", 60), ("bob", 60)]).await;
        let (first, second) = (client.begin().await.unwrap(), client.begin().await.unwrap());
        for (tx, mine, other) in [(&first, "alice", "bob"), (&second, "bob", "alice")] {
            let there = match is_locking {
                true => read_locked(tx, other).await,
                false => super::accounts::read(tx, other).await,
            };
            assert!(super::accounts::read(tx, mine).await + there >= 100);
            tx.set(mine, &balance(), "-40").unwrap();
        }
        let outcomes = [first.commit().await, second.commit().await];
        let committed = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let sum: i64 = balances(&client, ["alice", "bob"]).await.unwrap().iter().sum();
        match is_locking {
            false => assert_eq!((committed, sum), (2, -80)),
            true => assert!(committed <= 1 && sum >= 20, "{outcomes:?}"),
        }
    }
    fixture.wait_until_unlocked().await;
}

/// A method to read two cells under a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Get,
    Columns,
    All,
}

impl Way {
    /// Reads two columns of a row under a lock, and returns their values.
    async fn read(self, tx: &OwnedTransaction, row: &'static str) -> [i64; 2] {
        let locked = tx.with_read_lock();
        let columns = [balance(), limit()];
        let [one, other] = match self {
            Self::Get => [
                locked.get(row, &columns[0]).await.unwrap(),
                locked.get(row, &columns[1]).await.unwrap(),
            ],
            Self::Columns => {
                let found = locked.get_columns(row, &columns).await.unwrap();
                columns.map(|column| found.get(&column).cloned())
            }
            Self::All => {
                let cells = columns.map(|column| RowColumn::new(row, column));
                let found = locked.get_many(cells.clone()).await.unwrap();
                cells.map(|cell| found.get(&cell).cloned())
            }
        };
        [number(one), number(other)]
    }
}

fn limit() -> Column {
    Column::new("account", "limit")
}

/// Checks write skew through each read method, for each of the columns that it reads. One of them
/// has no value: absent cells are locked as well.
pub async fn every_read_method_locks_all_cells_that_it_reads(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    for way in [Way::Get, Way::Columns, Way::All] {
        for written in [balance(), limit()] {
            set(&client, &[("alice", 60), ("bob", 60)]).await;
            client
                .run(async |tx| {
                    tx.delete("alice", &limit())?;
                    tx.delete("bob", &limit())
                })
                .await
                .unwrap();
            let (first, second) = (client.begin().await.unwrap(), client.begin().await.unwrap());
            for (tx, mine, other) in [(&first, "alice", "bob"), (&second, "bob", "alice")] {
                assert_eq!(way.read(tx, other).await, [60, 0], "{way:?}");
                tx.set(mine, &written, "-40").unwrap();
            }
            let outcomes = [first.commit().await, second.commit().await];
            let committed = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
            assert!(committed <= 1, "{way:?}, `{written}` is written: {outcomes:?}");
        }
    }
    fixture.wait_until_unlocked().await;
}

pub async fn a_read_lock_of_a_crashed_client_blocks_no_transaction(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    set(&client, &[("alice", 5)]).await;
    for cut in 1..=4 {
        let table = Arc::new(FaultyTable::new(fixture.table.clone()).cut_off_from_write(cut));
        let crashing = fixture.client_of(table, hasty()).await;
        let tx = crashing.begin().await.unwrap();
        read_locked(&tx, "alice").await;
        tx.set("zoe", &balance(), "1").unwrap();
        drop(tx.commit().await);
        drop(crashing);
        assert!(balances(&client, ["alice"]).await.is_ok());
        set(&client, &[("alice", 6)]).await;
        set(&client, &[("zoe", 6)]).await;
        fixture.wait_until_unlocked().await;
    }
}
