//! The tables in memory, bare and wrapped, pass the conformance suite.

#![cfg(test)]

use std::sync::Arc;

use fluo_table::{Authorizations, MemoryTables, TableAdmin, Versions};
use fluo_tests::{FaultyTables, ManualClock, conformance};

async fn memory() -> (Arc<dyn TableAdmin>, ()) {
    (Arc::new(MemoryTables::new()), ())
}

conformance::suite!(memory);

mod without_faults {
    use super::{Arc, FaultyTables, TableAdmin, conformance, memory};

    async fn faulty() -> (Arc<dyn TableAdmin>, ()) {
        let (memory, ()) = memory().await;
        (Arc::new(FaultyTables::new(memory)), ())
    }

    conformance::suite!(faulty);
}

/// Checks that memory tables write rows together. The rules of T16 do not check a table that
/// cannot.
#[tokio::test]
async fn rows_are_written_together() {
    let tables = MemoryTables::new();
    tables.create_table("t", Versions::All).await.unwrap();
    let table = tables.open_table("t", Authorizations::none()).await;
    assert!(table.unwrap().together().is_some());
}

#[tokio::test]
async fn the_time_of_the_table_advances_when_its_clock_is_set_back() {
    let clock = Arc::new(ManualClock::at(0));
    let tables = Arc::new(MemoryTables::with(clock.clone(), 2));
    let set_clock = |now_ms| clock.set(now_ms);
    conformance::t7_the_time_of_the_table_advances_when_its_clock_is_set_back(tables, set_clock)
        .await;
}

/// Reopens tables in memory as a clone, because there is no other way to reopen them.
#[tokio::test]
async fn a_clone_shares_the_tables() {
    let tables = MemoryTables::new();
    let open = async || Arc::new(tables.clone()) as Arc<dyn TableAdmin>;
    conformance::t5_acknowledged_writes_survive_reopening(open).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_lands_in_the_next_table() {
    conformance::a3_no_write_reaches_the_next_table(Arc::new(MemoryTables::new())).await;
}

#[tokio::test]
async fn one_instance_passes_all_rules_and_is_empty_afterwards() {
    let tables = Arc::new(MemoryTables::new());
    conformance::run_all(tables.clone()).await;
    assert!(tables.tables().await.unwrap().is_empty());
}
