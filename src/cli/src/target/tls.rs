//! TLS to a proxy, or to a TLS server in front of it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use fluo_accumulo::Tls;

use super::login::HEADING;
use super::profile::Profile;
use crate::atomic_file;

/// The arguments for TLS.
#[derive(Args, Clone, Debug)]
pub(super) struct TlsArguments {
    /// Connect to the proxy over TLS. The file holds certificates (PEM) of the authorities that may
    /// sign its certificate; those of the system are not used
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    tls_ca: Option<PathBuf>,
    /// Name in the certificate of the proxy; the host of --at unless given
    #[arg(long, value_name = "NAME", requires = "tls_ca", help_heading = HEADING)]
    tls_name: Option<String>,
}

impl TlsArguments {
    /// Returns each argument, and whether it is given.
    pub(super) fn given(&self) -> [(bool, &'static str); 2] {
        [
            (self.tls_ca.is_some(), "--tls-ca"),
            (self.tls_name.is_some(), "--tls-name"),
        ]
    }

    /// Returns the TLS settings for `host:port`, if TLS was requested.
    pub(super) fn settings(&self, address: &str, profile: &Profile) -> Result<Option<Tls>> {
        let Some(path) = self.tls_ca.as_ref().or(profile.tls_ca.as_ref()) else {
            return Ok(None);
        };
        let name = path.display();
        let authorities = atomic_file::read(path)
            .with_context(|| format!("cannot read the authorities of --tls-ca {name}"))?;
        let name_in_certificate = self.tls_name.as_deref().or(profile.tls_name.as_deref());
        let server = name_in_certificate.unwrap_or_else(|| host_of(address));
        let tls = Tls::new(server, &authorities, None).with_context(|| {
            format!("TLS with the authorities of --tls-ca {name} cannot be used")
        })?;
        Ok(Some(tls))
    }
}

/// Returns the host of `host:port`, without the brackets of an IPv6 address.
fn host_of(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_strips_port_and_brackets() {
        assert_eq!(host_of("proxy.example:42424"), "proxy.example");
        assert_eq!(host_of("[::1]:42424"), "::1");
    }
}
