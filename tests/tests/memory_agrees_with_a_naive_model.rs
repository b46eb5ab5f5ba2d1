//! The reference is checked too: against tables that work every answer out from a log of all writes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a model of a test panics where it fails, and its modules are all there is to it"
)]

mod naive;

use std::sync::Arc;

use fluo_core::{MemoryTables, TableAdmin};
use fluo_tests::conformance::{self, Workload};
use naive::NaiveTables;

mod model {
    use super::{Arc, NaiveTables, TableAdmin, conformance};

    async fn naive() -> (Arc<dyn TableAdmin>, ()) {
        (Arc::new(NaiveTables::default()), ())
    }

    conformance::suite!(naive);
}

#[tokio::test]
async fn memory_agrees_with_a_naive_model() {
    for seed in 0..100 {
        let memory = Arc::new(MemoryTables::new());
        let naive = Arc::new(NaiveTables::default());
        let workload = Workload {
            seed,
            operations: 300,
        };
        conformance::agree(memory, naive, workload).await;
    }
}
