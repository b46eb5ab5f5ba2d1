//! Behavior of the ports on a real Accumulo beyond the rules that all tables share.

use std::time::{Duration, Instant};

use accumulo_proxy::{Credentials, ProxyClient, SystemPermission};
use fluo_accumulo::AccumuloTables;
use fluo_table::balancer::{BalancerClass, group_balancers};
use fluo_table::table::property::BALANCER;
use fluo_table::{Authorizations, ErrorKind, TableAdmin, Versions};
use fluo_tests::STUCK;

use crate::cli::name;
use crate::cluster::{client, cluster, settings, tables};

/// Long for calls that take milliseconds, but far below the limits of waiting.
const SOON: Duration = Duration::from_secs(25);

#[tokio::test]
async fn refuses_a_table_in_a_missing_namespace() {
    let Some(tables) = tables().await else { return };
    let name = format!("no_such_space.{}", name("t"));
    let refused = tables.create_table(&name, Versions::All).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    let expected =
        format!("table `{name}` cannot be created: there is no namespace `no_such_space`");
    assert_eq!(refused.to_string(), expected);
}

#[tokio::test]
async fn an_empty_value_removes_a_property() {
    let Some(tables) = tables().await else { return };
    let name = name("empty_value");
    tables.create_table(&name, Versions::All).await.unwrap();
    tables.set_property(&name, "table.custom.x", "v").await.unwrap();
    let begin = Instant::now();
    tables.set_property(&name, "table.custom.x", "").await.unwrap();
    assert!(begin.elapsed() < SOON);
    let properties = tables.properties(&name).await.unwrap();
    assert_eq!(properties.get("table.custom.x"), None);
    tables.delete_table(&name).await.unwrap();
}

#[tokio::test]
async fn a_table_inherits_the_balancer_of_the_instance() {
    let Some(tables) = tables().await else { return };
    let name = name("inherits");
    tables.create_table(&name, Versions::All).await.unwrap();
    let inherited = tables.inherited_properties(&name).await.unwrap();
    assert_eq!(BalancerClass::from_name(&inherited[BALANCER]), BalancerClass::ByCount);
    let (_, by_group) = group_balancers().last().unwrap();
    tables.set_property(&name, BALANCER, &by_group).await.unwrap();
    assert_eq!(tables.inherited_properties(&name).await.unwrap(), inherited);
    assert_eq!(tables.properties(&name).await.unwrap()[BALANCER], by_group);
    tables.delete_table(&name).await.unwrap();
}

#[tokio::test]
async fn finds_the_servers_of_system_tablets() {
    let Some(tables) = tables().await else { return };
    let begin = Instant::now();
    let metadata = tables.tablets("accumulo.metadata").await.unwrap();
    assert!(metadata.as_slice().iter().all(|tablet| tablet.server.is_some()));
    let root = tables.tablets("accumulo.root").await.unwrap_err();
    assert_eq!(root.kind(), ErrorKind::Invalid, "{root}");
    let gone = tables.tablets(&name("never_was")).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound, "{gone}");
    assert!(begin.elapsed() < SOON);
}

#[tokio::test]
async fn denies_an_authorization_that_the_user_does_not_hold() {
    let Some(tables) = tables().await else { return };
    let name = name("not_held");
    tables.create_table(&name, Versions::All).await.unwrap();
    let labels = Authorizations::from_iter(["A", "unheld"]);
    let denied = tables.open_table(&name, labels).await.unwrap_err();
    assert_eq!(denied.kind(), ErrorKind::Denied);
    assert_eq!(denied.to_string(), "user `root` does not hold the authorization `unheld`");
    tables.delete_table(&name).await.unwrap();
}

#[tokio::test]
async fn denies_a_user_whose_password_was_changed() {
    let Some(administrator) = client().await else { return };
    let user = name("changed_password");
    let security = administrator.security_operations();
    security.create_user(&user, "before").await.unwrap();
    security.grant_system_permission(&user, SystemPermission::CreateTable).await.unwrap();

    let settings = settings(cluster().unwrap());
    let settings = settings.credentials(Credentials::password(&user, "before"));
    let tables = AccumuloTables::new(ProxyClient::connect(settings).await.unwrap());
    let table = format!("{user}_table");
    tables.create_table(&table, Versions::All).await.unwrap();
    security.change_password(&user, "after").await.unwrap();
    let begin = Instant::now();
    let denied = loop {
        match tables.splits(&table).await {
            // The change reaches the servers after a moment.
            Ok(_) => assert!(begin.elapsed() < STUCK),
            Err(error) => break error,
        }
    };
    assert_eq!(denied.kind(), ErrorKind::Denied, "{denied}");
    assert!(denied.to_string().contains("BAD_CREDENTIALS"), "{denied}");
    assert!(!denied.to_string().contains("before"), "{denied}");
    administrator.table_operations().delete(&table).await.unwrap();
    security.drop_user(&user).await.unwrap();
}
