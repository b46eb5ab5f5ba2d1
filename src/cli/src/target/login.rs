//! Credentials for a live Accumulo, from arguments and environment.

use std::env;
use std::error::Error as _;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use fluo_accumulo::{Credentials, Protocol, ProxyError, ProxyErrorKind};
use serde::Deserialize;

use super::password;
use super::place::Target;
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

/// The credentials in the environment. Empty variables count as unset.
#[derive(Default)]
struct Environment {
    user: Option<String>,
    password: Option<String>,
    password_file: Option<PathBuf>,
    shared_secret: Option<String>,
}

/// The chosen credentials, before the password is read.
#[derive(PartialEq, Eq)]
enum Login {
    SharedSecret(String),
    Password(String, String),
    PasswordOfFile(String, PathBuf),
    /// The password must be asked for.
    PasswordOfPrompt(String),
}

impl LoginArguments {
    pub(super) fn protocol(&self, profile: &Profile) -> Protocol {
        match self.protocol.or(profile.protocol) {
            None | Some(ProxyProtocol::Compact) => Protocol::Compact,
            Some(ProxyProtocol::Binary) => Protocol::Binary,
        }
    }

    /// Refuses arguments that would have no effect on a target without users.
    pub(super) fn check_unused(
        &self,
        target: &Target,
        others: [(bool, &'static str); 2],
    ) -> Result<()> {
        let given = [
            (self.user.is_some(), "--user"),
            (self.password_file.is_some(), "--password-file"),
            (self.protocol.is_some(), "--protocol"),
        ];
        let mut all = given.into_iter().chain(others);
        match all.find(|(is_given, _)| *is_given) {
            Some((_, option)) => bail!(
                "{option} is for a live Accumulo (--at proxy:HOST:PORT); {target} has no users"
            ),
            None => Ok(()),
        }
    }

    /// Returns the credentials. Reads the password, or asks for it, if one is needed.
    pub(super) async fn credentials(&self, at: &At) -> Result<Credentials> {
        let target = &at.target;
        match self.login(Environment::read(&at.profile)?, target)? {
            Login::SharedSecret(secret) => Ok(Credentials::shared_secret(secret)),
            Login::Password(user, password) => Ok(Credentials::password(user, password)),
            Login::PasswordOfFile(user, file) => {
                let reading = format!("waiting for the password of {}", file.display());
                let read =
                    tokio::task::spawn_blocking(move || password::of_file(&file, "password"));
                // A pipe has no data until its writer writes.
                let password = progress::while_it_lasts(output::shown(&reading), read).await??;
                Ok(Credentials::password(user, password))
            }
            Login::PasswordOfPrompt(user) => {
                let password = password::of_prompt(&user, target).await?;
                Ok(Credentials::password(user, password))
            }
        }
    }

    /// Chooses the credentials. Arguments take precedence over the environment.
    fn login(&self, environment: Environment, target: &Target) -> Result<Login> {
        if self.user.as_deref() == Some("") {
            bail!("the user is empty; write --user USER, or leave it out and set FLUO_USER");
        }
        let user = self.user.clone().or(environment.user);
        if let Some(secret) = environment.shared_secret {
            if user.is_some() {
                bail!(
                    "FLUO_SHARED_SECRET is set, which stands in place of user and password (a proxy of Accumulo 2.x), \
                     and so is a user; unset one of the two"
                );
            }
            return Ok(Login::SharedSecret(secret));
        }
        let Some(user) = user else {
            bail!(
                "{target} asks who you are: give --user USER or set FLUO_USER ({})",
                password::WAYS
            );
        };
        if let Some(file) = self.password_file.clone() {
            return Ok(Login::PasswordOfFile(user, file));
        }
        Ok(match (environment.password, environment.password_file) {
            (Some(password), _) => Login::Password(user, password),
            (None, Some(file)) => Login::PasswordOfFile(user, file),
            (None, None) => Login::PasswordOfPrompt(user),
        })
    }
}

impl Environment {
    /// Reads the environment, and takes from the profile what it does not have.
    fn read(profile: &Profile) -> Result<Self> {
        let file = set("FLUO_PASSWORD_FILE").map(PathBuf::from);
        Ok(Self {
            user: text("FLUO_USER")?.or_else(|| profile.user.clone()),
            password: text("FLUO_PASSWORD")?,
            password_file: file.or_else(|| profile.password_file.clone()),
            shared_secret: text("FLUO_SHARED_SECRET")?,
        })
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

fn set(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the value of a variable, unless it is unset or empty. The error does not contain the
/// value, which may be a password.
pub(super) fn text(name: &str) -> Result<Option<String>> {
    let text = set(name).map(std::ffi::OsString::into_string).transpose();
    text.map_err(|_| anyhow!("the value of {name} is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: LoginArguments = LoginArguments {
        user: None,
        password_file: None,
        protocol: None,
    };

    fn proxy() -> Target {
        Target::Proxy("h:1".to_owned())
    }

    fn said(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn login(arguments: &LoginArguments, environment: Environment) -> Login {
        arguments.login(environment, &proxy()).ok().unwrap()
    }

    fn message(arguments: &LoginArguments, environment: Environment) -> String {
        arguments
            .login(environment, &proxy())
            .err()
            .unwrap()
            .to_string()
    }

    #[test]
    fn arguments_take_precedence_over_the_environment() {
        let arguments = LoginArguments {
            user: said("a"),
            password_file: Some("f".into()),
            ..NOTHING
        };
        let environment = || Environment {
            user: said("b"),
            password: said("x"),
            password_file: Some("g".into()),
            shared_secret: None,
        };
        assert!(
            login(&arguments, environment()) == Login::PasswordOfFile("a".to_owned(), "f".into())
        );
        assert!(login(&NOTHING, environment()) == Login::Password("b".to_owned(), "x".to_owned()));
        let without = Environment {
            password: None,
            ..environment()
        };
        assert!(login(&NOTHING, without) == Login::PasswordOfFile("b".to_owned(), "g".into()));
        let user_alone = Environment {
            user: said("b"),
            ..Environment::default()
        };
        assert!(login(&NOTHING, user_alone) == Login::PasswordOfPrompt("b".to_owned()));
    }

    #[test]
    fn a_shared_secret_replaces_user_and_password() {
        let environment = |user| Environment {
            user,
            shared_secret: said("s3cret"),
            ..Environment::default()
        };
        assert!(login(&NOTHING, environment(None)) == Login::SharedSecret("s3cret".to_owned()));
        let message = message(&NOTHING, environment(said("root")));
        assert!(
            message.starts_with("FLUO_SHARED_SECRET is set, which stands in place of"),
            "{message}"
        );
        assert!(!message.contains("s3cret"));
    }

    #[test]
    fn a_missing_user_is_reported_with_all_ways_to_give_one() {
        let message = message(&NOTHING, Environment::default());
        for way in [
            "--user",
            "FLUO_USER",
            "FLUO_PASSWORD,",
            "--password-file",
            "FLUO_PASSWORD_FILE",
            "FLUO_SHARED_SECRET",
        ] {
            assert!(message.contains(way), "{message}");
        }
    }
}
