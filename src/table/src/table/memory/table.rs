//! The data port.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt};

use super::store::Store;
use crate::clock::Clock;
use crate::coordination::PendingCommit;
use crate::data::Authorizations;
use crate::error::{Error, Result};
use crate::locked::locked;
use crate::table::{
    CellBatches, ConditionalMutation, MultiRowWrite, Mutation, Outcome, Scan, Table,
};

#[derive(Debug)]
pub(super) struct MemoryTable {
    pub(super) name: String,
    pub(super) store: Arc<Mutex<Store>>,
    pub(super) authorizations: Authorizations,
    pub(super) clock: Arc<dyn Clock>,
}

impl MemoryTable {
    fn with_store<T>(&self, use_store: impl FnOnce(&mut Store) -> T) -> Result<T> {
        let mut store = locked(&self.store);
        if store.is_deleted {
            return Err(Error::no_such_table(&self.name));
        }
        Ok(use_store(&mut store))
    }
}

#[async_trait]
impl Table for MemoryTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        let size = scan.batch_cells.get();
        let cells = self.with_store(|store| store.scan(&scan, &self.authorizations));
        let batches = match cells {
            Ok(cells) => cells.chunks(size).map(|batch| Ok(batch.to_vec())).collect(),
            Err(error) => vec![Err(error)],
        };
        stream::iter(batches).boxed()
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        mutation.check()
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        mutations.iter().try_for_each(Mutation::check)?;
        let now_ms = self.clock.now_ms();
        self.with_store(|store| {
            let now_ms = store.time_at(now_ms);
            for mutation in mutations {
                store.apply(mutation, now_ms);
            }
        })
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        mutations.iter().try_for_each(|mutation| mutation.check(&self.authorizations))?;
        let now_ms = self.clock.now_ms();
        self.with_store(|store| {
            let now_ms = store.time_at(now_ms);
            let each = mutations.into_iter().map(|mutation| vec![mutation]);
            each.map(|one| store.apply_together(one, &self.authorizations, now_ms)).collect()
        })
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        Some(self)
    }
}

#[async_trait]
impl MultiRowWrite for MemoryTable {
    async fn write_atomically(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
    ) -> Result<Outcome> {
        ConditionalMutation::check_together(&mutations, &self.authorizations)?;
        let now_ms = self.clock.now_ms();
        let outcome = self.with_store(|store| {
            let now_ms = store.time_at(now_ms);
            store.apply_together(mutations, &self.authorizations, now_ms)
        });
        drop(commit);
        outcome
    }
}
