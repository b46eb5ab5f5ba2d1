//! Several proxies, which must be of one instance.

use accumulo_proxy::ProxyOptions;
use fluo_accumulo::AccumuloTables;
use fluo_table::ErrorKind;

use crate::fake::{Answer, Fake};
use crate::interface as wire;

/// Starts a proxy of an instance with these tablet servers.
async fn proxy(servers: &[&str]) -> Fake {
    let servers: Vec<_> = servers.iter().map(|&server| server.to_owned()).collect();
    Fake::start(move |_| Answer::result::<wire::GetTabletServers>(servers.clone())).await
}

fn options(proxies: &[&Fake]) -> ProxyOptions {
    let addresses: Vec<_> = proxies.iter().map(|fake| fake.address()).collect();
    proxies[0].settings().address(addresses.join(","))
}

/// A wrong address in a list of proxies got its share of all calls, and of the data.
#[tokio::test]
async fn proxies_of_different_instances_are_refused() {
    let one = proxy(&["a:9997", "b:9997"]).await;
    let other = proxy(&["c:9997"]).await;
    let refused = AccumuloTables::connect(options(&[&one, &other])).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert_eq!(
        refused.to_string(),
        format!(
            "the proxies {} and {} are of different instances: they share no tablet server; list those of one",
            one.address(),
            other.address()
        )
    );
}

/// Servers may start and stop between two calls, and a proxy may be down.
#[tokio::test]
async fn proxies_of_one_instance_are_taken() {
    let one = proxy(&["a:9997", "b:9997"]).await;
    let later = proxy(&["b:9997", "c:9997"]).await;
    let without_servers = proxy(&[]).await;
    AccumuloTables::connect(options(&[&one, &later, &without_servers])).await.unwrap();
    let gone = proxy(&["a:9997"]).await;
    let with_gone = options(&[&one, &gone]);
    drop(gone);
    AccumuloTables::connect(with_gone).await.unwrap();
}
