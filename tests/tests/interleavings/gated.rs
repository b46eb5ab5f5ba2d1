//! A table and a coordination behind a gate.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::coordination::{
    Application, Coordination, FailedNotification, TimestampBlock, Transactor, TransactorId,
    WorkerMembership,
};
use fluo_table::{
    CellBatches, ConditionalMutation, MultiRowWrite, Mutation, Outcome, Result, RowColumn, Scan,
    Table, Timestamp,
};
use futures::stream::{self, StreamExt};

use super::call::Call;
use super::gate::Gate;

#[derive(Debug)]
pub(crate) struct GatedTable {
    pub(crate) inner: Arc<dyn Table>,
    pub(crate) gate: Gate,
    pub(crate) transaction: usize,
}

#[async_trait]
impl Table for GatedTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        let (gate, transaction, inner) = (self.gate.clone(), self.transaction, self.inner.clone());
        stream::once(async move {
            gate.pass(transaction, Call::read(&scan)).await;
            inner.scan(scan)
        })
        .flatten()
        .boxed()
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let call = Call::write(&mutations);
        self.gate.pass(self.transaction, call).await;
        self.inner.write(mutations).await
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let call = Call::write(mutations.iter().map(|conditional| &conditional.mutation));
        self.gate.pass(self.transaction, call).await;
        self.inner.write_conditional(mutations).await
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        self.inner.together().map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for GatedTable {
    async fn write_atomically(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome> {
        let call = Call::write(mutations.iter().map(|conditional| &conditional.mutation));
        self.gate.pass(self.transaction, call).await;
        let inner = self.inner.together().unwrap();
        inner.write_atomically(mutations).await
    }
}

#[derive(Debug)]
pub(crate) struct GatedCoordination {
    pub(crate) inner: Arc<dyn Coordination>,
    pub(crate) gate: Gate,
    pub(crate) transaction: usize,
}

#[async_trait]
impl Coordination for GatedCoordination {
    async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        self.gate.pass(self.transaction, Call::Timestamp).await;
        self.inner.timestamps(count).await
    }

    async fn horizon(&self) -> Result<Timestamp> {
        self.inner.horizon().await
    }

    async fn advance_horizon(&self) -> Result<Timestamp> {
        self.inner.advance_horizon().await
    }

    async fn begin_transactor(&self) -> Result<Box<dyn Transactor>> {
        self.inner.begin_transactor().await
    }

    async fn is_alive(&self, transactor: TransactorId) -> Result<bool> {
        self.inner.is_alive(transactor).await
    }

    async fn join_workers(&self) -> Result<Box<dyn WorkerMembership>> {
        self.inner.join_workers().await
    }

    async fn add_dead_letter(&self, failed: FailedNotification) -> Result<()> {
        self.inner.add_dead_letter(failed).await
    }

    async fn dead_letters(&self) -> Result<Vec<FailedNotification>> {
        self.inner.dead_letters().await
    }

    async fn remove_dead_letter(&self, cell: &RowColumn, up_to: Timestamp) -> Result<bool> {
        self.inner.remove_dead_letter(cell, up_to).await
    }

    async fn application(&self) -> Result<Application> {
        self.inner.application().await
    }

    async fn begin_epoch(&self, found: Option<&str>) -> Result<String> {
        self.inner.begin_epoch(found).await
    }

    async fn update_settings(&self, settings: BTreeMap<String, String>) -> Result<()> {
        self.inner.update_settings(settings).await
    }
}
