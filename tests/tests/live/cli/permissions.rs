//! The permissions that the users of an application need.

use accumulo_proxy::{Credentials, ProxyOptions, SystemPermission, TablePermission};
use fluo_accumulo::AccumuloOptions;
use fluo_engine::{Column, ErrorKind, InstanceExt, Result, Transaction};
use fluo_table::{Authorizations, Instance, Mutation, Scan, Span, TableAdmin};
use fluo_tests::until;
use futures::TryStreamExt;

use super::applications::{Operator, SHORT_PAUSE};
use super::{Fluo, assert_says, name};

const PASSWORD: &str = "password-of-a-worker";
const TEXT: Column = Column::from_static("page", "text");
const LENGTH: Column = Column::from_static("page", "length");

async fn connect(operator: &Operator, user: &str) -> Result<Instance> {
    let proxy = ProxyOptions::new(operator.address(), Credentials::password(user, PASSWORD));
    fluo_accumulo::connect(AccumuloOptions::new(proxy, operator.zookeepers())).await
}

/// Checks whether a user can write to the table, or read from it.
async fn can(operator: &Operator, user: &str, permission: TablePermission) -> bool {
    let fluo = connect(operator, user).await.unwrap();
    let name = operator.application();
    let table = fluo.open_table(name, Authorizations::none()).await.unwrap();
    let done = match permission {
        TablePermission::Write => table.write(vec![Mutation::new("other").put(&LENGTH, "v")]).await,
        _ => table.scan(Scan::over(Span::all())).try_collect::<Vec<_>>().await.map(drop),
    };
    match done {
        Err(error) if error.kind() == ErrorKind::Denied => false,
        done => {
            done.unwrap();
            true
        }
    }
}

/// Loads a page as a user, and lets a worker of that user process it.
async fn work(operator: &Operator, user: &str) -> Result<()> {
    let fluo = connect(operator, user).await?;
    let web = fluo.application(operator.application());
    let web = web.observe(&TEXT, "measure", async |tx: Transaction, page| {
        let length = tx.get(page.clone(), &TEXT).await?.map_or(0, |text| text.len());
        tx.set(page, &LENGTH, length.to_string())
    });
    let client = web.open().await?;
    client.run(async |tx: Transaction| tx.set("row", &TEXT, "a text")).await?;
    let worker = client.worker().start().await?;
    client.wait_until_idle().await?;
    worker.stop().await;
    let length = client.snapshot().await?.get("row", &LENGTH).await?;
    assert_eq!(length.as_deref(), Some(&b"6"[..]));
    Ok(())
}

/// A user needs `READ` and `WRITE` on the table to run a loader and a worker, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_needs_to_read_and_to_write_its_table() {
    use TablePermission::{AlterTable, Read, Write};

    let (Some(operator), Some(admin)) = (Operator::new(), crate::cluster::client().await) else {
        return;
    };
    if admin.options().credentials.user().is_none() {
        // A proxy of Accumulo 2.x has one user.
        return;
    }
    let security = admin.security_operations();
    let init = format!("app init --observe page:text=strong,measure --set {SHORT_PAUSE}");
    operator.run(&init).succeeds();
    let oracle = operator.oracle();
    let table = operator.application();
    for (missing, granted) in [(Write, Read), (Read, Write)] {
        let user = name("user");
        security.create_user(&user, PASSWORD).await.unwrap();
        for permission in [granted, AlterTable] {
            security.grant_table_permission(&user, table, permission).await.unwrap();
        }
        until("the granted permission", async || can(&operator, &user, granted).await).await;
        assert!(!can(&operator, &user, missing).await);
        let denied = work(&operator, &user).await.unwrap_err();
        assert_eq!(denied.kind(), ErrorKind::Denied, "{denied}");
        let lacks = format!("user `{user}` lacks the permission READ or WRITE on table `{table}`");
        assert_says(&denied.to_string(), &lacks);
    }
    let user = name("user");
    security.create_user(&user, PASSWORD).await.unwrap();
    for permission in [Read, Write] {
        security.grant_table_permission(&user, table, permission).await.unwrap();
    }
    // Permissions reach the servers after a moment.
    until("a worker with both permissions", async || match work(&operator, &user).await {
        Err(error) if error.kind() == ErrorKind::Denied => false,
        worked => {
            worked.unwrap();
            true
        }
    })
    .await;
    operator.stop(oracle);
}

/// The user who creates an application needs one permission of the system, and one more for jars.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creating_an_application_needs_create_table() {
    let (Some(operator), Some(admin)) = (Operator::new(), crate::cluster::client().await) else {
        return;
    };
    if admin.options().credentials.user().is_none() {
        return;
    }
    let (security, user) = (admin.security_operations(), name("creator"));
    security.create_user(&user, PASSWORD).await.unwrap();
    let creator = Fluo::new(operator.address(), &user, PASSWORD);
    let creator = Operator::of(creator, operator.application());
    let lacks = format!("user `{user}` lacks the");
    let refused = creator.run("app init").fails();
    assert_says(&refused, &format!("{lacks} permission CREATE_TABLE (system or namespace)"));
    security.grant_system_permission(&user, SystemPermission::CreateTable).await.unwrap();
    until("the permission", async || creator.run("app init").code == Some(0)).await;
    creator.run("app init --clear --yes").succeeds();
    let refused = creator.run("app init --clear --yes --jars file:///a.jar").fails();
    assert_says(&refused, &format!("{lacks} system permission SYSTEM"));
    creator.run("app remove --yes").succeeds();
}
