//! Tests of the harness on a real Accumulo: a proxy is killed and restarted.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use fluo_cluster::{Cluster, Protocol, ProxySettings, wanted};

#[test]
fn restarts_a_killed_proxy_on_its_port() {
    if !wanted() {
        return;
    }
    let cluster = Cluster::shared().unwrap();
    let proxy = cluster.start_proxy(ProxySettings::default()).unwrap();
    let address = proxy.address();
    assert_ne!(address, cluster.proxy().unwrap().address());
    proxy.kill().unwrap();
    assert!(
        TcpStream::connect(&address).is_err(),
        "a killed proxy does not listen"
    );
    proxy.restart().unwrap();
    assert_eq!(proxy.address(), address);
    assert!(TcpStream::connect(&address).is_ok());
}

#[test]
fn starts_a_proxy_with_the_binary_protocol() {
    if !wanted() {
        return;
    }
    let settings = ProxySettings {
        protocol: Protocol::Binary,
        threads: 4,
        ..Default::default()
    };
    // A proxy counts as started only when it answers a call in its protocol.
    let proxy = Cluster::shared().unwrap().start_proxy(settings).unwrap();
    assert_eq!(proxy.protocol(), Protocol::Binary);
}

#[test]
fn a_suspended_proxy_answers_only_after_it_is_resumed() {
    if !wanted() {
        return;
    }
    let proxy = Cluster::shared()
        .unwrap()
        .start_proxy(ProxySettings::default())
        .unwrap();
    proxy.suspend().unwrap();
    let mut stream = TcpStream::connect(proxy.address()).unwrap();
    // The length of a frame that every proxy rejects: it closes the connection when it reads it.
    stream.write_all(&i32::MAX.to_be_bytes()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let silence = stream.read(&mut [0]).unwrap_err().kind();
    assert!(
        matches!(silence, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{silence}"
    );
    proxy.resume().unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let answer = stream.read(&mut [0]).map_err(|error| error.kind());
    assert!(
        matches!(answer, Ok(0) | Err(ErrorKind::ConnectionReset)),
        "{answer:?}"
    );
}

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
    let error = cluster
        .start_proxy(ProxySettings {
            port,
            ..Default::default()
        })
        .unwrap_err();
    let message = format!("{error:#}");
    assert!(
        message.contains("in use") || message.contains("ended while it started"),
        "{message}"
    );
}
