//! Transactions of a user who may read a table but not write to it.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_engine::{Client, ClientOptions, InstanceExt};
use fluo_table::layout::{DelLockValue, EntryKind, EntryTimestamp, LockValue, WriteValue};
use fluo_table::{
    Authorizations, Bytes, CellBatches, Column, ConditionalMutation, Instance, Mutation, Outcome,
    Result, RowColumn, Scan, Span, Table, TableAdmin, Timestamp,
};
use fluo_tests::STUCK;
use futures::TryStreamExt;
use tokio::time::timeout;

use crate::fake::Fake;
use crate::servers::{OLD, PAGES};

/// A table in memory, whose writes go to a proxy that denies them as Accumulo does.
#[derive(Debug)]
struct ReadOnly {
    entries: Arc<dyn Table>,
    proxy: Arc<dyn Table>,
}

#[async_trait]
impl Table for ReadOnly {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.entries.scan(scan)
    }

    fn is_remote(&self) -> bool {
        self.proxy.is_remote()
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        self.proxy.check_mutation(mutation)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.proxy.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        self.proxy.write_conditional(mutations).await
    }
}

fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

fn stamp(kind: EntryKind, number: u64) -> i64 {
    EntryTimestamp::new(kind, at(number)).encode()
}

fn column() -> Column {
    Column::new("f", "q")
}

fn written(start: u64) -> Bytes {
    WriteValue { start: at(start), is_primary: true, is_delete: false }.encode()
}

/// Returns the rows that a crashed transaction left: it began at 5, wrote `new` over `old`, and
/// only its primary is decided.
fn left_by_a_crash(owner: &Client, rows: usize, is_committed: bool) -> Vec<Mutation> {
    let lock = LockValue {
        primary: RowColumn::new("primary", column()),
        transactor: owner.transactor(),
        is_write: true,
        is_delete: false,
        is_trigger: false,
    };
    let rolled_back =
        DelLockValue { is_rolled_back: true, is_primary: true, done: Timestamp::ZERO };
    let primary = Mutation::new("primary");
    let primary = match is_committed {
        true => primary.put_at(column(), stamp(EntryKind::Write, 6), written(5)).put_at(
            column(),
            stamp(EntryKind::Data, 5),
            "new",
        ),
        false => primary.put_at(column(), stamp(EntryKind::DelLock, 5), rolled_back.encode()),
    };
    let others = (0..rows).map(|number| {
        Mutation::new(format!("row {number:04}"))
            .put_at(column(), stamp(EntryKind::Lock, 5), lock.encode())
            .put_at(column(), stamp(EntryKind::Data, 5), "new")
            .put_at(column(), stamp(EntryKind::Write, 3), written(2))
            .put_at(column(), stamp(EntryKind::Data, 2), "old")
    });
    others.chain([primary]).collect()
}

/// Reads all rows as a user without `WRITE`. Returns the values of all rows except the primary, and
/// the proxy.
async fn read(rows: usize, is_committed: bool) -> (Vec<Bytes>, Fake) {
    let fluo = Instance::in_memory();
    fluo.application(PAGES).initialize().await.unwrap();
    let open = async |table: Arc<dyn Table>| {
        let coordination = fluo.applications().open(PAGES).await.unwrap();
        let settings = ClientOptions::new();
        Client::open(table, coordination, settings).await.unwrap()
    };
    let entries = fluo.open_table(PAGES, Authorizations::none());
    let entries = entries.await.unwrap();
    let owner = open(entries.clone()).await;
    let left = left_by_a_crash(&owner, rows, is_committed);
    entries.write(left).await.unwrap();
    for _ in 0..20 {
        drop(owner.begin().await.unwrap());
    }

    let (fake, servers) = OLD.start().await;
    let proxy = servers.open_table(PAGES, Authorizations::none());
    let proxy = proxy.await.unwrap();
    let reader = open(Arc::new(ReadOnly { entries, proxy })).await;
    let snapshot = reader.snapshot().await.unwrap();
    let scan = Scan::over(Span::prefix("row "));
    let cells = timeout(STUCK, snapshot.scan(scan).try_concat());
    let cells = cells.await.expect("the reader waits").unwrap();
    (cells.into_iter().map(|cell| cell.value).collect(), fake)
}

/// Covers a bug: a user without `WRITE` read two rolled-back locks at once. A denied call of
/// two rows does not tell whether a row was written, so the reader sent it again and again, and
/// failed with `Unavailable` after `max_elapsed` (a minute), although it had read that the
/// transaction was rolled back. With one lock it read the old value at once.
#[tokio::test]
async fn reads_past_locks_that_the_user_may_not_remove_without_a_wait() {
    for rows in [1, 2, 700] {
        for (is_committed, value) in [(false, "old"), (true, "new")] {
            let (values, fake) = read(rows, is_committed).await;
            assert_eq!(values, vec![Bytes::from(value); rows]);
            // The conditional writer splits many rows into a few calls. A plain write of few rows
            // travels with it first.
            let most = match (is_committed, rows) {
                (false, rows) => [1 + rows / 100, 0],
                (true, 1 | 2) => [1, 1],
                (true, _) => [0, 1],
            };
            let calls = ["updateRowsConditionally", "updateAndFlush"].map(|call| fake.count(call));
            let is_within = calls.iter().zip(most).all(|(calls, most)| *calls <= most);
            assert!(is_within, "{rows} rows: {calls:?}");
            assert_ne!(calls, [0, 0]);
        }
    }
}
