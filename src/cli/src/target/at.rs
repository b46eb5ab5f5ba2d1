//! `--at`: a target, `embedded:DIR` or `proxy:HOST:PORT`, or the name of a profile in the
//! configuration file, which has a target and what else is needed to connect to it.
//!
//! ```toml
//! [at.production]
//! target = "proxy:proxy-1.example:42424"
//! user = "fluo"
//! password_file = "/etc/fluo/password"
//! zookeepers = "zk-1.example:2181,zk-2.example:2181/fluo"
//! ```

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::{env, fmt, fs, io};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use serde::Deserialize;

use crate::exit::sentence;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Embedded(PathBuf),
    /// The address of the proxy of a live Accumulo, `HOST:PORT`. An IPv6 address is in brackets.
    Proxy(String),
}

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

const SETTINGS: &str = "`user`, `password_file`, `protocol`, `tls_ca`, `tls_name`, `zookeepers` or `zookeeper_secret_file`";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
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
        value.to_str().context("a target is UTF-8 text").and_then(At::parse).map_err(|error| {
            let message = format!("{}\n", sentence(&error));
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Target::Embedded(directory) => write!(f, "embedded:{}", directory.display()),
            Target::Proxy(address) => write!(f, "proxy:{address}"),
        }
    }
}

impl At {
    fn parse(text: &str) -> Result<Self> {
        if text.contains(':') || text.is_empty() {
            return Ok(Self { target: Target::parse(text)?, profile: Profile::default() });
        }
        let profile = read(text)?;
        let target = Target::parse(&profile.target);
        let target = target.with_context(|| format!("the target of the profile `{text}`"))?;
        Ok(Self { target, profile })
    }
}

impl Target {
    /// Parses a target. No error repeats it, because it may contain a password.
    fn parse(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("embedded", directory)) => Ok(Self::Embedded(path(directory)?)),
            _ if text.contains('@') => bail!(
                "remove the user and password from the target, which other users can read; use --user and FLUO_PASSWORD"
            ),
            Some(("proxy", address)) if is_address(address) => Ok(Self::Proxy(address.to_owned())),
            Some(("proxy", _)) => bail!(
                "the proxy is not HOST:PORT; write it as in proxy:localhost:42424 or proxy:[::1]:42424"
            ),
            _ => bail!("a target has a kind and a place; write embedded:DIR or proxy:HOST:PORT"),
        }
    }
}

/// Returns the path of a directory. Expands a leading `~` to the home directory, because shells do
/// not expand it within `embedded:~/data`.
fn path(directory: &str) -> Result<PathBuf> {
    let Some(below) = directory.strip_prefix('~') else {
        ensure!(!directory.is_empty(), "the directory is missing; write embedded:DIR");
        return Ok(PathBuf::from(directory));
    };
    ensure!(
        below.is_empty() || below.starts_with('/'),
        "only `~/` is expanded, not `{directory}`; write its path, or embedded:./{directory}"
    );
    let home = if cfg!(unix) { set("HOME").map(PathBuf::from) } else { env::home_dir() };
    let home = home.with_context(|| {
        format!("`{directory}` needs the variable HOME; set it or write the path")
    })?;
    Ok(match below.trim_start_matches('/') {
        "" => home,
        below => home.join(below),
    })
}

/// Checks whether a text is `HOST:PORT`. An IPv6 address is in brackets.
fn is_address(text: &str) -> bool {
    let (host, port) = text.rsplit_once(':').unwrap_or_default();
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = bare.map_or(!host.is_empty() && !host.contains(':'), |bare| !bare.is_empty());
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    is_host && is_number && matches!(port.parse::<u16>(), Ok(1..))
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
        // The message of the parser shows the text, in which a password may be in the wrong place.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        anyhow!(
            "line {}: a profile is a section [at.NAME] with `target` and, if wanted, {SETTINGS}",
            before.matches('\n').count() + 1
        )
    })?;
    let names: Vec<_> = configuration.at.keys().cloned().collect();
    configuration.at.remove(name).with_context(|| {
        if names.is_empty() {
            format!("there is no profile `{name}`; it is a section [at.{name}]")
        } else {
            format!("there is no profile `{name}`; there are {}", names.join(", "))
        }
    })
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

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    #[test]
    fn parses_a_directory_or_a_proxy() {
        assert_eq!(target("embedded:a:b"), Target::Embedded("a:b".into()));
        for text in ["proxy:localhost:42424", "proxy:[::1]:1", "proxy:10.0.0.1:65535"] {
            let address = text.strip_prefix("proxy:").unwrap();
            assert_eq!(target(text), Target::Proxy(address.to_owned()));
            assert_eq!(At::parse(text).unwrap().to_string(), text);
        }
    }

    /// `embedded:~/data` made a directory of the name `~`, which invites `rm -r ~`.
    #[test]
    fn expands_a_leading_tilde() {
        let home = env::home_dir().unwrap();
        for (text, expected) in [
            ("embedded:~", home.clone()),
            ("embedded:~/", home.clone()),
            ("embedded:~/data", home.join("data")),
            ("embedded:~//data", home.join("data")),
            ("embedded:./~/data", "./~/data".into()),
            ("embedded:a/~", "a/~".into()),
        ] {
            assert_eq!(target(text), Target::Embedded(expected), "{text}");
        }
    }
}
