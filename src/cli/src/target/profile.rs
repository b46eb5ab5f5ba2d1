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
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use super::login::ProxyProtocol;
use super::place::Target;
use crate::exit::sentence;
use crate::masking;

/// The value of `--at`.
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

/// Parses the value of `--at`.
pub(crate) fn at(text: &str) -> Result<At, String> {
    At::parse(text).map_err(|error| sentence(&error))
}

impl At {
    fn parse(text: &str) -> Result<Self> {
        let profile = match text.contains(':') || text.is_empty() {
            true => Profile::default(),
            false => read(text)?,
        };
        let complaint = masking::complaint_of_target(
            profile.target.as_bytes(),
            "holds a user or a password; write proxy:HOST:PORT, `user` and `password_file`",
            "has a port that is not a number; write proxy:HOST:PORT",
        );
        let target = match (profile.target.is_empty(), complaint) {
            (true, _) => text.parse()?,
            (false, Some(complaint)) => {
                bail!("the target of the profile `{text}` {complaint}")
            }
            (false, None) => profile.target.parse().with_context(|| {
                format!("the target of the profile `{text}` is `{}`", profile.target)
            })?,
        };
        Ok(Self { target, profile })
    }
}

/// Reads a profile from the configuration file.
fn read(name: &str) -> Result<Profile> {
    let file = file().with_context(|| {
        format!(
            "`{name}` is no target, which is embedded:DIR or proxy:HOST:PORT; for a profile of that name set FLUO_CONFIG to \
             the configuration file"
        )
    })?;
    let shown = file.display();
    let text = match fs::read_to_string(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
            "`{name}` is neither a target, which is embedded:DIR or proxy:HOST:PORT, nor a profile: there is no \
             configuration file {shown}"
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
    configuration
        .at
        .remove(name)
        .with_context(|| match names.is_empty() {
            true => format!("there is no profile `{name}`; it is a section [at.{name}]"),
            false => format!(
                "there is no profile `{name}`; there are {}",
                names.join(", ")
            ),
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

/// Returns the path of the configuration file.
fn file() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
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
