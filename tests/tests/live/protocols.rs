//! One small job over every kind of connection to the proxy: both protocols, and TLS.

use std::process;

use accumulo_proxy::{
    Bytes, ErrorKind, Mutation, Protocol, ProxyClient, ProxyOptions, ScanOptions, TimeType, Tls,
};
use fluo_cluster::ProxySettings;
use futures::TryStreamExt;

use crate::cluster::{cluster, settings};
use crate::terminator::{NAME, acceptor, authority, terminator};

/// Creates a table, splits it, writes bytes of every value to it, and reads all of it.
async fn job(client: &ProxyClient, name: &str) {
    let table = format!("protocols_{name}_{}", process::id());
    let operations = client.table_operations();
    operations.create(&table, true, TimeType::Millis).await.unwrap();
    let splits = [Bytes::from_static(b"m\0\xff"), Bytes::from_static(b"z")];
    operations.add_splits(&table, &splits).await.unwrap();
    let found = operations.list_splits(&table, None).await.unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), splits);

    let every: Vec<u8> = (0..=255).collect();
    let mutation = |row: u8| Mutation::new(vec![row]).put("f", every.clone(), vec![row; 100]);
    let mutations = every.iter().copied().map(mutation).collect();
    client.write(&table, mutations).await.unwrap();
    let scanner = client.scanner(&table, ScanOptions::default());
    let batches: Vec<_> = scanner.try_collect().await.unwrap();
    let entries: Vec<_> = batches.into_iter().flatten().collect();
    assert_eq!(entries.len(), 256);
    for (row, entry) in every.iter().zip(&entries) {
        assert_eq!(entry.key.row, [*row][..]);
        assert_eq!(entry.key.qualifier, every);
        assert_eq!(entry.value, vec![*row; 100]);
    }
}

#[tokio::test]
async fn works_over_the_compact_protocol() {
    let Some(cluster) = cluster() else { return };
    let client = ProxyClient::connect(settings(cluster)).await.unwrap();
    job(&client, "compact").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn works_over_the_binary_protocol() {
    let Some(cluster) = cluster() else { return };
    let started =
        ProxySettings { protocol: fluo_cluster::Protocol::Binary, ..ProxySettings::default() };
    let proxy = cluster.start_proxy(started).unwrap();
    let settings = settings(cluster).address(proxy.address());
    refused(settings.clone(), "the first call", "binary").await;

    let settings = settings.protocol(Protocol::Binary);
    let client = ProxyClient::connect(settings.clone()).await.unwrap();
    job(&client, "binary").await;

    // The reverse case.
    let settings = settings.address(cluster.proxy().unwrap().address());
    refused(settings, "the first call", "compact").await;
}

/// Checks that a client with another protocol than the proxy is refused without a time-out.
async fn refused(settings: ProxyOptions, said: &str, theirs: &str) {
    let error = ProxyClient::connect(settings).await.unwrap_err();
    assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert_eq!(error.call(), "login");
    assert!(
        error.reason().contains("protocol") && error.reason().contains(said),
        "a proxy that speaks {theirs}: {error}"
    );
    assert!(!format!("{error:?} {error}").contains("secret"));
}

#[tokio::test]
async fn works_over_tls() {
    let Some(cluster) = cluster() else { return };
    let (authority, settings) = (authority(), settings(cluster));
    let proxy = settings.address.clone();
    let settings = settings.address(terminator(acceptor(&authority), proxy).await);

    let plain = settings.clone().tries(std::num::NonZeroUsize::MIN);
    let error = ProxyClient::connect(plain).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert_eq!(error.reason(), "the server requires TLS; configure TLS");

    let settings = settings.tls(Tls::new(NAME, authority.pem().as_bytes(), None).unwrap());
    let client = ProxyClient::connect(settings).await.unwrap();
    job(&client, "tls").await;
}
