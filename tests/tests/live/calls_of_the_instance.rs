//! The calls of the proxy about the instance, namespaces and users: each is made on a real
//! server, and its answer or its effect is checked.
//!
//! Each server caches users for a moment, and any server may answer, so the tests wait for changes.

use std::collections::BTreeSet;

use accumulo_proxy::{
    ActiveScan, Bytes, ColumnUpdate, Credentials, ErrorKind, IteratorScope, Mutation,
    NamespacePermission, ProxyClient, ProxyOptions, Result, ScanOptions, SystemPermission,
    TablePermission, TimeType,
};

use crate::calls_of_tables::{GREP, NO_DELETES, grep};
use crate::cluster::{client, cluster};
use crate::ground::{Ground, fails, fresh_name, rows, until};

const PASSWORD: &str = "open-sesame";

#[tokio::test]
async fn the_servers_are_listed_and_answer() -> Result<()> {
    let Some(ground) = Ground::new("scanned").await else { return Ok(()) };
    let instance = ground.client.instance_operations();
    let servers = instance.tablet_servers().await?;
    assert_eq!(servers.len(), cluster().unwrap().tablet_servers().len());
    for server in &servers {
        instance.ping_tablet_server(server).await?;
        instance.active_compactions(server).await?;
    }
    let pinged = instance.ping_tablet_server("localhost:1").await;
    fails(pinged, ErrorKind::Accumulo, "pingTabletServer");

    // More rows than a server sends at once, so that it keeps the scan open.
    let rows = (0..20_000).map(|row| Mutation::new(format!("{row:05}")).put("f", "q", "v"));
    let (low_level, rows) = (ground.client.low_level(), rows.collect::<Vec<_>>());
    low_level.update_and_flush(&ground.table, &rows).await?;
    let options = ScanOptions::default();
    until("the scan is listed", async || {
        // A server drops a scan that is idle for a minute.
        let scanner = low_level.create_scanner(&ground.table, &options).await.unwrap();
        low_level.next_k(&scanner, 10).await.unwrap();
        let is_seen = is_scanned(&ground, &servers).await;
        low_level.close_scanner(&scanner).await.unwrap();
        is_seen
    })
    .await;
    ground.end().await;
    Ok(())
}

