//! Operations on the instance.

use std::time::Duration;

use accumulo_proxy::{ActiveScan, ErrorKind, Mutation, ProxyClient, ScanColumn, ScanOptions};
use tokio::time::sleep;

use crate::cluster::{client, cluster};
use crate::ground::{Ground, until};

const LOOK_EVERY: Duration = Duration::from_millis(100);

#[tokio::test]
async fn the_tablet_servers_are_listed_and_answer() {
    let Some(client) = client().await else { return };
    let instance = client.instance_operations();
    let servers = instance.tablet_servers().await.unwrap();
    assert_eq!(servers.len(), cluster().unwrap().tablet_servers().len());
    for server in &servers {
        instance.ping_tablet_server(server).await.unwrap();
        scans(&client, server).await;
        instance.active_compactions(server).await.unwrap();
    }
    let error = instance
        .ping_tablet_server("localhost:1")
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "pingTabletServer"),
        "{error}"
    );
    assert_eq!(error.subject(), Some("localhost:1"));
}

#[tokio::test]
async fn a_property_of_the_system_is_set_and_removed() {
    let Some(client) = client().await else { return };
    let instance = client.instance_operations();
    // The property affects only bulk imports of many files, and so no other test.
    let property = "master.bulk.rename.threadpool.size";
    let before = instance.system_configuration().await.unwrap()[property].clone();
    let site = instance.site_configuration().await.unwrap();
    assert!(
        site.keys().any(|name| name.starts_with("instance.")),
        "{:?}",
        site.keys()
    );
    let value = async || instance.system_configuration().await.unwrap()[property].clone();

    instance.set_property(property, "19").await.unwrap();
    until("the property is set", async || value().await == "19").await;
    instance.remove_property(property).await.unwrap();
    until("the property is removed", async || value().await == before).await;

    let error = instance
        .set_property("no.such.property", "1")
        .await
        .unwrap_err();
    assert_eq!(error.call(), "setProperty");
    assert_eq!(error.subject(), Some("no.such.property"));
}

#[tokio::test]
async fn checks_whether_the_servers_load_a_class() {
    let Some(client) = client().await else { return };
    let instance = client.instance_operations();
    let package = "org.apache.accumulo.server.master.balancer";
    let loads = async |class: &str| {
        let class = format!("{package}.{class}");
        instance
            .test_class_load(&class, "java.lang.Object")
            .await
            .unwrap()
    };
    assert!(loads("TableLoadBalancer").await);
    // The class is there, but its constructor takes an argument.
    assert!(!loads("RegexGroupBalancer").await);
    assert!(!loads("NoSuchBalancer").await);
}

#[tokio::test]
async fn lists_a_scan_on_its_server() {
    let Some(ground) = Ground::new("scanned").await else {
        return;
    };
    // More rows than a server sends at once, so that it keeps the scan open.
    let rows = (0..20_000).map(|row| Mutation::new(format!("{row:05}")).put("family", "q", "v"));
    let rows: Vec<_> = rows.collect();
    let low_level = ground.client.low_level();
    low_level
        .update_and_flush(&ground.table, &rows)
        .await
        .unwrap();
    let options = ScanOptions::default().column(ScanColumn::family("family"));
    let scanner = low_level
        .create_scanner(&ground.table, &options)
        .await
        .unwrap();
    let mut is_seen = false;
    // The scan is continued from time to time, because a server drops a scan that is idle for a
    // minute.
    while low_level.next_k(&scanner, 10).await.unwrap().more {
        is_seen = is_seen || is_scanned(&ground).await;
        let more = if is_seen { 10_000 } else { 1 };
        low_level.next_k(&scanner, more).await.unwrap();
        sleep(if is_seen { Duration::ZERO } else { LOOK_EVERY }).await;
    }
    assert!(is_seen);
    low_level.close_scanner(&scanner).await.unwrap();
    ground.end().await;
}

async fn is_scanned(ground: &Ground) -> bool {
    let instance = ground.client.instance_operations();
    for server in instance.tablet_servers().await.unwrap() {
        for scan in scans(&ground.client, &server).await {
            if scan.table == ground.table {
                assert_eq!(scan.user, "root");
                assert_eq!(scan.columns[0].0, "family");
                assert!(scan.extent.is_some() && scan.age_ms >= 0, "{scan:?}");
                return true;
            }
        }
    }
    false
}

/// Returns the scans of a server. The list is empty while a scan is of a deleted table, because the
/// call then fails.
async fn scans(client: &ProxyClient, server: &str) -> Vec<ActiveScan> {
    match client.instance_operations().active_scans(server).await {
        Ok(scans) => scans,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TableNotFound, "{error}");
            Vec::new()
        }
    }
}
