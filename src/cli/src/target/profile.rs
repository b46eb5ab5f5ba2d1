//! `--at`: a target, or the name of a profile in the configuration file, which has a target and
//! what else is needed to connect to it.
//!
//! ```toml
//! [at.production]
//! target = "proxy:proxy-1.example:42424"
//! user = "fluo"
//! password_file = "/etc/fluo/password"
//! zookeepers = "zk-1.example:2181,zk-2.example:2181/fluo"
//! ```

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use serde::Deserialize;

use super::place::Target;
use crate::exit::sentence;

#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(super) target: Target,
    pub(super) profile: Profile,
}

/// A profile without its target. Secrets are never in it, only files that contain them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    target: String,
    pub(super) user: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) protocol: Option<ProxyProtocol>,
    pub(super) tls_ca: Option<PathBuf>,
    pub(super) tls_name: Option<String>,
    pub(super) zookeepers: Option<String>,
    pub(super) zookeeper_secret_file: Option<PathBuf>,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default)]
    at: BTreeMap<String, Profile>,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

/// The parser of the value of `--at`. Its errors do not repeat the value, which may contain a
/// password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtParser;

impl TypedValueParser for AtParser {
    type Value = At;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<At, clap::Error> {
        let text = value.to_str().context("a target is UTF-8 text");
        text.and_then(At::parse).map_err(|error| {
            let message = format!("{}\n", sentence(&error));
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

impl At {
    fn parse(text: &str) -> Result<Self> {
        if text.contains(':') || text.is_empty() {
            return Ok(Self { target: text.parse()?, profile: Profile::default() });
        }
        let profile = read(text)?;
        let target = profile.target.parse();
        Ok(Self {
            target: target.with_context(|| format!("the target of the profile `{text}`"))?,
            profile,
        })
    }
}

fn read(name: &str) -> Result<Profile> {
    let file = file().with_context(|| {
        format!(
            "`{name}` is neither embedded:DIR nor proxy:HOST:PORT; for a profile set FLUO_CONFIG to the configuration file"
        )
    })?;
    let shown = file.display();
    let text = match fs::read_to_string(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
            "`{name}` is neither embedded:DIR nor proxy:HOST:PORT, nor a profile: there is no configuration file {shown}"
        ),
        text => text.with_context(|| format!("the configuration file {shown} cannot be read"))?,
    };
    profile_of(&text, name).with_context(|| format!("the configuration file {shown}"))
}

fn profile_of(text: &str, name: &str) -> Result<Profile> {
    let mut configuration: Configuration = toml::from_str(text).map_err(|error| {
        // The message of the parser has several lines and shows the text.
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map_or(1, |before| before.split('\n').count());
        anyhow!("line {line}: {}", without_value(error.message()))
    })?;
    let names: Vec<_> = configuration.at.keys().cloned().collect();
    configuration.at.remove(name).with_context(|| match names.is_empty() {
        true => format!("there is no profile `{name}`; it is a section [at.{name}]"),
        false => format!("there is no profile `{name}`; there are {}", names.join(", ")),
    })
}

/// Removes the wrong value from a message of the parser: a password may be in the wrong place.
fn without_value(message: &str) -> String {
    for (kind, quote) in [("invalid type: string", '"'), ("unknown variant", '`')] {
        let rest = message.strip_prefix(kind);
        let expected = rest.and_then(|rest| rest.rsplit_once(&format!("{quote}, expected")));
        if let Some((_, expected)) = expected {
            return format!("{kind}, expected{expected}");
        }
    }
    message.to_owned()
}

/// Returns the value of a variable, unless it is unset or empty.
pub(super) fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the value of a variable, unless it is unset or empty. The error does not contain the
/// value, which may be a password.
pub(super) fn text(name: &str) -> Result<Option<String>> {
    let text = set(name).map(OsString::into_string).transpose();
    text.map_err(|_| anyhow!("the value of {name} is not UTF-8 text"))
}

fn file() -> Option<PathBuf> {
    if let Some(file) = set("FLUO_CONFIG") {
        return Some(file.into());
    }
    let folder = match set("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(set("HOME")?).join(".config"),
    };
    Some(folder.join("fluo").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[at.home]\ntarget = \"embedded:/data\"\n\n[at.cluster]\n\
        target = \"proxy:host:1\"\nuser = \"fluo\"\nprotocol = \"binary\"\nzookeepers = \"zk:2181/fluo\"\n";

    #[test]
    fn reads_profiles() {
        assert_eq!(profile_of(TEXT, "home").unwrap().target, "embedded:/data");
        let cluster = profile_of(TEXT, "cluster").unwrap();
        assert_eq!(cluster.user.as_deref(), Some("fluo"));
        assert_eq!(cluster.zookeepers.as_deref(), Some("zk:2181/fluo"));
    }

    #[test]
    fn rejects_other_text_with_its_line() {
        for (text, expected) in [
            ("", "there is no profile `web`; it is a section [at.web]"),
            (TEXT, "there is no profile `web`; there are cluster, home"),
            (
                "[at.web]\ntarget = \"embedded:d\"\npassword = \"x\"",
                "line 3: unknown field `password`, expected one of `target`, `user`, `password_file`, `protocol`, \
                 `tls_ca`, `tls_name`, `zookeepers`, `zookeeper_secret_file`",
            ),
            ("[at.web]\nuser = \"x\"", "line 1: missing field `target`"),
            ("at", "line 1: key with no value, expected `=`"),
            (
                "[at]\nweb = \"proxy:root:pa55@h:1\"",
                "line 2: invalid type: string, expected struct Profile",
            ),
        ] {
            let error = profile_of(text, "web").unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn repeats_no_value_in_the_wrong_place() {
        for text in [
            "at = \"pa55\"",
            "[at]\nweb = \"pa55\", expected\"",
            "[at.web]\ntarget = \"proxy:h:1\"\nprotocol = \"pa55\"",
        ] {
            let error = profile_of(text, "web").unwrap_err().to_string();
            assert!(!error.contains("pa55"), "{error}");
        }
    }
}
