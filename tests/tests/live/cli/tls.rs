//! The command reaches a proxy behind a TLS terminator.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::{Fluo, assert_says};

const NAME: &str = "proxy.example";

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Returns a TLS server with a certificate of the authority.
fn acceptor(authority: &CertifiedIssuer<'static, KeyPair>) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key);
    TlsAcceptor::from(Arc::new(config.unwrap()))
}

/// Starts a TLS terminator in front of the proxy, and returns its address.
async fn terminator(acceptor: TlsAcceptor, proxy: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, proxy) = (acceptor.clone(), proxy.clone());
            tokio::spawn(async move {
                // A client that trusts another authority disconnects.
                if let Ok(mut inner) = acceptor.accept(stream).await {
                    let mut outer = TcpStream::connect(proxy).await.unwrap();
                    let _ = copy_bidirectional(&mut inner, &mut outer).await;
                }
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reaches_a_proxy_behind_tls_only_by_its_name() {
    let Some(cluster) = crate::cluster::cluster() else {
        return;
    };
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
    let plain = Fluo::new(
        &cluster.proxy().unwrap().address(),
        cluster.user(),
        cluster.password(),
    );
    plain.file("ours.pem", ours.pem());
    let message = plain.run("list --tls-ca ours.pem").fails();
    assert!(!message.contains("panic"), "{message}");
}
