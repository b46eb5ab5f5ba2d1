//! The arguments for a live Accumulo: credentials, protocol and TLS.

use std::error::Error as _;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use fluo_accumulo::{Credentials, Protocol, ProxyError, ProxyErrorKind, ProxyOptions, Tls};

use super::password::{self, Secret};
use super::profile::{At, Profile, ProxyProtocol, text};
use crate::atomic_file;

const HEADING: &str = "Live Accumulo (--at proxy:HOST:PORT)";

/// The arguments for a live Accumulo. There is none for a password, because all users of the
/// machine can read arguments.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoginArguments {
    /// User name; FLUO_USER unless given. The password comes from FLUO_PASSWORD, from a file, or
    /// from a prompt at a terminal. For a proxy of Accumulo 2.x set FLUO_SHARED_SECRET in place of
    /// user and password
    #[arg(long, value_name = "USER", requires = "at", help_heading = HEADING)]
    user: Option<String>,
    /// File whose first line is the password; FLUO_PASSWORD_FILE unless given
    #[arg(long, value_name = "FILE", requires = "at", help_heading = HEADING)]
    password_file: Option<PathBuf>,
    /// Thrift protocol of the proxy; compact unless given
    #[arg(long, value_enum, value_name = "PROTOCOL", requires = "at", help_heading = HEADING)]
    protocol: Option<ProxyProtocol>,
    /// Connect to the proxy over TLS. The file holds certificates (PEM) of the authorities that may
    /// sign its certificate; those of the system are not used
    #[arg(long, value_name = "FILE", requires = "at", help_heading = HEADING)]
    tls_ca: Option<PathBuf>,
    /// Name in the certificate of the proxy; the host of --at unless given
    #[arg(long, value_name = "NAME", requires = "tls_ca", help_heading = HEADING)]
    tls_name: Option<String>,
}

impl LoginArguments {
    /// Returns the name of an argument that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.user.is_some(), "--user"),
            (self.password_file.is_some(), "--password-file"),
            (self.protocol.is_some(), "--protocol"),
            (self.tls_ca.is_some(), "--tls-ca"),
            (self.tls_name.is_some(), "--tls-name"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Returns the options of a connection to the proxy at `address`. Reads the password, or asks
    /// for it, if one is needed. Arguments take precedence over the environment, and that over the
    /// profile.
    pub(super) async fn proxy(&self, at: &At, address: &str) -> Result<ProxyOptions> {
        let tls = self.tls(address, &at.profile)?;
        let protocol = match self.protocol.or(at.profile.protocol) {
            None | Some(ProxyProtocol::Compact) => Protocol::Compact,
            Some(ProxyProtocol::Binary) => Protocol::Binary,
        };
        let options = ProxyOptions::new(address, self.credentials(at).await?);
        Ok(options.protocol(protocol).tls(tls))
    }

    async fn credentials(&self, at: &At) -> Result<Credentials> {
        let At { target, profile } = at;
        if self.user.as_deref() == Some("") {
            bail!("the user is empty; write --user USER, or leave it out and set FLUO_USER");
        }
        let user = match &self.user {
            Some(user) => Some(user.clone()),
            None => text("FLUO_USER")?.or_else(|| profile.user.clone()),
        };
        if let Some(secret) = text("FLUO_SHARED_SECRET")? {
            if user.is_some() {
                bail!(
                    "FLUO_SHARED_SECRET is set, which replaces user and password, and so is a user; unset one of the two"
                );
            }
            return Ok(Credentials::shared_secret(secret));
        }
        let Some(user) = user else {
            bail!("{target} needs a user: give --user USER or set FLUO_USER ({})", password::WAYS);
        };
        let found = Secret::PASSWORD
            .find(self.password_file.as_ref(), profile.password_file.as_ref())
            .await?;
        Ok(match found {
            Some(password) => Credentials::password(user, password),
            None => {
                let password = password::of_prompt(&user, target).await?;
                Credentials::password(user, password)
            }
        })
    }

    fn tls(&self, address: &str, profile: &Profile) -> Result<Option<Tls>> {
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
    host.trim_start_matches('[').trim_end_matches(']')
}

/// Converts the error of a connection. Rejected credentials get advice on the right ones.
pub(super) fn advised(error: &fluo_table::Error) -> anyhow::Error {
    let proxy = error.source().and_then(|source| source.downcast_ref::<ProxyError>());
    let advice = match proxy.map(|proxy| (proxy.kind(), proxy.call())) {
        Some((ProxyErrorKind::OtherCredentials, "login")) => {
            "set FLUO_SHARED_SECRET to it, and leave --user, FLUO_USER and the password out"
        }
        Some((ProxyErrorKind::OtherCredentials, _)) => {
            "give --user USER or set FLUO_USER, with the password, and unset FLUO_SHARED_SECRET"
        }
        Some((ProxyErrorKind::Security, call)) if call != "login" => {
            "set FLUO_SHARED_SECRET to the `sharedSecret` of its file of properties"
        }
        _ => return anyhow!(error.clone()),
    };
    anyhow!("{error}; {advice}")
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
