//! The arguments for a live Accumulo: credentials, protocol and TLS of its proxy, and ZooKeeper.

use std::error::Error as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use fluo_accumulo::{
    AccumuloOptions, Protocol, ProxyError, ProxyErrorKind, ProxyOptions, ZooKeeperOptions,
};
use fluo_process::{Login, Profile, Secret, Target};

use super::at::AtParser;
use super::prompt;
use crate::{exit, output, progress};

pub(crate) const ACCUMULO_LOGIN: &str = "Live Accumulo (--at proxy:HOST:PORT)";
pub(crate) const ACCUMULO_APPLICATIONS: &str = "Applications on a live Accumulo";

/// The arguments for a live Accumulo. There is none for a password, because all users of the
/// machine can read arguments.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoginArguments {
    /// User; FLUO_USER unless given. A proxy of Accumulo 2.x needs FLUO_SHARED_SECRET in place of
    /// user and password
    #[arg(long, value_name = "USER", requires = "at", help_heading = ACCUMULO_LOGIN)]
    user: Option<String>,
    /// File whose first line is the password; FLUO_PASSWORD_FILE unless given
    #[arg(long, value_name = "FILE", requires = "at", help_heading = ACCUMULO_LOGIN)]
    password_file: Option<PathBuf>,
    /// Thrift protocol of the proxy; compact unless given
    #[arg(long, value_enum, value_name = "PROTOCOL", requires = "at", help_heading = ACCUMULO_LOGIN)]
    protocol: Option<ProxyProtocol>,
    /// Connect to the proxy over TLS: certificates (PEM) of the authorities that may sign its
    /// certificate, in place of those of the system
    #[arg(long, value_name = "FILE", requires = "at", help_heading = ACCUMULO_LOGIN)]
    tls_ca: Option<PathBuf>,
    /// Name in the certificate of the proxy; the host of --at unless given
    #[arg(long, value_name = "NAME", requires = "tls_ca", help_heading = ACCUMULO_LOGIN)]
    tls_name: Option<String>,
}

/// The arguments for the applications in a ZooKeeper. There is none for the secret or
/// the password, because all users of the machine can read arguments.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZooKeeperArguments {
    /// ZooKeeper and the node above the applications, HOST:PORT,HOST:PORT/PATH; FLUO_ZOOKEEPERS
    /// unless given
    #[arg(long, value_name = "SERVERS/PATH", help_heading = ACCUMULO_APPLICATIONS)]
    pub(super) zookeepers: Option<String>,
    /// File with the secret of the applications; FLUO_ZOOKEEPER_SECRET_FILE unless given, or set
    /// FLUO_ZOOKEEPER_SECRET
    #[arg(long, value_name = "FILE", help_heading = ACCUMULO_APPLICATIONS)]
    zookeeper_secret_file: Option<PathBuf>,
    /// Connect to ZooKeeper over TLS: certificates (PEM) of the authorities of its servers, in
    /// place of those of the system
    #[arg(long, value_name = "FILE", help_heading = ACCUMULO_APPLICATIONS)]
    zookeeper_tls_ca: Option<PathBuf>,
    /// File with the certificate of this client for ZooKeeper and its private key (PEM)
    #[arg(long, value_name = "FILE", help_heading = ACCUMULO_APPLICATIONS)]
    zookeeper_tls_certificate: Option<PathBuf>,
    /// User of ZooKeeper (SASL, DIGEST-MD5); FLUO_ZOOKEEPER_USER unless given
    #[arg(long, value_name = "USER", help_heading = ACCUMULO_APPLICATIONS)]
    zookeeper_user: Option<String>,
    /// File with its password; FLUO_ZOOKEEPER_PASSWORD_FILE unless given, or set
    /// FLUO_ZOOKEEPER_PASSWORD
    #[arg(long, value_name = "FILE", help_heading = ACCUMULO_APPLICATIONS)]
    zookeeper_password_file: Option<PathBuf>,
}

/// The Thrift protocol of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProxyProtocol {
    /// `TCompactProtocol`, the proxy's default
    Compact,
    /// `TBinaryProtocol`
    Binary,
}

impl LoginArguments {
    /// Returns the options of a connection to the proxy at `address`. Reads the password, or asks
    /// for it, if one is needed. Arguments take precedence over the environment, and that over the
    /// profile.
    pub(super) async fn proxy(&self, at: &Profile, address: &str) -> Result<ProxyOptions> {
        let login = self.with_password(known(self.given(), at)?, at, address).await?;
        // A pipe has no data until its writer writes.
        Ok(progress::while_it_lasts(waiting(&login), login.proxy(address)).await?)
    }

