//! Hooks at which the calls of a transaction wait.

use async_trait::async_trait;
use fluo_table::Result;
use fluo_tests::{CoordinationCall, Fault, Hooks};

use super::call::Call;
use super::gate::Gate;

/// The hooks of one transaction.
#[derive(Clone, Debug)]
pub(crate) struct Gated {
    pub(crate) gate: Gate,
    pub(crate) transaction: usize,
}

#[async_trait]
impl Hooks for Gated {
    async fn before(&self, call: &fluo_tests::Call) -> Result<Option<Fault>> {
        let call = match call {
            fluo_tests::Call::Scan(scan) => Call::read(scan),
            fluo_tests::Call::Coordination(CoordinationCall::Timestamps(_)) => Call::Timestamp,
            fluo_tests::Call::Coordination(_) => return Ok(None),
            write => Call::write(write.mutations()),
        };
        self.gate.pass(self.transaction, call).await;
        Ok(None)
    }
}
