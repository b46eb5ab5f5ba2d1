//! The command reaches a proxy behind a TLS terminator.

use super::{Fluo, assert_says};
use crate::terminator::{acceptor, authority, terminator};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reaches_a_proxy_behind_tls_only_by_its_name() {
    let Some(cluster) = crate::cluster::cluster() else { return };
    let proxy = cluster.proxy().unwrap().address();
    let (ours, other) = (authority(), authority());
    let address = terminator(acceptor(&ours), proxy).await;
    let fluo = Fluo::new(&address, cluster.user(), cluster.password());
    fluo.file("ours.pem", ours.pem());
    fluo.file("other.pem", other.pem());

    let run = fluo.run("list --all --tls-ca ours.pem --tls-name proxy.example");
    assert_says(&run.succeeds().stdout, "accumulo.metadata\n");
    for (arguments, expected) in [
        (
            "list --tls-ca other.pem --tls-name proxy.example",
            "TLS with the server failed: its certificate is not issued by a given authority",
        ),
        (
            "list --tls-ca ours.pem",
            "TLS with the server failed: its certificate is not for `127.0.0.1`",
        ),
        ("list", "127.0.0.1"),
    ] {
        assert_says(&fluo.run(arguments).fails(), expected);
    }
    let plain = Fluo::new(&cluster.proxy().unwrap().address(), cluster.user(), cluster.password());
    plain.file("ours.pem", ours.pem());
    let message = plain.run("list --tls-ca ours.pem").fails();
    assert!(!message.contains("panic"), "{message}");
}
