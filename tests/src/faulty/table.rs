//! The data port.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_table::{
    CellBatches, ConditionalMutation, MultiRowWrite, Mutation, Outcome, Result, Scan, Table,
};
use futures::stream::{self, StreamExt};

use super::plan::{unavailable, uncertain};
use super::{Fault, SharedPlan};

#[derive(Debug)]
pub(super) struct FaultyTable {
    pub(super) inner: Arc<dyn Table>,
    pub(super) plan: SharedPlan,
    pub(super) is_row_by_row: bool,
}

#[async_trait]
impl Table for FaultyTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        let fault = self.plan.get().scans.next();
        let batches = self.inner.scan(scan);
        match fault {
            None => batches,
            Some(count) => {
                let end = stream::once(async { Err(unavailable()) });
                batches.take(count).chain(end).boxed()
            }
        }
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let fault = self.plan.get().writes.next();
        match fault {
            None => self.inner.write(mutations).await,
            Some(Fault::Before) => Err(unavailable()),
            Some(Fault::Lost | Fault::Partial) => Err(uncertain()),
            Some(Fault::After) => {
                self.inner.write(mutations).await?;
                Err(uncertain())
            }
        }
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let fault = self.plan.get().writes.next();
        let unknown = vec![Outcome::Unknown(uncertain()); mutations.len()];
        match fault {
            None => self.inner.write_conditional(mutations).await,
            Some(Fault::Before) => Err(unavailable()),
            Some(Fault::Lost | Fault::Partial) => Ok(unknown),
            Some(Fault::After) => {
                self.inner.write_conditional(mutations).await?;
                Ok(unknown)
            }
        }
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        let inner = self.inner.together().filter(|_| !self.is_row_by_row);
        inner.map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl MultiRowWrite for FaultyTable {
    async fn write_atomically(&self, mutations: Vec<ConditionalMutation>) -> Result<Outcome> {
        let inner = self.inner.together().ok_or_else(unavailable)?;
        let fault = self.plan.get().writes.next();
        match fault {
            None => inner.write_atomically(mutations).await,
            Some(Fault::Before) => Err(unavailable()),
            Some(Fault::Lost | Fault::Partial) => Ok(Outcome::Unknown(uncertain())),
            Some(Fault::After) => {
                inner.write_atomically(mutations).await?;
                Ok(Outcome::Unknown(uncertain()))
            }
        }
    }
}
