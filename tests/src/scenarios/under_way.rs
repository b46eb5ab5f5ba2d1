//! A table that counts the commits in progress and holds them until it is opened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{Bytes, Change, Mutation, Outcome, Result, Table};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::{Call, Fault, Hooks, Intercepted, Latch};

/// A table that counts a transaction of one row as in progress from its first conditional write,
/// which locks the row, until its second one, which commits it, has returned. The first ones wait
/// until the table is opened.
pub(super) type UnderWayTable = Intercepted<dyn Table, UnderWay>;

/// The hooks of an [`UnderWayTable`].
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    pub(super) latch: Latch,
    counted: watch::Sender<Counted>,
}

/// The transactions in progress, and the maximum so far.
#[derive(Debug, Default)]
struct Counted {
    now: BTreeMap<Bytes, Progress>,
    value_bytes: usize,
    most: Most,
}

/// The progress of the transaction of a row.
#[derive(Debug)]
struct Progress {
    value_bytes: usize,
    is_committing: bool,
}

/// The maximum of concurrent transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Most {
    pub(super) transactions: usize,
    /// The bytes of their values.
    pub(super) value_bytes: usize,
}

/// Wraps a table, whose rows are then written one by one.
pub(super) fn under_way(table: &Arc<dyn Table>) -> Arc<UnderWayTable> {
    let table = Intercepted::with_hooks(table.clone(), UnderWay::default());
    Arc::new(table.row_by_row())
}

impl UnderWay {
    /// Waits until a number of transactions is in progress. Returns `false` if the time is over
    /// first.
    pub(super) async fn reaches(&self, transactions: usize, within: Duration) -> bool {
        let mut counted = self.counted.subscribe();
        let reached = counted.wait_for(|counted| counted.now.len() >= transactions);
        timeout(within, reached).await.is_ok()
    }

    pub(super) fn most(&self) -> Most {
        self.counted.borrow().most
    }

    /// Counts a write of a row. Returns `true` if it is the first one of its transaction.
    fn begins(&self, mutation: &Mutation) -> bool {
        let mut begins = false;
        self.counted.send_modify(|counted| {
            if let Some(progress) = counted.now.get_mut(&mutation.row) {
                progress.is_committing = true;
                return;
            }
            begins = true;
            let progress = Progress { value_bytes: value_bytes(mutation), is_committing: false };
            counted.value_bytes += progress.value_bytes;
            counted.now.insert(mutation.row.clone(), progress);
            let most = &mut counted.most;
            most.transactions = most.transactions.max(counted.now.len());
            most.value_bytes = most.value_bytes.max(counted.value_bytes);
        });
        begins
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
impl Hooks for UnderWay {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if let Call::WriteConditional(mutations) = call {
            let begun = mutations.iter().filter(|one| self.begins(&one.mutation));
            if begun.count() > 0 {
                self.latch.pass().await;
            }
        }
        Ok(None)
    }

    async fn after(&self, call: &Call, _: &mut Result<Vec<Outcome>>) {
        self.counted.send_modify(|counted| {
            for mutation in call.mutations() {
                let of_row = counted.now.get(&mutation.row);
                if let Some(ended) = of_row.filter(|progress| progress.is_committing) {
                    counted.value_bytes -= ended.value_bytes;
                    counted.now.remove(&mutation.row);
                }
            }
        });
    }
}
