//! An apply that failed once set `table.balancer`, which the table had from the instance, to that default on the table
//! itself. A later change of the default did not reach the table any more.

#![cfg(test)]

mod servers;

use std::collections::BTreeMap;

use fluo_core::balancer::group_balancers;
use fluo_core::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_core::{MemoryTables, TableAdmin, Versions};
use fluo_recipes::{ApplyError, PlanOptions, RowHasher, TableOptimizations, apply, plan};
use servers::Servers;

const TABLE: &str = "pages";

fn of(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Servers with a default balancer and a default pattern.
fn servers(refused: &'static str) -> Servers {
    let default = "org.apache.accumulo.server.master.balancer.DefaultLoadBalancer";
    Servers {
        tables: MemoryTables::new(),
        loaded: group_balancers().map(|(probe, _)| probe).collect(),
        placed: Vec::new(),
        inherited: BTreeMap::from([of(BALANCER, default), of(GROUP_PATTERN, "(.).*")]),
        refused: Some(refused),
    }
}

async fn fails(servers: &Servers) -> ApplyError {
    let hasher = RowHasher::new("p").unwrap();
    let optimizations = TableOptimizations::of_row_hasher(&hasher, 4).unwrap();
    let plan = plan(servers, TABLE, &optimizations, PlanOptions::default())
        .await
        .unwrap();
    apply(servers, &plan, |_| ()).await.unwrap_err()
}

#[tokio::test]
async fn what_was_inherited_is_inherited_again() {
    let servers = servers(BALANCER);
    servers
        .create_table(TABLE, Versions::default())
        .await
        .unwrap();
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}

#[tokio::test]
async fn what_the_table_set_itself_is_set_again() {
    let servers = servers(GROUP_DEFAULT);
    servers
        .create_table(TABLE, Versions::default())
        .await
        .unwrap();
    servers
        .set_property(TABLE, GROUP_PATTERN, "(own).*")
        .await
        .unwrap();
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}
