//! A failed apply set `table.balancer`, which the table inherited from the instance, to the
//! inherited value on the table itself. Later changes of the default no longer reached the table.

use std::collections::BTreeMap;

use fluo_keys::{ApplyError, RowHasher};
use fluo_table::TableAdmin;
use fluo_table::table::property::{BALANCER, GROUP_DEFAULT, GROUP_PATTERN};

use crate::servers::Servers;
use crate::{TABLE, table};

fn of(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Returns servers with a default balancer and a default pattern.
async fn servers(refused: &'static str) -> Servers {
    let default = "org.apache.accumulo.server.master.balancer.DefaultLoadBalancer";
    Servers {
        inherited: BTreeMap::from([of(BALANCER, default), of(GROUP_PATTERN, "(.).*")]),
        refused: Some(refused),
        ..Servers::over(table().await)
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
    let servers = servers(BALANCER).await;
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}

#[tokio::test]
async fn restores_a_property_of_the_table() {
    let servers = servers(GROUP_DEFAULT).await;
    servers.set_property(TABLE, GROUP_PATTERN, "(own).*").await.unwrap();
    let before = servers.tables.properties(TABLE).await.unwrap();
    fails(&servers).await;
    assert_eq!(servers.tables.properties(TABLE).await.unwrap(), before);
}
