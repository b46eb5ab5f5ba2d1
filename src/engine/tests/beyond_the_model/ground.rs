//! An application in memory, and the entries that a server leaves in a column.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use fluo::admin::{Initialization, initialize};
use fluo::{Client, ClientOptions};
use fluo_table::coordination::{Applications, MemoryApplications};
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue, WriteValue};
use fluo_table::{
    Authorizations, CellBatches, Column, ConditionalMutation, Error, ErrorKind, MemoryTables,
    Mutation, Outcome, Result, RowColumn, Scan, Table, TableAdmin, Timestamp,
};
use tokio::sync::watch;

pub(crate) struct Ground {
    pub(crate) tables: MemoryTables,
    pub(crate) applications: MemoryApplications,
    pub(crate) table: Arc<dyn Table>,
}

impl Ground {
    pub(crate) async fn new() -> Self {
        let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
        let web = Initialization::new("1", "web");
        initialize(&tables, &applications, "web", web)
            .await
            .unwrap();
        let table = tables.open_table("web", Authorizations::none());
        let table = table.await.unwrap();
        Self {
            tables,
            applications,
            table,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_on(self.table.clone()).await
    }

    pub(crate) async fn client_on(&self, table: Arc<dyn Table>) -> Client {
        let web = self.applications.open("web").await.unwrap();
        Client::open(table, web, ClientOptions::new())
            .await
            .unwrap()
    }

    /// Returns a client whose timestamps are later than all entries of these tests.
    pub(crate) async fn client_after_20(&self) -> Client {
        let client = self.client().await;
        for _ in 0..20 {
            drop(client.begin().await.unwrap());
        }
        client
    }

    pub(crate) async fn write(&self, mutations: Vec<Mutation>) {
        self.table.write(mutations).await.unwrap();
    }
}

pub(crate) fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

pub(crate) fn stamp(kind: EntryKind, number: u64) -> i64 {
    EntryTimestamp::new(kind, at(number)).encode()
}

pub(crate) fn text() -> Column {
    Column::new("page", "text")
}

pub(crate) fn length() -> Column {
    Column::new("page", "length")
}

pub(crate) fn committed(start: u64, is_primary: bool) -> fluo_table::Bytes {
    WriteValue {
        start: at(start),
        is_primary,
        is_delete: false,
    }
    .encode()
}

/// Returns the lock of a strong observer of `r page:text` by this client: of that cell, or of one
/// that the observer writes.
pub(crate) fn lock(owner: &Client, is_write: bool) -> fluo_table::Bytes {
    LockValue {
        primary: RowColumn::new("r", text()),
        transactor: owner.transactor(),
        is_write,
        is_delete: false,
        is_trigger: !is_write,
    }
    .encode()
}

/// A table whose writes wait from a certain one on, or are denied.
#[derive(Debug)]
pub(crate) struct Gated {
    inner: Arc<dyn Table>,
    calls: AtomicUsize,
    /// The number of spans of all scans; a cell is one span.
    spans: AtomicUsize,
    /// The number of writes before the first that waits.
    let_through: usize,
    is_denied: bool,
    open: watch::Sender<bool>,
}

impl Gated {
    /// Creates a table that lets this number of writes through; later ones wait.
    pub(crate) fn after(let_through: usize, inner: &Arc<dyn Table>) -> Arc<Self> {
        Arc::new(Self {
            inner: inner.clone(),
            calls: AtomicUsize::new(0),
            spans: AtomicUsize::new(0),
            let_through,
            is_denied: false,
            open: watch::Sender::new(false),
        })
    }

    /// Creates a table that denies every write.
    pub(crate) fn denied(inner: &Arc<dyn Table>) -> Arc<Self> {
        Arc::new(Self {
            inner: inner.clone(),
            calls: AtomicUsize::new(0),
            spans: AtomicUsize::new(0),
            let_through: 0,
            is_denied: true,
            open: watch::Sender::new(true),
        })
    }

    /// Waits until a write waits.
    pub(crate) async fn wait_until_stalled(&self) {
        while self.calls.load(Ordering::SeqCst) <= self.let_through {
            tokio::task::yield_now().await;
        }
    }

    /// Returns the number of writes and the number of scanned spans.
    pub(crate) fn asked(&self) -> (usize, usize) {
        let count = |calls: &AtomicUsize| calls.load(Ordering::SeqCst);
        (count(&self.calls), count(&self.spans))
    }

    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    async fn gate(&self) -> Result<()> {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        if self.is_denied {
            let message = "user `reader` has no permission `WRITE` on table `web`";
            return Err(Error::new(ErrorKind::Denied, message));
        }
        if calls >= self.let_through {
            let mut open = self.open.subscribe();
            open.wait_for(|open| *open).await.unwrap();
        }
        Ok(())
    }
}

#[async_trait]
impl Table for Gated {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.spans.fetch_add(scan.spans().len(), Ordering::SeqCst);
        self.inner.scan(scan)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.gate().await?;
        self.inner.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        self.gate().await?;
        self.inner.write_conditional(mutations).await
    }
}
