//! Proxies that the harness refuses to start or to stop.

use fluo_cluster::{Cluster, ProxySettings, wanted};

#[test]
fn rejects_faults_in_a_proxy_of_another_process() {
    if !wanted() || std::env::var_os("FLUO_CLUSTER").is_none() {
        return;
    }
    let proxy = Cluster::shared().unwrap().proxy().unwrap();
    let error = proxy.kill().unwrap_err().to_string();
    let wanted = format!(
        "the proxy at {} belongs to another process and cannot be killed here; start one with \
         Cluster::start_proxy",
        proxy.address()
    );
    assert_eq!(error, wanted);
}

#[test]
fn rejects_a_port_in_use_and_shows_the_log() {
    if !wanted() {
        return;
    }
    let cluster = Cluster::shared().unwrap();
    let port = cluster.proxy().unwrap().state().map(|state| state.port);
    let error = cluster.start_proxy(ProxySettings { port, ..Default::default() }).unwrap_err();
    let message = format!("{error:#}");
    assert!(message.contains("in use") || message.contains("ended while it started"), "{message}");
}
