//! The files of a server and of its clients: certificates, and the settings on the page.

use std::fs;
use std::io;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::recipe::block;

/// Writes the files of the server and of its clients, and returns the settings of the server.
pub(crate) fn write(folder: &Path) -> io::Result<(Vec<String>, String)> {
    let authority = || {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    };
    let (ours, other) = (authority(), authority());
    fs::write(folder.join("ca.pem"), ours.pem())?;
    fs::write(folder.join("other.pem"), other.pem())?;
    for name in ["server.pem", "client.pem"] {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &ours).unwrap();
        fs::write(folder.join(name), certificate.pem() + &key.serialize_pem())?;
    }
    fs::write(folder.join("server.jaas"), block("Server {", folder))?;
    fs::write(folder.join("client.jaas"), block("Client {", folder))?;
    let users = format!("-Djava.security.auth.login.config={}/server.jaas", folder.display());
    let lines = block("secureClientPort", folder).replace("secureClientPort=2281", "");
    Ok((vec![users], lines))
}
