//! The application `web` in `embedded:d`, opened by the test itself. Meanwhile no command can open
//! it.

#![allow(dead_code, reason = "each scenario uses a part of it")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::{Client, ClientOptions};
use fluo_table::coordination::{
    Applications, Coordination, FailedNotification, ObserverKind, TransactorId,
};
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue};
use fluo_table::{
    Authorizations, Column, ErrorKind, Mutation, RowColumn, Table, TableAdmin, Timestamp,
};
use fluo_tests::STUCK;

use crate::command::Place;

/// The observed columns are `page:text` (strong, `count`) and `page:links` (weak, `export`).
pub(crate) const INIT: &str = "app init --at embedded:d --observe page:text=strong,count \
                               --observe page:links=weak,export web";

/// The application and its table.
pub(crate) struct Web {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
}

/// Creates a place with the application, without data.
pub(crate) fn place() -> Place {
    let place = Place::new();
    place.runs(INIT);
    place
}

/// Returns the number of stored entries of the table.
pub(crate) fn entries(place: &Place) -> u64 {
    let shown = place.fluo("table show --at embedded:d --json web").json();
    shown["tablets"][0]["entries"].as_u64().unwrap()
}

impl Web {
    pub(crate) async fn open(place: &Place) -> Self {
        Self::of(&EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap()).await
    }

    async fn of(tables: &EmbeddedTables) -> Self {
        let labels = Authorizations::from_iter(["eu"]);
        Self {
            table: tables.open_table("web", labels).await.unwrap(),
            coordination: tables.applications().open("web").await.unwrap(),
        }
    }

    /// Opens the application as soon as the command that checks it from time to time closes it.
    pub(crate) async fn open_when_free(place: &Place) -> Self {
        let start = Instant::now();
        while start.elapsed() < STUCK {
            match EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()) {
                Ok(tables) => return Self::of(&tables).await,
                Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the directory is held all the time");
    }

    pub(crate) async fn client(&self) -> Client {
        let (table, coordination) = (self.table.clone(), self.coordination.clone());
        Client::open(table, coordination, ClientOptions::new()).await.unwrap()
    }

    /// Sets cells in one transaction.
    pub(crate) async fn set(&self, cells: &[(&'static [u8], Column, &'static [u8])]) {
        let client = self.client().await;
        client
            .run(async |tx| {
                cells.iter().try_for_each(|(row, column, value)| tx.set(*row, column, *value))
            })
            .await
            .unwrap();
    }

    /// Writes the lock of a transaction whose process crashed before the commit, and returns its
    /// start timestamp.
    pub(crate) async fn crash_locking(&self, row: &'static str, column: &Column) -> Timestamp {
        let transactor = self.coordination.begin_transactor().await.unwrap();
        let crashed = transactor.id();
        let start = self.coordination.timestamps(std::num::NonZeroU32::MIN);
        let start = start.await.unwrap().first;
        let primary = RowColumn::new(row, column.clone());
        let mutation = Mutation::new(row)
            .put_at(
                column.clone(),
                stamp(EntryKind::Lock, start.get()),
                lock(primary, crashed).encode(),
            )
            .put_at(column.clone(), stamp(EntryKind::Data, start.get()), "of the crashed");
        self.table.write(vec![mutation]).await.unwrap();
        start
    }
}

/// Returns the lock of a transaction that sets its cell.
pub(crate) fn lock(primary: RowColumn, transactor: TransactorId) -> LockValue {
    LockValue { primary, transactor, is_write: true, is_delete: false, is_trigger: false }
}

/// Returns a notification whose observer failed four times.
pub(crate) fn failed(row: &'static str, column: Column, error: &str) -> FailedNotification {
    FailedNotification {
        cell: RowColumn::new(row, column),
        kind: ObserverKind::Strong,
        timestamp: at(17),
        tries: 4,
        error: error.to_owned(),
        failed_at_ms: 1_767_225_599_900,
    }
}

pub(crate) fn at(timestamp: u64) -> Timestamp {
    Timestamp::new(timestamp).unwrap()
}

pub(crate) fn stamp(kind: EntryKind, timestamp: u64) -> i64 {
    EntryTimestamp::new(kind, at(timestamp)).encode()
}

pub(crate) fn page(qualifier: &'static str) -> Column {
    Column::new("page", qualifier)
}
