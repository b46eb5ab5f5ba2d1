//! Profiles: a target, and the login there.
//!
//! ```toml
//! [at.production]
//! target = "proxy:proxy-1.example:42424"
//! user = "fluo"
//! password_file = "/etc/fluo/password"
//! zookeepers = "zk-1.example:2181,zk-2.example:2181/fluo"
//! ```

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fmt, fs, io};

use fluo_accumulo::{IteratorBuild, Protocol};
use fluo_embedded::EmbeddedOptions;
use fluo_table::{Error, ErrorKind, Instance, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::environment::set;
use crate::login::{self, Login};
use crate::secret::Secret;

/// The place of tables and applications, and the login there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The place of tables and applications.
    pub target: Target,
    /// The login; empty for a directory.
    pub login: Login,
}

/// The place of tables and applications. It is written `embedded:DIR`, `proxy:HOST:PORT` or, for
/// several proxies of one Accumulo, `proxy:HOST:PORT,HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A directory.
    Embedded(PathBuf),
    /// The address of the proxy of a live Accumulo, `HOST:PORT`, or of several, separated by
    /// commas. An IPv6 address is in brackets.
    Proxy(String),
}

/// The names of a profile in the configuration file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    target: String,
    user: Option<String>,
    password_file: Option<PathBuf>,
    shared_secret_file: Option<PathBuf>,
    protocol: Option<ProtocolName>,
    connections: Option<NonZeroUsize>,
    #[serde(default, deserialize_with = "iterators")]
    iterators: Option<IteratorBuild>,
    instance: Option<String>,
    tls_ca: Option<PathBuf>,
    tls_name: Option<String>,
    zookeepers: Option<String>,
    zookeeper_secret_file: Option<PathBuf>,
    zookeeper_tls_ca: Option<PathBuf>,
    zookeeper_tls_certificate: Option<PathBuf>,
    zookeeper_user: Option<String>,
    zookeeper_password_file: Option<PathBuf>,
    #[serde(default, deserialize_with = "duration")]
    session_timeout: Option<Duration>,
    #[serde(default)]
    properties: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProtocolName {
    Compact,
    Binary,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default)]
    at: BTreeMap<String, Section>,
}

impl Profile {
    /// Parses a target, `embedded:DIR` or `proxy:HOST:PORT`, or reads the profile of this name from
    /// the configuration file: that in `FLUO_CONFIG`, or else `fluo/config.toml` below
    /// `$XDG_CONFIG_HOME` or `~/.config`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid). No message repeats the text, which may contain a password.
    pub fn parse(at: &str) -> Result<Self> {
        if at.contains(':') || at.is_empty() {
            return Ok(Self { target: Target::parse(at)?, login: Login::default() });
        }
        let section = read(at)?;
        let target = Target::parse(&section.target).map_err(|error| {
            let message = format!("the target of the profile `{at}`");
            Error::with_source(ErrorKind::Invalid, message, error)
        })?;
        Ok(Self { target, login: section.login() })
    }

    /// Adds the [login of the environment](Login::from_env), which takes precedence, and Fluo's own
    /// files.
    pub(crate) fn with_env(self) -> Result<Self> {
        match self.target {
            Target::Embedded(_) => Ok(self),
            Target::Proxy(_) => {
                Ok(Self { login: Login::from_env()?.or(self.login).with_properties()?, ..self })
            }
        }
    }

    /// Opens the tables and the applications. Creates a directory that does not exist.
    ///
    /// # Errors
    ///
    /// Those of [`fluo_embedded::open`] or of [`Login::accumulo`] and [`fluo_accumulo::connect`].
    pub async fn open(&self) -> Result<Instance> {
        self.open_for(None).await
    }

    /// Opens them for a process that answers over HTTP at an address. Other processes name it in a
    /// message.
    pub(crate) async fn open_for(&self, http: Option<SocketAddr>) -> Result<Instance> {
        match &self.target {
            Target::Embedded(directory) => {
                let options = EmbeddedOptions::new().create_if_missing(true);
                let options = http.into_iter().fold(options, EmbeddedOptions::http);
                let open = fluo_embedded::EmbeddedTables::open(directory, options)?;
                Ok(open.instance())
            }
            Target::Proxy(address) => {
                fluo_accumulo::connect(self.login.accumulo(address).await?).await
            }
        }
    }
}

impl Section {
    fn login(self) -> Login {
        Login {
            user: self.user,
            password: self.password_file.map(Secret::File),
            protocol: self.protocol.map(|name| match name {
                ProtocolName::Compact => Protocol::Compact,
                ProtocolName::Binary => Protocol::Binary,
            }),
            connections: self.connections,
            iterators: self.iterators,
            instance_name: self.instance,
            session_timeout: self.session_timeout,
            tls_ca: self.tls_ca,
            tls_name: self.tls_name,
            zookeepers: self.zookeepers,
            zookeeper_secret: self.zookeeper_secret_file.map(Secret::File),
            zookeeper_tls_ca: self.zookeeper_tls_ca,
            zookeeper_tls_certificate: self.zookeeper_tls_certificate,
            zookeeper_user: self.zookeeper_user,
            zookeeper_password: self.zookeeper_password_file.map(Secret::File),
            properties: self.properties,
            shared_secret: self.shared_secret_file.map(Secret::File),
        }
    }
}

fn iterators<'de, D: Deserializer<'de>>(text: D) -> Result<Option<IteratorBuild>, D::Error> {
    login::iterators(&String::deserialize(text)?).map(Some).map_err(D::Error::custom)
}

fn duration<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(text)?;
    humantime::parse_duration(&text).map(Some).map_err(D::Error::custom)
}

