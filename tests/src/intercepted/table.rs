//! The data port.

use std::future::Future;

use async_trait::async_trait;
use fluo_table::coordination::PendingCommit;
use fluo_table::{
    CellBatches, ConditionalMutation, MultiRowWrite, Mutation, Outcome, Result, Scan, Table,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::{Call, Fault, Hooks, Intercepted, unavailable, uncertain};

impl<P: ?Sized, H: Hooks> Intercepted<P, H> {
    /// Makes a write, or applies its fault.
    async fn write_with(
        &self,
        call: Call,
        work: impl Future<Output = Result<Vec<Outcome>>>,
    ) -> Result<Vec<Outcome>> {
        let mut answer = match self.hooks.before(&call).await? {
            None => work.await,
            Some(Fault::Before) => Err(unavailable()),
            Some(Fault::Lost | Fault::Partial) => lost(&call),
            Some(Fault::After) => match work.await {
                Ok(_) => lost(&call),
                error => error,
            },
        };
        self.hooks.after(&call, &mut answer).await;
        answer
    }
}

/// Returns the answer of a write whose answer is lost.
fn lost(call: &Call) -> Result<Vec<Outcome>> {
    let outcomes = match call {
        Call::WriteConditional(mutations) => mutations.len(),
        Call::WriteAtomically(_) => 1,
        _ => return Err(uncertain()),
    };
    Ok(vec![Outcome::Unknown(uncertain()); outcomes])
}

#[async_trait]
impl<P: Table + ?Sized + 'static, H: Hooks> Table for Intercepted<P, H> {
    fn scan(&self, scan: Scan) -> CellBatches {
        let (inner, hooks, call) =
            (self.inner.clone(), self.hooks.clone(), Call::Scan(scan.clone()));
        let (opened, scan) = (scan.clone(), scan);
        let batches = async move {
            match hooks.before(&call).await? {
                None => Ok(inner.scan(opened)),
                Some(_) => Err(unavailable()),
            }
        };
        let batches = stream::once(batches).try_flatten().boxed();
        self.hooks.batches(&scan, batches)
    }

    fn is_remote(&self) -> bool {
        !self.is_local && (self.is_row_by_row || self.inner.is_remote())
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        self.inner.check_mutation(mutation)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let call = Call::Write(mutations.clone());
        let work = async { self.inner.write(mutations).await.map(|()| Vec::new()) };
        self.write_with(call, work).await.map(drop)
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        let call = Call::WriteConditional(mutations.clone());
        let work = self.inner.write_conditional(mutations);
        self.write_with(call, work).await
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        let inner = self.inner.together().filter(|_| !self.is_row_by_row);
        inner.map(|_| self as &dyn MultiRowWrite)
    }
}

#[async_trait]
impl<P: Table + ?Sized + 'static, H: Hooks> MultiRowWrite for Intercepted<P, H> {
    async fn write_atomically(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
    ) -> Result<Outcome> {
        let inner = self.inner.together().ok_or_else(unavailable)?;
        let call = Call::WriteAtomically(mutations.clone());
        let work = async { Ok(vec![inner.write_atomically(mutations, commit).await?]) };
        let mut outcomes = self.write_with(call, work).await?;
        outcomes.pop().ok_or_else(unavailable)
    }
}
