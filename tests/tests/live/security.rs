//! Operations on users: an administrator grants permissions, and another client uses them.
//!
//! Each server caches users for a moment, and any server may answer, so the tests wait for changes.

use std::collections::BTreeSet;

use accumulo_proxy::{
    Bytes, ColumnUpdate, Credentials, ErrorKind, Mutation, NamespacePermission, NextBatch,
    ProxyClient, ProxyOptions, ScanOptions, SystemPermission, TablePermission, TimeType,
};

use crate::cluster::client;
use crate::ground::{Ground, entries, fresh_name, until};

const PASSWORD: &str = "open-sesame";

/// A user without permissions, and a client that is logged in as that user.
struct User {
    root: ProxyClient,
    name: String,
    client: ProxyClient,
}

impl User {
    async fn new(root: &ProxyClient) -> Self {
        let name = fresh_name("user");
        root.security_operations()
            .create_user(&name, PASSWORD)
            .await
            .unwrap();
        let client = log_in(root, &name, PASSWORD).await.unwrap();
        Self {
            root: root.clone(),
            name,
            client,
        }
    }

    async fn end(self) {
        self.root
            .security_operations()
            .drop_user(&self.name)
            .await
            .unwrap();
    }
}

async fn log_in(
    root: &ProxyClient,
    user: &str,
    password: &str,
) -> Result<ProxyClient, accumulo_proxy::Error> {
    let credentials = Credentials::password(user, password);
    ProxyClient::connect(ProxyOptions::new(root.options().address(), credentials)).await
}

#[tokio::test]
async fn a_user_is_created_logs_in_with_the_password_and_is_dropped() {
    let Some(root) = client().await else { return };
    let security = root.security_operations();
    let name = fresh_name("user");
    security.create_user(&name, PASSWORD).await.unwrap();
    until("the user is listed", async || {
        security.users().await.unwrap().contains(&name)
    })
    .await;
    until("the password is known", async || {
        security.authenticate_user(&name, PASSWORD).await.unwrap()
    })
    .await;
    assert!(!security.authenticate_user(&name, "wrong").await.unwrap());
    let again = security.create_user(&name, PASSWORD).await.unwrap_err();
    assert_eq!(
        (again.kind(), again.call()),
        (ErrorKind::Security, "createLocalUser"),
        "{again}"
    );

    let error = log_in(&root, &name, "wrong-horse").await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Security, "login"),
        "{error}"
    );
    assert_eq!(error.subject(), Some(name.as_str()));
    assert!(error.reason().contains("BAD_CREDENTIALS"), "{error}");
    assert!(!format!("{error:?} {error}").contains("wrong-horse"));

    let user = log_in(&root, &name, PASSWORD).await.unwrap();
    security.change_password(&name, "another").await.unwrap();
    until("the new password is known", async || {
        security.authenticate_user(&name, "another").await.unwrap()
    })
    .await;
    until("the old password is refused", async || {
        let refused = user.namespace_operations().list().await;
        refused.is_err_and(|error| error.kind() == ErrorKind::Security)
    })
    .await;

    security.drop_user(&name).await.unwrap();
    until("the user is gone", async || {
        !security.users().await.unwrap().contains(&name)
    })
    .await;
    let error = security.drop_user(&name).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Security, "dropLocalUser"),
        "{error}"
    );
    assert!(error.reason().contains("USER_DOESNT_EXIST"), "{error}");
}

#[tokio::test]
async fn a_user_reads_and_writes_a_table_with_permission() {
    let Some(ground) = Ground::new("table_permissions").await else {
        return;
    };
    let (security, table) = (ground.client.security_operations(), ground.table.as_str());
    let user = User::new(&ground.client).await;
    let name = user.name.as_str();
    assert!(
        !security
            .has_table_permission(name, table, TablePermission::Write)
            .await
            .unwrap()
    );
    let mutation = [Mutation::new("a").put("f", "q", "v")];
    let low_level = user.client.low_level();
    let error = low_level
        .update_and_flush(table, &mutation)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security, "{error}");
    // Accumulo sometimes counts the refusal twice, and then the effect of the write is uncertain.
    assert!(!error.may_have_taken_effect() || !error.reason().ends_with("# exceptions 0"));
    assert!(error.reason().contains("PERMISSION_DENIED"), "{error}");
    let error = first(&user.client, table).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Security, "nextK"),
        "{error}"
    );
    let error = user
        .client
        .table_operations()
        .delete(table)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Security, "deleteTable"),
        "{error}"
    );
    assert!(error.reason().contains("PERMISSION_DENIED"), "{error}");
    assert!(!error.may_have_taken_effect());

    for permission in [TablePermission::Read, TablePermission::Write] {
        security
            .grant_table_permission(name, table, permission)
            .await
            .unwrap();
        until("the permission is there", async || {
            security
                .has_table_permission(name, table, permission)
                .await
                .unwrap()
        })
        .await;
    }
    until("the user may write", async || {
        low_level.update_and_flush(table, &mutation).await.is_ok()
    })
    .await;
    assert_eq!(ground.rows().await, ["a"]);
    until("the user may read", async || {
        first(&user.client, table).await.is_ok()
    })
    .await;
    let read = entries(&user.client, table, &ScanOptions::default()).await;
    assert_eq!(read.len(), 1);

    security
        .revoke_table_permission(name, table, TablePermission::Write)
        .await
        .unwrap();
    until("the permission is gone", async || {
        let may = security.has_table_permission(name, table, TablePermission::Write);
        !may.await.unwrap()
    })
    .await;
    until("the user may no longer write", async || {
        let written = low_level.update_and_flush(table, &mutation).await;
        written.is_err_and(|error| error.reason().contains("PERMISSION_DENIED"))
    })
    .await;
    let permission = TablePermission::Read;
    let error = security
        .grant_table_permission(name, "no_such_table", permission)
        .await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::TableNotFound);
    user.end().await;
    ground.end().await;
}

