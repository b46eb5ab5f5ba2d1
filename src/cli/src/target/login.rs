//! Credentials for a live Accumulo, from arguments and environment.

use std::env;
use std::error::Error as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use fluo_accumulo::{Credentials, Protocol, ProxyError, ProxyErrorKind};
use serde::Deserialize;

use super::password;
use super::profile::{At, Profile};
use crate::{output, progress};

/// The help heading of these arguments.
pub(super) const HEADING: &str = "Live Accumulo (--at proxy:HOST:PORT)";

/// The arguments for a live Accumulo. There is none for a password, because all users of the
/// machine can read arguments.
#[derive(Args, Clone, Debug)]
pub(super) struct LoginArguments {
    /// User name; FLUO_USER unless given. The password comes from FLUO_PASSWORD, from a file, or
    /// from a prompt at a terminal. For a proxy of Accumulo 2.x set FLUO_SHARED_SECRET in place of
    /// user and password
    #[arg(long, value_name = "USER", help_heading = HEADING)]
    user: Option<String>,
    /// File whose first line is the password; FLUO_PASSWORD_FILE unless given
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    password_file: Option<PathBuf>,
    /// Thrift protocol of the proxy; compact unless given
    #[arg(long, value_enum, value_name = "PROTOCOL", help_heading = HEADING)]
    protocol: Option<ProxyProtocol>,
}

/// The Thrift protocol of a proxy.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProxyProtocol {
    /// `TCompactProtocol`, the proxy's default
    Compact,
    /// `TBinaryProtocol`
    Binary,
}

impl LoginArguments {
    pub(super) fn protocol(&self, profile: &Profile) -> Protocol {
        match self.protocol.or(profile.protocol) {
            None | Some(ProxyProtocol::Compact) => Protocol::Compact,
            Some(ProxyProtocol::Binary) => Protocol::Binary,
        }
    }

    /// Returns each argument, and whether it is given.
    pub(super) fn given(&self) -> [(bool, &'static str); 3] {
        [
            (self.user.is_some(), "--user"),
            (self.password_file.is_some(), "--password-file"),
            (self.protocol.is_some(), "--protocol"),
        ]
    }

    /// Returns the credentials. Reads the password, or asks for it, if one is needed. Arguments
    /// take precedence over the environment, and that over the profile.
    pub(super) async fn credentials(&self, at: &At) -> Result<Credentials> {
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
            bail!(
                "{target} needs a user: give --user USER or set FLUO_USER ({})",
                password::WAYS
            );
        };
        let mut file = self.password_file.clone();
        if file.is_none() {
            if let Some(password) = text("FLUO_PASSWORD")? {
                return Ok(Credentials::password(user, password));
            }
            let set = set("FLUO_PASSWORD_FILE").map(PathBuf::from);
            file = set.or_else(|| profile.password_file.clone());
        }
        let password = match file {
            Some(file) => {
                let reading = format!("waiting for the password of {}", file.display());
                let read =
                    tokio::task::spawn_blocking(move || password::of_file(&file, "password"));
                // A pipe has no data until its writer writes.
                progress::while_it_lasts(output::shown(&reading), read).await??
            }
            None => password::of_prompt(&user, target).await?,
        };
        Ok(Credentials::password(user, password))
    }
}

/// Converts the error of a connection. Rejected credentials get advice on the right ones.
pub(super) fn advised(error: &fluo_table::Error) -> anyhow::Error {
    let proxy = error
        .source()
        .and_then(|source| source.downcast_ref::<ProxyError>());
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

/// Returns the value of a variable, unless it is unset or empty.
pub(super) fn set(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the value of a variable, unless it is unset or empty. The error does not contain the
/// value, which may be a password.
pub(super) fn text(name: &str) -> Result<Option<String>> {
    let text = set(name).map(std::ffi::OsString::into_string).transpose();
    text.map_err(|_| anyhow!("the value of {name} is not UTF-8 text"))
}
