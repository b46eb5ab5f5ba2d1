//! The nodes of an application, and what interrupted calls leave of them.

use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
use fluo_table::{Column, ErrorKind};
use zookeeper_client::{Acls, Client, CreateMode};

use crate::cluster::{CHROOT, applications, cluster, fresh_name, zookeeper};

/// Returns the nodes below a path with their data as text, in the order in which they were created.
/// Nodes that were created in one step are sorted by path.
async fn nodes(zookeeper: &Client, root: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let (data, stat) = zookeeper.get_data(&path).await.unwrap();
        let children = zookeeper.list_children(&path).await.unwrap();
        open.extend(children.iter().map(|child| format!("{path}/{child}")));
        let below = path.strip_prefix(root).unwrap().to_owned();
        found.push((stat.czxid, below, String::from_utf8_lossy(&data).into_owned()));
    }
    found.sort();
    found.into_iter().map(|(_, path, data)| (path, data)).collect()
}

async fn create(zookeeper: &Client, path: &str, data: &str) {
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    zookeeper.create(path, data.as_bytes(), &options).await.unwrap();
}

#[tokio::test]
async fn an_application_has_the_nodes_of_java() {
    let Some(applications) = applications().await else { return };
    let (cluster, name) = (cluster().unwrap(), fresh_name("nodes"));
    let root = format!("{CHROOT}/{name}");
    let zookeeper = zookeeper(cluster).await;
    let observed = ObservedColumn::new(Column::new("s", "strong"), ObserverKind::Strong, "");
    let application = Application::new("5f181dad", &name).observe(observed).set("a", "1");
    applications.initialize(&name, application).await.unwrap();
    let instance = &cluster.site().instance;
    let id = zookeeper.get_data(&format!("/accumulo/instances/{instance}")).await;
    let id = String::from_utf8(id.unwrap().0).unwrap();
    let observers = r#"{"obsProviderClass":"rust","observedColumns":[{"fam":[115],"qual":[115,116,114,111,110,103],"vis":[],"notificationType":"STRONG"}]}"#;
    let mut expected = vec![
        ("", ""),
        ("/config", ""),
        ("/config/accumulo.instance.id", id.as_str()),
        ("/config/accumulo.instance.name", instance),
        ("/config/accumulo.table", &name),
        ("/config/fluo.application.id", "5f181dad"),
        ("/config/fluo.observers2", observers),
        ("/config/format", "1"),
        ("/config/shared.config", "#Shared java props\nfluo.app.a=1\n"),
        ("/oracle", ""),
        ("/oracle/gc-timestamp", "0"),
        ("/oracle/max-timestamp", "2"),
        ("/oracle/server", ""),
    ];
    let as_text = |nodes: &[(&str, &str)]| -> Vec<_> {
        let owned = |(path, data): &(&str, &str)| ((*path).to_owned(), (*data).to_owned());
        nodes.iter().map(owned).collect()
    };
    assert_eq!(nodes(&zookeeper, &root).await, as_text(&expected));

    let coordination = applications.open(&name).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();
    let worker = coordination.join_workers().await.unwrap();
    let at = fluo_table::Timestamp::new(3004).unwrap();
    transactor.publish_oldest_active(Some(at)).await.unwrap();
    expected.extend([
        ("/transactor", ""),
        ("/transactor/nodes", ""),
        ("/transactor/count", "\0\0\0\0\0\0\0\u{1}"),
        ("/transactor/nodes/1", "1"),
        ("/vacancies", ""),
        ("/finders", ""),
        ("/finders/f-0000000000", "7"),
        ("/transactor/timestamps", ""),
        ("/transactor/timestamps/1", "3004"),
    ]);
    assert_eq!(nodes(&zookeeper, &root).await, as_text(&expected));
    drop((transactor, worker));
    applications.remove(&name).await.unwrap();
    assert_eq!(zookeeper.check_stat(&root).await.unwrap(), None);
}

/// Java creates the nodes one after the other, and the table in between.
#[tokio::test]
async fn an_interrupted_initialization_is_named_and_can_be_repeated_or_removed() {
    let Some(applications) = applications().await else { return };
    let zookeeper = zookeeper(cluster().unwrap()).await;
    let (first, second, other) = (fresh_name("half"), fresh_name("half"), fresh_name("other"));
    // Creates the parent of all applications.
    let whole = Application::new("1", fresh_name("whole"));
    applications.initialize(&other, whole).await.unwrap();
    applications.remove(&other).await.unwrap();
    for name in [&first, &second] {
        let root = format!("{CHROOT}/{name}");
        create(&zookeeper, &root, "").await;
        create(&zookeeper, &format!("{root}/config"), "").await;
        create(&zookeeper, &format!("{root}/config/accumulo.table"), name).await;
        assert!(!applications.list().await.unwrap().contains(name));
        for error in [
            applications.open(name).await.unwrap_err(),
            applications.is_running(name).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            assert_eq!(
                error.to_string(),
                format!(
                    "the application `{name}` is incomplete; wait for its creation or removal, or repeat it"
                )
            );
        }
    }
    let error = applications.initialize(&other, Application::new("1", &first)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        error.to_string(),
        format!(
            "the table `{first}` belongs to the incomplete application `{first}`; remove that one, or choose another table"
        )
    );
    applications.initialize(&first, Application::new("1", &first)).await.unwrap();
    assert!(applications.open(&first).await.is_ok());
    for name in [&first, &second] {
        applications.remove(name).await.unwrap();
        assert_eq!(zookeeper.check_stat(&format!("{CHROOT}/{name}")).await.unwrap(), None);
    }
}

#[tokio::test]
async fn observers_of_clients_before_fluo_1_2_are_reported() {
    let Some(applications) = applications().await else { return };
    let zookeeper = zookeeper(cluster().unwrap()).await;
    let name = fresh_name("legacy");
    applications.initialize(&name, Application::new("1", &name)).await.unwrap();
    create(&zookeeper, &format!("{CHROOT}/{name}/config/fluo.observers"), "x").await;
    let coordination = applications.open(&name).await.unwrap();
    let error = coordination.application().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(
        error.to_string(),
        format!(
            "the application `{name}` has observers in the format before Fluo 1.2; initialize it again"
        )
    );
    applications.remove(&name).await.unwrap();
}