/// Returns the first entry of a table.
async fn first(client: &ProxyClient, table: &str) -> Result<NextBatch, accumulo_proxy::Error> {
    let low_level = client.low_level();
    let scanner = low_level
        .create_scanner(table, &ScanOptions::default())
        .await?;
    low_level.next_k(&scanner, 1).await
}

#[tokio::test]
async fn a_user_creates_tables_with_permission() {
    let Some(root) = client().await else { return };
    let security = root.security_operations();
    let user = User::new(&root).await;
    let (name, may) = (user.name.as_str(), SystemPermission::CreateTable);
    let (tables, table) = (user.client.table_operations(), fresh_name("created"));
    assert!(!security.has_system_permission(name, may).await.unwrap());
    let error = tables
        .create(&table, true, TimeType::Millis)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Security, "createTable"),
        "{error}"
    );

    security.grant_system_permission(name, may).await.unwrap();
    until("the permission is there", async || {
        security.has_system_permission(name, may).await.unwrap()
    })
    .await;
    until("the user may create a table", async || {
        tables.create(&table, true, TimeType::Millis).await.is_ok()
    })
    .await;
    until("the table exists", async || {
        root.table_operations().exists(&table).await.unwrap()
    })
    .await;
    security.revoke_system_permission(name, may).await.unwrap();
    until("the permission is gone", async || {
        !security.has_system_permission(name, may).await.unwrap()
    })
    .await;
    root.table_operations().delete(&table).await.unwrap();
    user.end().await;
}

#[tokio::test]
async fn a_user_works_in_a_namespace_with_permission() {
    let Some(root) = client().await else { return };
    let (security, namespaces) = (root.security_operations(), root.namespace_operations());
    let user = User::new(&root).await;
    let (name, may) = (user.name.as_str(), NamespacePermission::CreateTable);
    let namespace = fresh_name("space");
    namespaces.create(&namespace).await.unwrap();
    let table = format!("{namespace}.t");
    let tables = user.client.table_operations();
    assert!(
        !security
            .has_namespace_permission(name, &namespace, may)
            .await
            .unwrap()
    );
    let error = tables
        .create(&table, true, TimeType::Millis)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security, "{error}");

    security
        .grant_namespace_permission(name, &namespace, may)
        .await
        .unwrap();
    until("the permission is there", async || {
        security
            .has_namespace_permission(name, &namespace, may)
            .await
            .unwrap()
    })
    .await;
    until("the user may create a table there", async || {
        tables.create(&table, true, TimeType::Millis).await.is_ok()
    })
    .await;
    security
        .revoke_namespace_permission(name, &namespace, may)
        .await
        .unwrap();
    until("the permission is gone", async || {
        let may = security.has_namespace_permission(name, &namespace, may);
        !may.await.unwrap()
    })
    .await;
    root.table_operations().delete(&table).await.unwrap();
    namespaces.delete(&namespace).await.unwrap();
    user.end().await;
}

#[tokio::test]
async fn authorizations_make_cells_visible_to_a_user() {
    let Some(ground) = Ground::new("authorizations").await else {
        return;
    };
    let (security, table) = (ground.client.security_operations(), ground.table.as_str());
    let user = User::new(&ground.client).await;
    let read = TablePermission::Read;
    security
        .grant_table_permission(&user.name, table, read)
        .await
        .unwrap();
    let hidden = Mutation::new("a").update(ColumnUpdate::put("f", "q", "v").with_visibility("red"));
    ground
        .client
        .low_level()
        .update_and_flush(table, &[hidden])
        .await
        .unwrap();

    assert_eq!(
        security.authorizations(&user.name).await.unwrap(),
        BTreeSet::new()
    );
    let all = ScanOptions::default();
    until("the user may read", async || {
        first(&user.client, table).await.is_ok()
    })
    .await;
    assert_eq!(entries(&user.client, table, &all).await.len(), 0);
    security
        .change_authorizations(&user.name, ["red", "blue"])
        .await
        .unwrap();
    let given = BTreeSet::from(["red", "blue"].map(Bytes::from));
    until("the authorizations are there", async || {
        security.authorizations(&user.name).await.unwrap() == given
    })
    .await;
    until("the user sees red", async || {
        entries(&user.client, table, &all).await.len() == 1
    })
    .await;
    user.end().await;
    ground.end().await;
}
