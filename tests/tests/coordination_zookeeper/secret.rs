//! Applications with a secret.

use fluo_accumulo::ZooKeeperOptions;
use fluo_table::ErrorKind;
use fluo_table::coordination::Application;
use zookeeper_client::{Client, Error};

use crate::cluster::{cluster, connect, fresh_name, options, zookeeper};

/// Returns the access list of a node as text.
async fn access(zookeeper: &Client, path: &str) -> Vec<String> {
    let (entries, _) = zookeeper.get_acl(path).await.unwrap();
    let entries = entries.iter();
    let texts = entries.map(|acl| format!("{}:{} {}", acl.scheme(), acl.id(), acl.permission()));
    texts.collect()
}

#[tokio::test]
async fn only_clients_with_the_secret_have_access_except_to_the_horizon() {
    let Some(cluster) = cluster() else { return };
    let (chroot, name) = (format!("/{}", fresh_name("secret")), fresh_name("web"));
    let address = format!("{}{chroot}", cluster.site().zookeepers);
    let with_secret = |secret| ZooKeeperOptions::new(&address).secret(secret);
    let applications = connect(options(cluster, with_secret("s3cr3t"))).await;
    applications.initialize(&name, Application::new("1", &name)).await.unwrap();
    let coordination = applications.open(&name).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();

    let plain = zookeeper(cluster).await;
    let root = format!("{chroot}/{name}");
    let horizon = format!("{root}/oracle/gc-timestamp");
    assert_eq!(plain.get_data(&horizon).await.unwrap().0, b"0");
    for path in [&chroot, &root, &format!("{root}/transactor/nodes/1")] {
        assert_eq!(plain.get_data(path).await.unwrap_err(), Error::NoAuth, "{path}");
    }
    plain.auth("digest", b"fluo:s3cr3t").await.unwrap();
    let digest = "digest:fluo:CVqRvFBASOW4lJ2acbAmHd/58XA= ALL";
    assert_eq!(access(&plain, &root).await, [digest]);
    assert_eq!(access(&plain, &chroot).await, [digest]);
    assert_eq!(access(&plain, &horizon).await, ["world:anyone READ", digest]);

    for other in [options(cluster, &address), options(cluster, with_secret("other"))] {
        let error = connect(other).await.open(&name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.to_string().contains("the applications have a secret"), "{error}");
    }
    drop(transactor);
    applications.remove(&name).await.unwrap();
    plain.delete(&chroot, None).await.unwrap();
}