async fn is_scanned(ground: &Ground, servers: &[String]) -> bool {
    for server in servers {
        let scans = ground.client.instance_operations().active_scans(server).await;
        // The call fails while a scan is of a deleted table.
        let of_table = |scan: &ActiveScan| {
            scan.table == ground.table && scan.user == "root" && scan.age_ms >= 0
        };
        if scans.is_ok_and(|scans| scans.iter().any(of_table)) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_property_of_the_system_is_set_and_removed() -> Result<()> {
    let Some(client) = client().await else { return Ok(()) };
    let instance = client.instance_operations();
    // The property affects only bulk imports of many files, and so no other test.
    let property = "master.bulk.rename.threadpool.size";
    let value = async || instance.system_configuration().await.unwrap()[property].clone();
    let before = value().await;
    let site = instance.site_configuration().await?;
    assert!(site.keys().any(|name| name.starts_with("instance.")));
    instance.set_property(property, "19").await?;
    until("the property is set", async || value().await == "19").await;
    instance.remove_property(property).await?;
    until("the property is removed", async || value().await == before).await;
    let error = instance.set_property("no.such.property", "1").await.unwrap_err();
    assert_eq!(error.call(), "setProperty");
    let loads = instance.test_class_load(GREP, "java.lang.Object").await?;
    assert!(loads && !instance.test_class_load("no.Such", "java.lang.Object").await?);
    Ok(())
}

#[tokio::test]
async fn a_namespace_is_created_renamed_and_deleted() -> Result<()> {
    let Some(client) = client().await else { return Ok(()) };
    let (namespaces, tables) = (client.namespace_operations(), client.table_operations());
    let predefined = [namespaces.system_namespace().await?, namespaces.default_namespace().await?];
    assert_eq!(predefined, ["accumulo", ""]);
    let [name, new_name] = ["life", "renamed"].map(fresh_name);
    let table = format!("{name}.t");
    let nowhere = tables.create(&table, true, TimeType::Millis).await;
    let reason = fails(nowhere, ErrorKind::Accumulo, "createTable");
    assert_eq!(reason, "Cannot create table in non-existent namespace");
    namespaces.create(&name).await?;
    assert!(namespaces.exists(&name).await? && namespaces.list().await?.contains(&name));
    let id = namespaces.id_map().await?[&name].clone();
    let again = namespaces.create(&name).await;
    fails(again, ErrorKind::NamespaceExists, "createNamespace");

    tables.create(&table, true, TimeType::Millis).await?;
    namespaces.rename(&name, &new_name).await?;
    assert_eq!(namespaces.id_map().await?[&new_name], id);
    let full = namespaces.delete(&new_name).await;
    fails(full, ErrorKind::NamespaceNotEmpty, "deleteNamespace");
    tables.delete(&format!("{new_name}.t")).await?;
    namespaces.delete(&new_name).await?;
    let gone = namespaces.delete(&new_name).await;
    fails(gone, ErrorKind::NamespaceNotFound, "deleteNamespace");
    Ok(())
}

#[tokio::test]
async fn settings_of_a_namespace_hold_for_its_tables() -> Result<()> {
    let Some(client) = client().await else { return Ok(()) };
    let (namespaces, tables) = (client.namespace_operations(), client.table_operations());
    let space = fresh_name("space");
    let table = format!("{space}.t");
    namespaces.create(&space).await?;
    tables.create(&table, true, TimeType::Millis).await?;

    let property = "table.custom.from";
    let has_property = async || tables.properties(&table).await.unwrap().contains_key(property);
    namespaces.set_property(&space, property, "above").await?;
    until("the table has the property", has_property).await;
    assert_eq!(namespaces.properties(&space).await?[property], "above");
    namespaces.remove_property(&space, property).await?;
    until("it is removed", async || !has_property().await).await;

    let low_level = client.low_level();
    let written = ["keep-1", "drop-2"].map(|row| Mutation::new(row).put("f", "q", "v"));
    low_level.update_and_flush(&table, &written).await?;
    let (setting, scan) = (grep("keep"), [IteratorScope::Scan]);
    namespaces.check_iterator_conflicts(&space, &setting, &scan).await?;
    namespaces.attach_iterator(&space, &setting, &scan).await?;
    assert_eq!(namespaces.iterators(&space).await?["grep"], BTreeSet::from(scan));
    let found = namespaces.iterator(&space, "grep", IteratorScope::Scan).await?;
    assert_eq!(found, Some(setting));
    assert_eq!(namespaces.iterator(&space, "other", IteratorScope::Scan).await?, None);
    until("the iterator runs", async || rows(&client, &table).await == ["keep-1"]).await;
    namespaces.remove_iterator(&space, "grep", &scan).await?;
    until("it is gone", async || rows(&client, &table).await.len() == 2).await;

    let number = namespaces.add_constraint(&space, NO_DELETES).await?;
    assert_eq!(namespaces.constraints(&space).await?[NO_DELETES], number);
    // The table was created with a constraint of the same number, which overrides that of the
    // namespace.
    assert_eq!(number, 1);
    assert_ne!(tables.constraints(&table).await?.get(NO_DELETES), Some(&1));
    tables.remove_constraint(&table, 1).await?;
    assert_eq!(tables.constraints(&table).await?[NO_DELETES], 1);
    namespaces.remove_constraint(&space, number).await?;
    assert!(!namespaces.constraints(&space).await?.contains_key(NO_DELETES));

    assert!(namespaces.test_class_load(&space, GREP, "java.lang.Object").await?);
    assert!(!namespaces.test_class_load(&space, "no.Such", "java.lang.Object").await?);
    tables.delete(&table).await?;
    namespaces.delete(&space).await?;
    Ok(())
}

async fn log_in(root: &ProxyClient, user: &str, password: &str) -> Result<ProxyClient> {
    let credentials = Credentials::password(user, password);
    ProxyClient::connect(ProxyOptions::new(&root.options().address, credentials)).await
}

#[tokio::test]
async fn a_user_is_created_logs_in_with_the_password_and_is_dropped() -> Result<()> {
    let Some(root) = client().await else { return Ok(()) };
    let (security, name) = (root.security_operations(), fresh_name("user"));
    security.create_user(&name, PASSWORD).await?;
    until("the user is listed", async || security.users().await.unwrap().contains(&name)).await;
    assert!(!security.authenticate_user(&name, "wrong").await?);
    let again = security.create_user(&name, PASSWORD).await;
    fails(again, ErrorKind::Security, "createLocalUser");
    let error = log_in(&root, &name, "wrong-horse").await.unwrap_err();
    assert!(!format!("{error:?} {error}").contains("wrong-horse"));
    let reason = fails(Err::<(), _>(error), ErrorKind::Security, "login");
    assert!(reason.contains("BAD_CREDENTIALS"), "{reason}");

    let user = log_in(&root, &name, PASSWORD).await?;
    security.change_password(&name, "another").await?;
    until("the new password is known", async || {
        security.authenticate_user(&name, "another").await.unwrap()
    })
    .await;
    until("the old password is refused", async || {
        let refused = user.namespace_operations().list().await;
        refused.is_err_and(|error| error.kind() == ErrorKind::Security)
    })
    .await;
    security.drop_user(&name).await?;
    until("the user is gone", async || !security.users().await.unwrap().contains(&name)).await;
    let gone = security.drop_user(&name).await;
    fails(gone, ErrorKind::Security, "dropLocalUser");
    Ok(())
}

#[tokio::test]
async fn a_user_has_the_granted_permissions_and_authorizations() -> Result<()> {
    let Some(ground) = Ground::new("permissions").await else { return Ok(()) };
    let (root, table) = (&ground.client, ground.table.as_str());
    let (security, namespaces) = (root.security_operations(), root.namespace_operations());
    let [name, space] = ["user", "space"].map(fresh_name);
    let (name, space) = (name.as_str(), space.as_str());
    namespaces.create(space).await?;
    security.create_user(name, PASSWORD).await?;
    let user = log_in(root, name, PASSWORD).await?;
    let hidden =
        [Mutation::new("a").update(ColumnUpdate::put("f", "q", "v").with_visibility("red"))];
    let refused = user.low_level().update_and_flush(table, &hidden).await;
    let reason = fails(refused, ErrorKind::Security, "updateAndFlush");
    assert!(reason.contains("PERMISSION_DENIED"), "{reason}");
    let deleted = user.table_operations().delete(table).await;
    fails(deleted, ErrorKind::Security, "deleteTable");

    let on_system = SystemPermission::CreateTable;
    let on_space = NamespacePermission::CreateTable;
    let on_table = [TablePermission::Read, TablePermission::Write];
    let has = async || {
        let mut has = vec![
            security.has_system_permission(name, on_system).await.unwrap(),
            security.has_namespace_permission(name, space, on_space).await.unwrap(),
        ];
        for permission in on_table {
            let granted = security.has_table_permission(name, table, permission).await;
            has.push(granted.unwrap());
        }
        has
    };
    assert_eq!(has().await, [false; 4]);
    security.grant_system_permission(name, on_system).await?;
    security.grant_namespace_permission(name, space, on_space).await?;
    for permission in on_table {
        security.grant_table_permission(name, table, permission).await?;
    }
    until("the permissions are there", async || has().await == [true; 4]).await;
    until("the user may write", async || {
        let written = user.low_level().update_and_flush(table, &hidden).await;
        written.is_ok()
    })
    .await;
    let missing = security.grant_table_permission(name, "no_such_table", on_table[0]).await;
    fails(missing, ErrorKind::TableNotFound, "grantTablePermission");

    assert_eq!(security.authorizations(name).await?, BTreeSet::new());
    security.change_authorizations(name, ["red", "blue"]).await?;
    let given = BTreeSet::from(["red", "blue"].map(Bytes::from));
    until("the authorizations are there", async || {
        security.authorizations(name).await.unwrap() == given
    })
    .await;
    let (low_level, all) = (user.low_level(), ScanOptions::default());
    until("the user sees red", async || {
        let scanner = low_level.create_scanner(table, &all).await.unwrap();
        let read = low_level.next_k(&scanner, 1).await;
        read.is_ok_and(|batch| batch.entries.len() == 1)
    })
    .await;

    security.revoke_system_permission(name, on_system).await?;
    security.revoke_namespace_permission(name, space, on_space).await?;
    for permission in on_table {
        security.revoke_table_permission(name, table, permission).await?;
    }
    until("the permissions are gone", async || has().await == [false; 4]).await;
    security.drop_user(name).await?;
    namespaces.delete(space).await?;
    ground.end().await;
    Ok(())
}
