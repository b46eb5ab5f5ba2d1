//! The reference is checked too, against tables that compute every answer from a log of all writes.

#![cfg(test)]

mod naive;

use std::sync::Arc;

use fluo_table::{MemoryTables, TableAdmin};
use fluo_tests::conformance::{self, Workload};
use naive::NaiveTables;

mod model {
    use super::{Arc, NaiveTables, TableAdmin, conformance};

    async fn naive() -> (Arc<dyn TableAdmin>, ()) {
        (Arc::new(NaiveTables::default()), ())
    }

    /// Generates all rules except those of transactions, because the model does not support their
    /// entries. The filters and the garbage of transactions are separate functions, with their own
    /// tests, which also compare them with real iterators.
    macro_rules! rules_of_tables {
        ([$open:expr]) => {};
        ([$open:expr] transactions::$rule:ident, $($rest:tt)*) => {
            rules_of_tables!([$open] $($rest)*);
        };
        ([$open:expr] $module:ident::$rule:ident, $($rest:tt)*) => {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let (tables, ()) = $open().await;
                conformance::rule(stringify!($rule)).run(tables).await;
            }
            rules_of_tables!([$open] $($rest)*);
        };
    }

    fluo_tests::__for_each_rule!(rules_of_tables, naive);
}

#[tokio::test]
async fn memory_agrees_with_a_naive_model() {
    for seed in 0..100 {
        let memory = Arc::new(MemoryTables::new());
        let naive = Arc::new(NaiveTables::default());
        let workload = Workload { seed, operations: 300 };
        conformance::agree(memory, naive, workload).await;
    }
}
