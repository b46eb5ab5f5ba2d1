//! The arguments for a live Accumulo: credentials, protocol and TLS of its proxy, and ZooKeeper.

use std::error::Error as _;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use fluo_accumulo::{
    Credentials, OracleOptions, Protocol, ProxyError, ProxyErrorKind, ProxyOptions, Tls,
};

use super::at::{At, Profile, ProxyProtocol, Target, text};
use super::password;
use crate::atomic_file;

const HEADING: &str = "Live Accumulo (--at proxy:HOST:PORT)";
const APPLICATIONS: &str = "Applications on a live Accumulo";

/// The arguments for a live Accumulo. There is none for a password, because all users of the
/// machine can read arguments.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
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

/// The arguments for the applications in a ZooKeeper. There is none for the secret, because all
/// users of the machine can read arguments.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZooKeeperArguments {
    /// ZooKeeper of the applications, and the node above them, as in fluo.connection.zookeepers:
    /// HOST:PORT,HOST:PORT/PATH; FLUO_ZOOKEEPERS unless given
    #[arg(long, value_name = "SERVERS/PATH", help_heading = APPLICATIONS)]
    pub(super) zookeepers: Option<String>,
    /// File whose first line is the secret of the applications; FLUO_ZOOKEEPER_SECRET_FILE unless
    /// given. Or set FLUO_ZOOKEEPER_SECRET
    #[arg(long, value_name = "FILE", help_heading = APPLICATIONS)]
    zookeeper_secret_file: Option<PathBuf>,
}

impl LoginArguments {
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
        let profile = &at.profile;
        if self.user.as_deref() == Some("") {
            bail!("the user is empty; write --user USER, or leave it out and set FLUO_USER");
        }
        let user = first(&self.user, "FLUO_USER", &profile.user)?;
        if let Some(secret) = text("FLUO_SHARED_SECRET")? {
            ensure!(
                user.is_none(),
                "FLUO_SHARED_SECRET is set, which replaces user and password, and so is a user; unset one of the two"
            );
            return Ok(Credentials::shared_secret(secret));
        }
        let Some(user) = user else {
            bail!("{at} needs a user: give --user USER or set FLUO_USER ({})", password::WAYS);
        };
        let (file, default) = (&self.password_file, &profile.password_file);
        let password = match password::find("password", "FLUO_PASSWORD", file, default).await? {
            Some(password) => password,
            None => password::of_prompt(&user, at).await?,
        };
        Ok(Credentials::password(user, password))
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

impl ZooKeeperArguments {
    pub(super) fn servers(&self, profile: &Profile) -> Result<String> {
        let servers = first(&self.zookeepers, "FLUO_ZOOKEEPERS", &profile.zookeepers)?.context(
            "applications on Accumulo are in ZooKeeper; give --zookeepers HOST:PORT/PATH, with a path such as /fluo, or set \
             FLUO_ZOOKEEPERS",
        )?;
        // Messages repeat the address.
        ensure!(
            !servers.contains('@'),
            "an address of ZooKeeper holds no user and no password; write HOST:PORT,HOST:PORT/PATH"
        );
        Ok(servers)
    }

    pub(super) async fn secret(&self, profile: &Profile) -> Result<Option<String>> {
        let (file, default) = (&self.zookeeper_secret_file, &profile.zookeeper_secret_file);
        password::find("secret", "FLUO_ZOOKEEPER_SECRET", file, default).await
    }

    pub(crate) async fn oracle(&self, at: Option<&At>, application: &str) -> Result<OracleOptions> {
        if let Some(at) = at.filter(|at| matches!(at.target, Target::Embedded(_))) {
            bail!("an application in an embedded directory, as in {at}, needs no oracle");
        }
        let profile = at.map(|at| at.profile.clone()).unwrap_or_default();
        let options = OracleOptions::new(self.servers(&profile)?, application)?;
        Ok(match self.secret(&profile).await? {
            Some(secret) => options.secret(secret),
            None => options,
        })
    }
}

/// Returns the value of an argument, or else of a variable, or else of the profile.
fn first(
    argument: &Option<String>,
    variable: &str,
    profile: &Option<String>,
) -> Result<Option<String>> {
    Ok(match argument {
        Some(argument) => Some(argument.clone()),
        None => text(variable)?.or_else(|| profile.clone()),
    })
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
