//! A TLS terminator in front of a proxy.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// The name in the certificate.
pub(crate) const NAME: &str = "proxy.example";

/// Returns an authority that no client trusts by default.
pub(crate) fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Returns a TLS server with a certificate of the authority.
pub(crate) fn acceptor(authority: &CertifiedIssuer<'static, KeyPair>) -> TlsAcceptor {
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
pub(crate) async fn terminator(acceptor: TlsAcceptor, proxy: String) -> String {
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