/// Its target.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded(directory) => write!(f, "embedded:{}", directory.display()),
            Self::Proxy(address) => write!(f, "proxy:{address}"),
        }
    }
}

impl Target {
    fn parse(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("embedded", directory)) => Ok(Self::Embedded(path(directory)?)),
            _ if text.contains('@') => Err(Error::invalid(
                "remove the user and password from the target, which other users can read; set FLUO_USER and FLUO_PASSWORD",
            )),
            Some(("proxy", list)) if list.split(',').all(is_address) => {
                Ok(Self::Proxy(list.to_owned()))
            }
            Some(("proxy", _)) => Err(Error::invalid(
                "the proxy is not HOST:PORT; write it as in proxy:localhost:42424 or proxy:[::1]:42424",
            )),
            _ => Err(Error::invalid(
                "a target has a kind and a place; write embedded:DIR or proxy:HOST:PORT",
            )),
        }
    }
}

/// Returns the path of a directory. Expands a leading `~` to the home directory, because shells do
/// not expand it within `embedded:~/data`.
fn path(directory: &str) -> Result<PathBuf> {
    let Some(below) = directory.strip_prefix('~') else {
        return match directory {
            "" => Err(Error::invalid("the directory is missing; write embedded:DIR")),
            directory => Ok(PathBuf::from(directory)),
        };
    };
    if !below.is_empty() && !below.starts_with('/') {
        return Err(Error::invalid(format!(
            "only `~/` is expanded, not `{directory}`; write its path, or embedded:./{directory}"
        )));
    }
    let home = if cfg!(unix) { set("HOME").map(PathBuf::from) } else { env::home_dir() };
    let home = home.ok_or_else(|| {
        Error::invalid(format!("`{directory}` needs the variable HOME; set it or write the path"))
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

fn read(name: &str) -> Result<Section> {
    let no_target = format!("`{name}` is neither embedded:DIR nor proxy:HOST:PORT");
    let file = file().ok_or_else(|| {
        Error::invalid(format!(
            "{no_target}; for a profile set FLUO_CONFIG to the configuration file"
        ))
    })?;
    let shown = file.display();
    let text = fs::read_to_string(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::invalid(format!(
            "{no_target}, nor a profile: there is no configuration file {shown}"
        )),
        _ => Error::with_source(
            ErrorKind::Invalid,
            format!("the configuration file {shown} cannot be read"),
            error,
        ),
    })?;
    section_of(&text, name).map_err(|error| {
        let message = format!("the configuration file {shown}");
        Error::with_source(ErrorKind::Invalid, message, error)
    })
}

fn section_of(text: &str, name: &str) -> Result<Section> {
    let mut configuration: Configuration = toml::from_str(text).map_err(|error| {
        // The message of the parser shows values, and a password may be in the wrong place.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let unknown = error.message().strip_prefix("unknown field `");
        Error::invalid(match unknown.and_then(|text| text.split_once('`')) {
            Some((key, expected)) if !expected.ends_with("`at`") => format!(
                "line {line}: a profile has no `{key}`; docs/operate-accumulo.md lists its settings"
            ),
            _ => format!(
                "line {line}: a profile is a section [at.NAME] with `target`; docs/operate-accumulo.md lists its settings"
            ),
        })
    })?;
    let names: Vec<_> = configuration.at.keys().cloned().collect();
    configuration.at.remove(name).ok_or_else(|| {
        Error::invalid(match names.is_empty() {
            true => format!("there is no profile `{name}`; it is a section [at.{name}]"),
            false => format!("there is no profile `{name}`; there are {}", names.join(", ")),
        })
    })
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
        target = \"proxy:host:1\"\nuser = \"fluo\"\nprotocol = \"binary\"\nzookeepers = \"zk:2181/fluo\"\n\
        zookeeper_tls_ca = \"a\"\nzookeeper_tls_certificate = \"b\"\nzookeeper_user = \"c\"\nzookeeper_password_file = \"d\"\nproperties = [\"p\"]\n\
        iterators = \"accumulo-2\"\ninstance = \"accumulo\"\nconnections = 6\nshared_secret_file = \"e\"\nsession_timeout = \"20s\"\n";

    #[test]
    fn reads_profiles() {
        assert_eq!(section_of(TEXT, "home").unwrap().target, "embedded:/data");
        let cluster = section_of(TEXT, "cluster").unwrap().login();
        let expected = Login {
            user: Some("fluo".to_owned()),
            protocol: Some(Protocol::Binary),
            zookeepers: Some("zk:2181/fluo".to_owned()),
            zookeeper_tls_ca: Some("a".into()),
            zookeeper_tls_certificate: Some("b".into()),
            zookeeper_user: Some("c".to_owned()),
            zookeeper_password: Some(Secret::File("d".into())),
            shared_secret: Some(Secret::File("e".into())),
            properties: vec!["p".into()],
            iterators: Some(IteratorBuild::ForAccumulo2),
            instance_name: Some("accumulo".to_owned()),
            connections: NonZeroUsize::new(6),
            session_timeout: Some(Duration::from_secs(20)),
            ..Login::default()
        };
        assert_eq!(cluster, expected);
    }

    fn target(text: &str) -> Target {
        Target::parse(text).unwrap()
    }

    #[test]
    fn parses_a_directory_or_a_proxy() {
        assert_eq!(target("embedded:a:b"), Target::Embedded("a:b".into()));
        for text in [
            "proxy:localhost:42424",
            "proxy:[::1]:1",
            "proxy:10.0.0.1:65535",
            "proxy:one.example:42424,[::1]:1",
        ] {
            let address = text.strip_prefix("proxy:").unwrap();
            assert_eq!(target(text), Target::Proxy(address.to_owned()));
            assert_eq!(target(text).to_string(), text);
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
