//! Backups of the nodes of an application.

use fluo_accumulo::{StoredNode, ZooKeeperOptions, back_up_application, restore_application};
use fluo_table::ErrorKind;
use fluo_table::coordination::Application;
use fluo_tests::until;
use fluo_zookeeper::Operation;
use zookeeper_client::{Acls, CreateMode};

use crate::ground::{Ground, NAME, Process, TABLE};

fn zookeeper(process: &Process) -> ZooKeeperOptions {
    ZooKeeperOptions::new(format!("{}/fluo", process.link.address()))
}

async fn back_up(process: &Process) -> Vec<StoredNode> {
    back_up_application(&zookeeper(process), NAME).await.unwrap()
}

async fn wait_until_stopped(process: &Process) {
    until("the end of the application", async || {
        !process.applications.is_running(NAME).await.unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_application_has_the_nodes_of_the_backup() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize_with(&[("limit", "3")]).await;
    let coordination = process.open().await;
    let transactor = coordination.begin_transactor().await.unwrap();
    let worker = coordination.join_workers().await.unwrap();
    let refused = back_up_application(&zookeeper(&process), NAME).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the application `web` is running; stop its clients and workers first"
    );
    drop((transactor, worker));
    wait_until_stopped(&process).await;
    let epoch = coordination.begin_epoch(None).await.unwrap();
    // An oracle that waits.
    let candidate = "/oracle/server/_c_1-lock-0000000000";
    let path = format!("/fluo/web{candidate}");
    let ephemeral = CreateMode::Ephemeral.with_acls(Acls::anyone_all());
    ground.client.create(&path, b"host:1", &ephemeral).await.unwrap();

    let nodes = back_up(&process).await;
    let paths: Vec<_> = nodes.iter().map(|node| node.path.as_str()).collect();
    assert!(paths.is_sorted() && paths.contains(&"/transactor/count"), "{paths:?}");
    assert!(paths.contains(&"") && paths.contains(&"/oracle/server"), "{paths:?}");
    assert!(!paths.contains(&candidate), "{paths:?}");

    let restored = restore_application(&zookeeper(&process), NAME, nodes.clone()).await;
    let error = restored.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    ground.client.delete(&path, None).await.unwrap();
    process.applications.remove(NAME).await.unwrap();
    let taken = Application::new("2", TABLE);
    process.applications.initialize("other", taken).await.unwrap();
    let restored = restore_application(&zookeeper(&process), NAME, nodes.clone()).await;
    assert_eq!(restored.unwrap_err().kind(), ErrorKind::AlreadyExists, "it takes the table");
    process.applications.remove("other").await.unwrap();

    restore_application(&zookeeper(&process), NAME, nodes.clone()).await.unwrap();
    assert_eq!(back_up(&process).await, nodes);
    let coordination = process.open().await;
    let application = coordination.application().await.unwrap();
    assert_eq!((&*application.id, &*application.settings["limit"]), ("1", "3"));
    coordination.check_epoch(Some(&epoch)).await.unwrap();
    let later = coordination.begin_transactor().await.unwrap();
    assert_eq!(later.id().0, 2, "no number is given twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_of_no_application_are_not_restored() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let nodes = back_up(&process).await;
    process.applications.remove(NAME).await.unwrap();
    let without = |path: &str| {
        let left = nodes.iter().filter(|node| node.path != path);
        left.cloned().collect::<Vec<_>>()
    };
    let with = |path: &str, data: &'static str| {
        let mut nodes = without(path);
        nodes.push(StoredNode { path: path.to_owned(), data: data.into() });
        nodes
    };
    let lacks =
        |path: &str| format!("the nodes of application `web` lack `{path}`; use another backup");
    for (nodes, sentence) in [
        (without("/config/shared.config"), lacks("/config/shared.config")),
        (without("/oracle"), lacks("/oracle")),
        (without("/config/accumulo.table"), "there is no data at `/config/accumulo.table`".to_owned()),
        (
            with("/config/../x", ""),
            lacks("/config/.."),
        ),
        (
            with("/config/..", ""),
            "`/config/..` is not the path of a node; use another backup".to_owned(),
        ),
        (without(""), lacks("/")),
        (
            [nodes.clone(), nodes.clone()].concat(),
            "the nodes of application `web` have `/` twice; use another backup".to_owned(),
        ),
        (
            with("/config/accumulo.instance.id", "another"),
            "the backup of application `web` is of the Accumulo instance `another`; this ZooKeeper has `instance-1`"
                .to_owned(),
        ),
        (
            with("config", ""),
            "`config` is not the path of a node; use another backup".to_owned(),
        ),
        (
            with("/config/format", "2"),
            "a later version of this library has used application `web`, in format `2`; update this program"
                .to_owned(),
        ),
    ] {
        let error = restore_application(&zookeeper(&process), NAME, nodes).await.unwrap_err();
        assert_eq!(error.to_string(), sentence);
        assert!(process.applications.list().await.unwrap().is_empty());
    }
}

/// A client of Java has no locks. The answer that the nodes of the backup were created is lost, and
/// another application of the name is there when the restore looks.
#[tokio::test(flavor = "multi_thread")]
async fn a_restore_whose_answer_is_lost_is_not_mistaken_for_the_application_of_another_client() {
    const MARK: &str = "/fluo/web/config/shared.config";
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let nodes = back_up(&process).await;
    let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
    for is_foreign in [false, true] {
        process.applications.remove(NAME).await.unwrap();
        let restorer = ground.process().await;
        restorer.link.lose_answer(Operation::Multi, MARK);
        let options = zookeeper(&restorer);
        let restore = restore_application(&options, NAME, nodes.clone());
        let replace = async {
            restorer.link.wait_for_cut().await;
            for node in nodes.iter().rev().filter(|_| is_foreign) {
                ground.client.delete(&format!("/fluo/web{}", node.path), None).await.unwrap();
            }
            for StoredNode { path, data } in nodes.iter().filter(|_| is_foreign) {
                let data = if path.ends_with("/fluo.application.id") { b"2" } else { &data[..] };
                let path = format!("/fluo/web{path}");
                ground.client.create(&path, data, &persistent).await.unwrap();
            }
            restorer.link.resume();
        };
        let (restored, ()) = tokio::join!(restore, replace);
        let id = process.open().await.application().await.unwrap().id;
        let expected = match is_foreign {
            true => {
                Err("the application `web` is already initialized; open it, or remove it first")
            }
            false => Ok(()),
        };
        let restored = restored.map_err(|error| error.to_string());
        assert_eq!(restored, expected.map_err(str::to_owned));
        assert_eq!(id, if is_foreign { "2" } else { "1" });
    }
}