    /// Returns the options of a connection to the proxy at `address`, and to the applications.
    pub(super) async fn accumulo(
        &self,
        zookeeper: &ZooKeeperArguments,
        at: &Profile,
        address: &str,
    ) -> Result<AccumuloOptions> {
        let login = known(self.given().or(zookeeper.given()), at)?;
        check_zookeepers(&login)?;
        let login = self.with_password(login, at, address).await?;
        Ok(progress::while_it_lasts(waiting(&login), login.accumulo(address)).await?)
    }

    fn given(&self) -> Login {
        Login {
            user: self.user.clone(),
            password: self.password_file.clone().map(Secret::File),
            protocol: self.protocol.map(|protocol| match protocol {
                ProxyProtocol::Compact => Protocol::Compact,
                ProxyProtocol::Binary => Protocol::Binary,
            }),
            tls_ca: self.tls_ca.clone(),
            tls_name: self.tls_name.clone(),
            ..Login::default()
        }
    }

    /// Asks for the password of a login that needs one, if all else can be used.
    async fn with_password(&self, login: Login, at: &Profile, address: &str) -> Result<Login> {
        login.tls(address)?;
        ensure!(
            self.user.as_deref() != Some(""),
            misuse!("the user is empty; write --user USER, or leave it out and set FLUO_USER")
        );
        match (&login.user, &login.shared_secret) {
            (None, None) => {
                bail!(misuse!(
                    "{at} needs a user: give --user USER or set FLUO_USER ({})",
                    prompt::WAYS
                ))
            }
            (Some(user), None) if login.password.is_none() => {
                let password = Some(Secret::Text(prompt::of_prompt(user, at).await?));
                Ok(Login { password, ..login })
            }
            _ => Ok(login),
        }
    }
}

/// The address of applications on Accumulo, for the commands that need no proxy.
#[derive(Args, Debug)]
pub(crate) struct ZooKeeperTarget {
    /// Name of a profile in the configuration file, which has the address of ZooKeeper
    #[arg(long, value_name = "PROFILE", env = "FLUO_AT", hide_env_values = true, value_parser = AtParser)]
    at: Option<Profile>,
    #[command(flatten)]
    zookeeper: ZooKeeperArguments,
}

impl ZooKeeperTarget {
    /// Returns the options of a connection. `otherwise` ends the sentence about an application in
    /// an embedded directory.
    pub(crate) async fn options(&self, otherwise: &str) -> Result<ZooKeeperOptions> {
        let at = self.at.as_ref();
        if let Some(at) = at.filter(|at| matches!(at.target, Target::Embedded(_))) {
            bail!(misuse!("an application in an embedded directory, as in {at}, {otherwise}"));
        }
        let profile = at.map(|at| at.login.clone()).unwrap_or_default();
        let login = self.zookeeper.given().or(Login::from_env()?).or(profile).with_properties()?;
        check_zookeepers(&login)?;
        Ok(progress::while_it_lasts(waiting(&login), login.zookeeper()).await?)
    }
}

impl ZooKeeperArguments {
    fn given(&self) -> Login {
        Login {
            zookeepers: self.zookeepers.clone(),
            zookeeper_secret: self.zookeeper_secret_file.clone().map(Secret::File),
            zookeeper_tls_ca: self.zookeeper_tls_ca.clone(),
            zookeeper_tls_certificate: self.zookeeper_tls_certificate.clone(),
            zookeeper_user: self.zookeeper_user.clone(),
            zookeeper_password: self.zookeeper_password_file.clone().map(Secret::File),
            ..Login::default()
        }
    }
}

/// Adds what the environment and the profile say to what arguments say.
fn known(given: Login, at: &Profile) -> Result<Login> {
    Ok(given.or(Login::from_env()?).or(at.login.clone()).with_properties()?)
}

fn check_zookeepers(login: &Login) -> Result<()> {
    ensure!(
        login.zookeepers.is_some(),
        "applications on Accumulo are in ZooKeeper; give --zookeepers HOST:PORT/PATH, with a path such as /fluo, or set \
         FLUO_ZOOKEEPERS"
    );
    Ok(())
}

/// Returns the line to show while secrets are read.
fn waiting(login: &Login) -> String {
    let secrets = [
        ("password", &login.password),
        ("secret", &login.zookeeper_secret),
        ("password of ZooKeeper", &login.zookeeper_password),
    ];
    let files = secrets.into_iter().filter_map(|(what, secret)| match secret {
        Some(Secret::File(file)) => Some(format!("the {what} of {}", file.display())),
        _ => None,
    });
    output::shown(&format!("waiting for {}", files.collect::<Vec<_>>().join(" and ")))
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
    exit::advised(error.clone(), advice)
}
