//! Connections over TLS.

use std::sync::Arc;
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{
    AlertDescription, CertificateError, ClientConfig, Error as RustlsError, RootCertStore,
};

/// TLS to a proxy, or to a TLS terminator in front of one.
///
/// The certificate of the server must be issued by one of the given authorities, and must not
/// itself be an authority: a self-signed certificate that is marked as an authority is rejected.
#[derive(Clone)]
pub struct Tls {
    certificates: TlsCertificates,
    server_name: ServerName<'static>,
}

/// The certificates of connections over TLS: those of the trusted authorities, and perhaps that of
/// the client. `Debug` output contains none of them.
#[derive(Clone)]
pub struct TlsCertificates {
    connector: TlsConnector,
}

/// The reason why TLS cannot be configured, as one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TlsError(String);

/// A certificate chain and its private key, both as PEM.
#[derive(Clone, Copy)]
pub struct ClientCertificate<'a> {
    /// The chain, starting with the certificate of the client.
    pub chain_pem: &'a [u8],
    /// The private key.
    pub key_pem: &'a [u8],
}

impl Tls {
    /// Creates a configuration for the server with this name or IP address, which its certificate
    /// must contain. Only certificates of the given authorities (PEM) are trusted.
    ///
    /// # Errors
    ///
    /// A sentence with the argument that cannot be used, and the reason.
    pub fn new(
        server_name: &str,
        authorities_pem: &[u8],
        client: Option<ClientCertificate<'_>>,
    ) -> Result<Self, TlsError> {
        TlsCertificates::new(authorities_pem, client)?.for_server(server_name)
    }

    /// Starts TLS on a connection to the server.
    ///
    /// # Errors
    ///
    /// Those of the connection, and a failure of TLS, of which [`TlsError::of`] returns the reason.
    /// A server may reject the certificate of the client only after the handshake, so that a read
    /// returns such an error.
    pub async fn connect(
        &self,
        stream: TcpStream,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>> {
        let connector = &self.certificates.connector;
        connector.connect(self.server_name.clone(), stream).await
    }
}

impl TlsCertificates {
    /// Creates the certificates. Only servers with a certificate of the given authorities (PEM) are
    /// trusted.
    ///
    /// # Errors
    ///
    /// A sentence with the argument that cannot be used, and the reason.
    pub fn new(
        authorities_pem: &[u8],
        client: Option<ClientCertificate<'_>>,
    ) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(authorities_pem, "of the authorities")? {
            roots.add(certificate).map_err(|error| {
                TlsError(format!("a certificate of the authorities cannot be used: {error}"))
            })?;
        }
        let builder = ClientConfig::builder().with_root_certificates(roots);
        let config = match client {
            None => builder.with_no_client_auth(),
            Some(client) => builder
                .with_client_auth_cert(
                    certificates(client.chain_pem, "of the client")?,
                    private_key(client.key_pem)?,
                )
                .map_err(|error| {
                    TlsError(format!("the certificate of the client cannot be used: {error}"))
                })?,
        };
        Ok(Self { connector: TlsConnector::from(Arc::new(config)) })
    }

    /// Returns the configuration for the server with this name or IP address, which its certificate
    /// must contain.
    ///
    /// # Errors
    ///
    /// A sentence if no server can have the name.
    pub fn for_server(&self, name: &str) -> Result<Tls, TlsError> {
        let server_name = ServerName::try_from(name.to_owned())
            .map_err(|_| TlsError(format!("`{name}` is not the name of a server; give a host name or an address, without a port")))?;
        Ok(Tls { certificates: self.clone(), server_name })
    }
}

impl TlsError {
    /// Returns the reason of a failure of TLS, or `None` for another error of a connection.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<Self> {
        let tls = error.get_ref().and_then(|inner| inner.downcast_ref());
        tls.map(|error| Self(sentence(error)))
    }
}

/// Returns the error unchanged, or, if it is a TLS error, as a sentence for an operator with kind
/// [`io::ErrorKind::InvalidData`]. A server may reject the client after the handshake, at any read
/// or write.
pub(crate) fn in_words(error: io::Error) -> io::Error {
    match TlsError::of(&error) {
        Some(reason) => io::Error::new(
            io::ErrorKind::InvalidData,
            format!("TLS with the server failed: {reason}"),
        ),
        None => error,
    }
}

fn sentence(error: &RustlsError) -> String {
    match error {
        RustlsError::InvalidCertificate(error) => certificate_sentence(error),
        RustlsError::InvalidMessage(_) => "it answers without TLS".to_owned(),
        RustlsError::AlertReceived(AlertDescription::CertificateRequired) => {
            "it requires a client certificate".to_owned()
        }
        // Java reports a missing certificate as a bad one.
        RustlsError::AlertReceived(AlertDescription::BadCertificate) => {
            "it rejects the certificate of the client, or requires one".to_owned()
        }
        RustlsError::AlertReceived(alert) => {
            format!("it rejects the client (alert {alert:?})")
        }
        other => other.to_string(),
    }
}

fn certificate_sentence(error: &CertificateError) -> String {
    match error {
        // A wrong authority with the name of the right one is reported as a bad signature.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is not issued by a given authority".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, .. } => {
            format!("its certificate is not for `{}`", expected.to_str())
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "its certificate is marked as an authority, which a server may not be".to_owned()
        }
        other => format!("its certificate cannot be used: {other}"),
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("server_name", &self.server_name).finish_non_exhaustive()
    }
}

impl fmt::Debug for TlsCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsCertificates(<redacted>)")
    }
}

impl fmt::Debug for ClientCertificate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCertificate(<redacted>)")
    }
}

fn certificates(pem: &[u8], whose: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(TlsError(format!("the PEM {whose} contains no certificate"))),
        Err(error) => Err(TlsError(format!("the PEM {whose} cannot be read: {error}"))),
    }
}

fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(pem)
        .map_err(|error| TlsError(format!("the private key of the client cannot be read: {error}")))
}
