//! TLS: valid configurations, and the error message of each invalid one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use accumulo_proxy::{ClientCertificate, ErrorKind, Protocol, ProxyClient, Tls};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::hostile::{list_splits, two_splits};
use crate::raw::{Asked, Raw, answer_all, read_request, until_closed};

const NAME: &str = "proxy.example";

/// A certificate authority for a test.
struct Authority(CertifiedIssuer<'static, KeyPair>);

struct Certified {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self::of(params)
    }

    fn of(params: CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn certify(&self, name: &str) -> Certified {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Certified { certificate, key }
    }

    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        roots
    }

    /// Returns the configuration of a client that trusts this authority.
    fn trusted(&self, name: &str, client: Option<ClientCertificate<'_>>) -> Tls {
        Tls::new(name, self.0.pem().as_bytes(), client).unwrap()
    }

    /// Returns a TLS server with a certificate of this authority. If `demanding`, it requires a
    /// client certificate.
    fn acceptor(&self, demanding: bool) -> TlsAcceptor {
        let Certified { certificate, key } = self.certify(NAME);
        let builder = ServerConfig::builder();
        let builder = if demanding {
            let roots = Arc::new(self.roots());
            builder.with_client_cert_verifier(WebPkiClientVerifier::builder(roots).build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = builder.with_single_cert(vec![certificate.der().clone()], key);
        TlsAcceptor::from(Arc::new(config.unwrap()))
    }
}

fn answer(asked: &Asked) -> Vec<u8> {
    two_splits(Protocol::Compact, asked)
}

/// Starts a valid server behind TLS, which counts its connections.
async fn honest(acceptor: TlsAcceptor) -> (Raw, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let server = Raw::start(move |stream| {
        count.fetch_add(1, Ordering::SeqCst);
        let acceptor = acceptor.clone();
        async move { answer_all(acceptor.accept(stream).await?, answer).await }
    })
    .await;
    (server, connections)
}

fn client(server: &Raw, tls: Tls) -> ProxyClient {
    let settings = server.settings().tls(tls);
    ProxyClient::lazy(settings)
}

/// Returns the reason of a failure of TLS.
async fn failed(client: &ProxyClient) -> String {
    let error = list_splits(client).await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    let reason = error.reason().strip_prefix("TLS with the server failed: ");
    reason.unwrap().to_owned()
}

#[tokio::test]
async fn accepts_the_right_certificate_and_reuses_the_connection() {
    let authority = Authority::new();
    let (server, connections) = honest(authority.acceptor(false)).await;
    let client = client(&server, authority.trusted(NAME, None));
    for _ in 0..20 {
        let splits = client.table_operations().list_splits("t", Some(10)).await;
        assert_eq!(splits.unwrap().len(), 2);
        // Gives the unrequested session tickets time to arrive.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn rejects_a_certificate_of_an_unknown_authority_or_with_another_name() {
    let (authority, another) = (Authority::new(), Authority::new());
    let (server, _) = honest(authority.acceptor(false)).await;
    for (trusted, reason) in [
        (another.trusted(NAME, None), "its certificate is not issued by a given authority"),
        (authority.trusted("other.example", None), "its certificate is not for `other.example`"),
    ] {
        assert_eq!(failed(&client(&server, trusted)).await, reason);
    }
}

#[tokio::test]
async fn rejects_the_certificate_of_an_authority_as_that_of_a_server() {
    let mut params = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = Authority::of(params);
    let key = PrivateKeyDer::try_from(authority.0.key().serialize_der()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![authority.0.der().clone()], key);
    let (server, _) = honest(TlsAcceptor::from(Arc::new(config.unwrap()))).await;
    let reason = failed(&client(&server, authority.trusted(NAME, None))).await;
    assert_eq!(reason, "its certificate is marked as an authority, which a server may not be");
}

#[tokio::test]
async fn reports_a_server_without_tls() {
    let authority = Authority::new();
    // The server reads the client hello as a length, and sends an answer in its own protocol.
    let server = Raw::start(|mut stream| async move {
        stream.write_all(b"\0\0\0\x05\x82\x41\x01\x01a").await?;
        until_closed(stream).await
    })
    .await;
    let reason = failed(&client(&server, authority.trusted(NAME, None))).await;
    assert_eq!(reason, "it answers without TLS");
    // The server reads the client hello as a length, and closes the connection.
    let server = Raw::start(|stream| async move {
        let mut some = [0; 64];
        stream.readable().await?;
        stream.try_read(&mut some).map(drop)
    })
    .await;
    let error = list_splits(&client(&server, authority.trusted(NAME, None))).await;
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.reason().starts_with("cannot reach the proxy: "), "{error}");
}

#[tokio::test]
async fn reports_a_client_without_tls() {
    let (server, _) = honest(Authority::new().acceptor(false)).await;
    let error = list_splits(&server.client(Protocol::Compact)).await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert_eq!(error.reason(), "the server requires TLS; configure TLS");
}

#[tokio::test]
async fn reports_a_server_that_requires_a_client_certificate() {
    let authority = Authority::new();
    let (server, _) = honest(authority.acceptor(true)).await;
    let reason = failed(&client(&server, authority.trusted(NAME, None))).await;
    assert_eq!(reason, "it requires a client certificate");

    let Certified { certificate, key } = authority.certify("client.example");
    let (chain, key) = (certificate.pem(), key.serialize_pem());
    let own = ClientCertificate { chain_pem: chain.as_bytes(), key_pem: key.as_bytes() };
    let client = client(&server, authority.trusted(NAME, Some(own)));
    let splits = client.table_operations().list_splits("t", Some(10)).await;
    assert_eq!(splits.unwrap().len(), 2);
}

#[tokio::test]
async fn rejects_a_truncated_reply_over_tls() {
    let authority = Authority::new();
    for polite in [true, false] {
        let acceptor = authority.acceptor(false);
        let server = Raw::start(move |stream: TcpStream| {
            let acceptor = acceptor.clone();
            async move {
                let mut stream = acceptor.accept(stream).await?;
                let asked = read_request(&mut stream).await?;
                let frame = answer(&asked);
                stream.write_all(&frame[..frame.len() - 3]).await?;
                stream.flush().await?;
                if polite {
                    stream.shutdown().await?;
                }
                Ok(())
            }
        })
        .await;
        let error = list_splits(&client(&server, authority.trusted(NAME, None))).await;
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        assert_eq!(error.reason(), "the proxy closed the connection before it answered");
    }
}

#[test]
fn names_settings_that_cannot_be_used() {
    let authority = Authority::new();
    let pem = authority.0.pem();
    let say = |name: &str, authorities: &[u8]| {
        let error = Tls::new(name, authorities, None).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        say("proxy.example:42424", pem.as_bytes()),
        "`proxy.example:42424` is not the name of a server; give a host name or an address, without a port"
    );
    assert_eq!(say(NAME, b""), "the PEM of the authorities contains no certificate");
    let own = ClientCertificate { chain_pem: pem.as_bytes(), key_pem: b"secret" };
    let error = Tls::new(NAME, pem.as_bytes(), Some(own)).unwrap_err();
    assert!(
        error.to_string().starts_with("the private key of the client cannot be read: "),
        "{error}"
    );
    assert!(!format!("{own:?}").contains("secret"));
    assert!(!format!("{:?}", authority.trusted(NAME, None)).contains("BEGIN"));
}
