//! Faults on a separate cluster: a tablet server is killed, and dropping the cluster removes
//! everything.

use fluo_cluster::{Cluster, Settings, wanted};

#[test]
fn kills_a_tablet_server_and_ends_with_its_owner() {
    if !wanted() {
        return;
    }
    let cluster = Cluster::start(&Settings::default()).unwrap();
    let servers = cluster.tablet_servers();
    assert_eq!(servers.len(), 2);
    cluster.kill_tablet_server(1).unwrap();
    assert_eq!(cluster.tablet_servers(), servers[..1]);
    let error = cluster.kill_tablet_server(1).unwrap_err().to_string();
    assert_eq!(error, "there is no tablet server 1: 1 live, counted from 0");

    let state = cluster.state();
    drop(cluster);
    assert_eq!(state.runner.group(), []);
    assert_eq!(state.proxy.unwrap().process.group(), []);
    assert!(!state.site.directory.exists() && !state.site.logs.exists());
}
