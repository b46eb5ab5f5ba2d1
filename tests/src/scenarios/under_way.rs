//! A table that counts the commits in progress and holds them until it is opened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{
    Bytes, CellBatches, Change, ConditionalMutation, Mutation, Outcome, Result, Scan, Table,
};
use tokio::sync::watch;
use tokio::time::timeout;

/// A table that counts a transaction of one row as in progress from its first conditional write,
/// which locks the row, until its second one, which commits it, has returned. The first ones wait
/// until the table is opened.
#[derive(Debug)]
pub(super) struct UnderWayTable {
    inner: Arc<dyn Table>,
    counted: watch::Sender<Counted>,
    is_open: watch::Sender<bool>,
}

/// The transactions in progress, and the maximum so far.
#[derive(Debug, Default)]
struct Counted {
    /// The bytes of the values of each row.
    now: BTreeMap<Bytes, usize>,
    value_bytes: usize,
    most: Most,
}

/// The maximum of concurrent transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Most {
    pub(super) transactions: usize,
    /// The bytes of their values.
    pub(super) value_bytes: usize,
}

impl UnderWayTable {
    pub(super) fn new(inner: Arc<dyn Table>) -> Self {
        Self {
            inner,
            counted: watch::Sender::default(),
            is_open: watch::Sender::new(false),
        }
    }

    /// Waits until a number of transactions is in progress. Returns `false` if the time is over
    /// first.
    pub(super) async fn reaches(&self, transactions: usize, within: Duration) -> bool {
        let mut counted = self.counted.subscribe();
        let reached = counted.wait_for(|counted| counted.now.len() >= transactions);
        timeout(within, reached).await.is_ok()
    }

    /// Releases all waiting calls, and all later ones.
    pub(super) fn open(&self) {
        self.is_open.send_replace(true);
    }

    pub(super) fn most(&self) -> Most {
        self.counted.borrow().most
    }

    fn begin(&self, locking: &Mutation) {
        let bytes = value_bytes(locking);
        self.counted.send_modify(|counted| {
            counted.now.insert(locking.row.clone(), bytes);
            counted.value_bytes += bytes;
            let most = &mut counted.most;
            most.transactions = most.transactions.max(counted.now.len());
            most.value_bytes = most.value_bytes.max(counted.value_bytes);
        });
    }

    fn is_under_way(&self, row: &Bytes) -> bool {
        self.counted.borrow().now.contains_key(row)
    }
}

fn value_bytes(locking: &Mutation) -> usize {
    let value = |update: &fluo_table::Update| {
        let stamp = EntryTimestamp::decode(update.timestamp?)?;
        match &update.change {
            Change::Put(value) if stamp.kind == EntryKind::Data => Some(value.len()),
            _ => None,
        }
    };
    locking.updates.iter().filter_map(value).sum()
}

#[async_trait]
impl Table for UnderWayTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.inner.scan(scan)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        self.inner.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let rows: Vec<Bytes> = mutations.iter().map(|it| it.mutation.row.clone()).collect();
        if rows.iter().all(|row| self.is_under_way(row)) {
            let outcomes = self.inner.write_conditional(mutations).await;
            self.counted.send_modify(|counted| {
                for row in &rows {
                    counted.value_bytes -= counted.now.remove(row).unwrap_or_default();
                }
            });
            return outcomes;
        }
        for locking in &mutations {
            self.begin(&locking.mutation);
        }
        let mut is_open = self.is_open.subscribe();
        is_open.wait_for(|is_open| *is_open).await.unwrap();
        self.inner.write_conditional(mutations).await
    }
}
