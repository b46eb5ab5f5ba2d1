//! Backups of an application with a secret, on a server that checks access lists. Its clients have
//! no identity but the secret, because every other one would have access to the nodes too.

use std::sync::Arc;

use fluo_accumulo::{ZooKeeperOptions, back_up_application, restore_application};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{Error, ErrorKind};
use zookeeper_client::Client;

use crate::ground::{Ground, NAME, Protection, TABLE};

const PLAIN: Protection = Protection { authorities: None, has_certificate: false, password: None };

#[track_caller]
fn assert_denied(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    let reason = "the applications have a secret that this client lacks, or another one";
    assert!(error.to_string().ends_with(reason), "{error}");
}

async fn applications(ground: &Ground, zookeeper: &ZooKeeperOptions) -> Arc<dyn Applications> {
    let options = ground.options_with(zookeeper.clone());
    fluo_accumulo::connect(options).await.unwrap().applications().clone()
}

/// Returns the access list of a node as text.
async fn access(client: &Client, path: &str) -> Vec<String> {
    let (entries, _) = client.get_acl(path).await.unwrap();
    let entries = entries.iter();
    let texts = entries.map(|acl| format!("{}:{} {}", acl.scheme(), acl.id(), acl.permission()));
    texts.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_application_has_the_secret_of_the_restore() {
    let Some(ground) = Ground::open_to_all().await else { return };
    let open = ground.zookeeper(&PLAIN);
    let (own, other) = (open.clone().secret("s3cr3t"), open.clone().secret("other"));
    let created = applications(&ground, &own).await;
    created.initialize(NAME, Application::new("1", TABLE)).await.unwrap();
    let nodes = back_up_application(&own, NAME).await.unwrap();
    let denies_reads = async |zookeeper: &ZooKeeperOptions| {
        assert_denied(&back_up_application(zookeeper, NAME).await.unwrap_err());
        let applications = applications(&ground, zookeeper).await;
        assert_denied(&applications.open(NAME).await.unwrap_err());
    };
    denies_reads(&open).await;
    denies_reads(&other).await;
    created.remove(NAME).await.unwrap();

    // The nodes above the application keep its secret.
    for lacking in [&open, &other] {
        assert_denied(&restore_application(lacking, NAME, nodes.clone()).await.unwrap_err());
    }
    assert!(created.list().await.unwrap().is_empty());
    restore_application(&own, NAME, nodes.clone()).await.unwrap();
    assert_eq!(back_up_application(&own, NAME).await.unwrap(), nodes);
    denies_reads(&open).await;

    let elsewhere = ground.zookeeper_at("/elsewhere", &PLAIN).secret("new");
    restore_application(&elsewhere, NAME, nodes.clone()).await.unwrap();
    assert_eq!(back_up_application(&elsewhere, NAME).await.unwrap(), nodes);
    let connector =
        Client::connector().with_auth("digest", b"fluo:s3cr3t").with_auth("digest", b"fluo:new");
    let client = connector.connect(&ground.server.plain()).await.unwrap();
    let mut digests = Vec::new();
    for root in ["/fluo", "/elsewhere"] {
        let digest = access(&client, root).await;
        assert!(matches!(&digest[..], [own] if own.starts_with("digest:fluo:")), "{digest:?}");
        for node in &nodes {
            let is_public = node.path == "/oracle/gc-timestamp";
            let public = is_public.then(|| "world:anyone READ".to_owned());
            let expected: Vec<_> = public.into_iter().chain(digest.clone()).collect();
            let path = format!("{root}/{NAME}{}", node.path);
            assert_eq!(access(&client, &path).await, expected, "{path}");
        }
        digests.push(digest);
    }
    assert_ne!(digests[0], digests[1]);
}
