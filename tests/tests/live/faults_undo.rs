//! A step fails on a table that inherits its balancer from its namespace. The undo restores the
//! inheritance.

use std::sync::Arc;

use fluo_accumulo::AccumuloTables;
use fluo_keys::{ApplyError, RowHasher, Step};
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT};
use fluo_table::{Bytes, TableAdmin, Versions};
use fluo_tests::{Fault, FaultyTables};

use crate::cli::assert_says;
use crate::faults_ground::is_as_wanted;
use crate::ground::{fresh_name, until};

/// Properties that the table inherits at first.
const BEFORE: [(&str, &str); 2] = [
    (GROUP_DEFAULT, "before"),
    (BALANCER, "org.apache.accumulo.server.master.balancer.DefaultLoadBalancer"),
];
/// Properties that the table inherits later.
const AFTER: [(&str, &str); 2] = [
    (GROUP_DEFAULT, "after"),
    (BALANCER, "org.apache.accumulo.server.master.balancer.ChaoticLoadBalancer"),
];

async fn set(tables: &AccumuloTables, namespace: &str, properties: [(&str, &str); 2]) {
    let operations = tables.client().namespace_operations();
    for (name, value) in properties {
        operations.set_property(namespace, name, value).await.unwrap();
    }
}

async fn shows(tables: &AccumuloTables, table: &str, properties: [(&str, &str); 2]) {
    until("the table shows what it inherits", async || {
        let found = tables.properties(table).await.unwrap();
        let is_so =
            |(name, value): &(&str, &str)| found.get(*name).is_some_and(|found| found == value);
        properties.iter().all(is_so)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undo_restores_inherited_properties() {
    let Some(tables) = crate::cluster::tables().await else { return };
    let namespace = fresh_name("undo");
    let operations = tables.client().namespace_operations();
    operations.create(&namespace).await.unwrap();
    set(&tables, &namespace, BEFORE).await;
    let table = format!("{namespace}.pages");
    tables.create_table(&table, Versions::default()).await.unwrap();
    shows(&tables, &table, BEFORE).await;
    tables.add_splits(&table, &[Bytes::from("a")].into()).await.unwrap();

    let optimizations = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    let plan = optimizations.plan(&tables, &table).prune(true).await.unwrap();
    // Split points, pattern, default group, balancer, and the removal of superfluous split points.
    assert_eq!(plan.steps().len(), 5);
    assert!(matches!(plan.steps()[4], Step::RemoveSplits(_)));
    for (call, fault) in [(3, Fault::Before), (3, Fault::After), (4, Fault::Before)] {
        let faulty = FaultyTables::new(Arc::new(tables.clone())).fail_call(call, fault);
        let error = plan.apply(&faulty).await.unwrap_err();
        let ApplyError::Failed { number, left, .. } = &error else { panic!("{error}") };
        assert_eq!((*number, left.kept.len()), (call + 1, 0), "{error}");
        assert_says(
            &error.to_string(),
            &format!("everything was undone, table `{table}` is as it was before"),
        );
        assert_eq!(tables.splits(&table).await.unwrap(), ["a"]);
        // The table itself has none of these properties, so it follows its namespace.
        set(&tables, &namespace, AFTER).await;
        shows(&tables, &table, AFTER).await;
        set(&tables, &namespace, BEFORE).await;
        shows(&tables, &table, BEFORE).await;
    }
    plan.apply(&tables).await.unwrap();
    is_as_wanted(&tables, &table, &optimizations).await;
    tables.delete_table(&table).await.unwrap();
    operations.delete(&namespace).await.unwrap();
}
