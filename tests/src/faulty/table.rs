//! The data port.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_core::{
    CellBatches, ConditionalMutation, Mutation, Outcome, Result, Scan, Table, WriteTogether,
};
use futures::stream::{self, StreamExt};

use super::plan::{unavailable, uncertain};
use super::{Fault, SharedPlan};

#[derive(Debug)]
pub(super) struct FaultyTable {
    pub(super) inner: Arc<dyn Table>,
    pub(super) plan: SharedPlan,
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

    fn together(&self) -> Option<&dyn WriteTogether> {
        self.inner.together().map(|_| self as &dyn WriteTogether)
    }
}

#[async_trait]
impl WriteTogether for FaultyTable {
    async fn write_together(&self, mutations: Vec<ConditionalMutation>) -> Outcome {
        let Some(inner) = self.inner.together() else {
            return Outcome::Refused(unavailable());
        };
        let fault = self.plan.get().writes.next();
        match fault {
            None => inner.write_together(mutations).await,
            Some(Fault::Before) => Outcome::Refused(unavailable()),
            Some(Fault::Lost | Fault::Partial) => Outcome::Unknown(uncertain()),
            Some(Fault::After) => match inner.write_together(mutations).await {
                Outcome::Refused(error) => Outcome::Refused(error),
                _ => Outcome::Unknown(uncertain()),
            },
        }
    }
}
