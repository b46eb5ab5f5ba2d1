//! A failed apply set `table.balancer`, which the table inherited from the instance, to the
//! inherited value on the table itself. Later changes of the default no longer reached the table.

#![cfg(test)]

mod servers;

use std::collections::BTreeMap;

use fluo_keys::{ApplyError, RowHasher};
use fluo_table::balancer::group_balancers;
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};
use fluo_table::{MemoryTables, TableAdmin, Versions};
use servers::Servers;

const TABLE: &str = "pages";

fn of(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Returns servers with a default balancer and a default pattern.
fn servers(refused: &'static str) -> Servers {
    let default = "org.apache.accumulo.server.master.balancer.DefaultLoadBalancer";
    Servers {
        tables: MemoryTables::new(),
        loaded: group_balancers().map(|(probe, _)| probe).collect(),
        placed: Vec::new(),
        inherited: BTreeMap::from([of(BALANCER, default), of(GROUP_PATTERN, "(.).*")]),
        refused: Some(refused),
        is_unreadable: false,
    }
}

async fn fails(servers: &Servers) -> ApplyError {
    let hasher = RowHasher::new("p").unwrap();
    let optimizations = hasher.table_optimizations(4).unwrap();
    let plan = optimizations.plan(servers, TABLE).await.unwrap();
    plan.apply(servers).await.unwrap_err()
}

#[tokio::test]
async fn restores_an_inherited_property() {
    let servers = servers(BALANCER);
    servers.create_table(TABLE, Versions::default()).await.unwrap();
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}

#[tokio::test]
async fn restores_a_property_of_the_table() {
    let servers = servers(GROUP_DEFAULT);
    servers.create_table(TABLE, Versions::default()).await.unwrap();
    servers.set_property(TABLE, GROUP_PATTERN, "(own).*").await.unwrap();
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}
