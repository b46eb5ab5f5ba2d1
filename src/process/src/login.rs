//! The credentials of a proxy, and the address and the secret of applications in ZooKeeper.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, mem};

use fluo_accumulo::{
    AccumuloOptions, ClientCertificate, Credentials, FluoProperties, IteratorBuild, Protocol,
    ProxyOptions, Tls, TlsCertificates, TlsError, ZooKeeperOptions,
};
use fluo_table::{Error, ErrorKind, Result};

use crate::environment::{set, text};
use crate::secret::{self, Secret};

/// The parts of a connection to an Accumulo beside the address of its proxy. Each may be missing.
/// `Debug` output contains no secret.
///
/// | field | variable | name in a profile |
/// |---|---|---|
/// | `user` | `FLUO_USER` | `user` |
/// | `password` | `FLUO_PASSWORD`, or `FLUO_PASSWORD_FILE` | `password_file` |
/// | `shared_secret` | `FLUO_SHARED_SECRET`, or `FLUO_SHARED_SECRET_FILE` | `shared_secret_file` |
/// | `protocol`, `connections` | | the same names |
/// | `tls_ca`, `tls_name` | `FLUO_TLS_CA`, `FLUO_TLS_NAME` | the same names |
/// | `iterators` | `FLUO_ITERATORS`: `accumulo-1` or `accumulo-2` | `iterators` |
/// | `instance_name` | `FLUO_INSTANCE` | `instance` |
/// | `zookeepers` | `FLUO_ZOOKEEPERS` | `zookeepers` |
/// | `zookeeper_secret` | `FLUO_ZOOKEEPER_SECRET`, or `FLUO_ZOOKEEPER_SECRET_FILE` | `zookeeper_secret_file` |
/// | `zookeeper_tls_ca`, `zookeeper_tls_certificate` | `FLUO_ZOOKEEPER_TLS_CA`, `FLUO_ZOOKEEPER_TLS_CERTIFICATE` | the same names |
/// | `zookeeper_user` | `FLUO_ZOOKEEPER_USER` | `zookeeper_user` |
/// | `zookeeper_password` | `FLUO_ZOOKEEPER_PASSWORD`, or `FLUO_ZOOKEEPER_PASSWORD_FILE` | `zookeeper_password_file` |
/// | `session_timeout` | | `session_timeout`, such as `"30s"` |
/// | `properties` | `FLUO_PROPERTIES`, separated as in `PATH` | `properties` |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// The user, for a proxy of Accumulo 1.x.
    pub user: Option<String>,
    /// The password of the user.
    pub password: Option<Secret>,
    /// The secret of a proxy of Accumulo 2.x, in place of a user.
    pub shared_secret: Option<Secret>,
    /// The protocol of the proxy. Default: compact.
    pub protocol: Option<Protocol>,
    /// The number of connections to the proxy, and so of concurrent calls. Default: 4.
    pub connections: Option<NonZeroUsize>,
    /// The build of Fluo's iterators on the tablet servers. Transactions on Accumulo 2.x need it.
    /// Default: that for Accumulo 1.x.
    pub iterators: Option<IteratorBuild>,
    /// A file with the certificates (PEM) of the authorities that may sign the certificate of the
    /// proxy. Without it the connection is not encrypted.
    pub tls_ca: Option<PathBuf>,
    /// The name in the certificate of the proxy. Default: the host of its address.
    pub tls_name: Option<String>,
    /// The servers of ZooKeeper and the node of all applications, `HOST:PORT,HOST:PORT/PATH`.
    pub zookeepers: Option<String>,
    /// The secret of the applications.
    pub zookeeper_secret: Option<Secret>,
    /// A file with the certificates (PEM) of the authorities that may sign the certificates of the
    /// servers of ZooKeeper. Without it their connections are not encrypted.
    pub zookeeper_tls_ca: Option<PathBuf>,
    /// A file with the certificate of this process for ZooKeeper and its private key (both PEM).
    pub zookeeper_tls_certificate: Option<PathBuf>,
    /// The user of ZooKeeper (SASL, DIGEST-MD5).
    pub zookeeper_user: Option<String>,
    /// The password of the user of ZooKeeper.
    pub zookeeper_password: Option<Secret>,
    /// The name of the Accumulo instance. Default: that of the only one in the ZooKeeper.
    pub instance_name: Option<String>,
    /// The time after which ZooKeeper ends the session of a crashed process. Default: 30 s.
    pub session_timeout: Option<Duration>,
    /// Fluo's own files, for the parts that are missing here.
    pub properties: Vec<PathBuf>,
}

impl Login {
    /// Returns the login of the environment.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if a variable is not text, or names no build of iterators.
    pub fn from_env() -> Result<Self> {
        let secret = |name: &str| {
            let file = || set(&format!("{name}_FILE")).map(|file| Secret::File(file.into()));
            Ok::<_, Error>(text(name)?.map(Secret::Text).or_else(file))
        };
        let properties = set("FLUO_PROPERTIES");
        Ok(Self {
            user: text("FLUO_USER")?,
            password: secret("FLUO_PASSWORD")?,
            shared_secret: secret("FLUO_SHARED_SECRET")?,
            iterators: text("FLUO_ITERATORS")?.map(|name| iterators(&name)).transpose()?,
            tls_ca: set("FLUO_TLS_CA").map(PathBuf::from),
            tls_name: text("FLUO_TLS_NAME")?,
            zookeeper_tls_ca: set("FLUO_ZOOKEEPER_TLS_CA").map(PathBuf::from),
            zookeeper_tls_certificate: set("FLUO_ZOOKEEPER_TLS_CERTIFICATE").map(PathBuf::from),
            instance_name: text("FLUO_INSTANCE")?,
            zookeepers: text("FLUO_ZOOKEEPERS")?,
            zookeeper_secret: secret("FLUO_ZOOKEEPER_SECRET")?,
            zookeeper_user: text("FLUO_ZOOKEEPER_USER")?,
            zookeeper_password: secret("FLUO_ZOOKEEPER_PASSWORD")?,
            properties: properties.iter().flat_map(env::split_paths).collect(),
            ..Self::default()
        })
    }

    /// Adds the parts of `other` that are missing here. Another user does not get the password of
    /// the user there, and a user does not get the shared secret there.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let is_same = |user: &Option<String>, other: &Option<String>| {
            user.is_none() || other.is_none() || user == other
        };
        let (has_user, has_secret) = (self.user.is_some(), self.shared_secret.is_some());
        let gives_password = is_same(&self.user, &other.user);
        let gives_zookeeper_password = is_same(&self.zookeeper_user, &other.zookeeper_user);
        Self {
            user: self.user.or(other.user.filter(|_| !has_secret)),
            password: self.password.or(other.password.filter(|_| gives_password)),
            shared_secret: self.shared_secret.or(other.shared_secret.filter(|_| !has_user)),
            protocol: self.protocol.or(other.protocol),
            connections: self.connections.or(other.connections),
            iterators: self.iterators.or(other.iterators),
            tls_ca: self.tls_ca.or(other.tls_ca),
            tls_name: self.tls_name.or(other.tls_name),
            zookeepers: self.zookeepers.or(other.zookeepers),
            zookeeper_secret: self.zookeeper_secret.or(other.zookeeper_secret),
            zookeeper_tls_ca: self.zookeeper_tls_ca.or(other.zookeeper_tls_ca),
            zookeeper_tls_certificate: self
                .zookeeper_tls_certificate
                .or(other.zookeeper_tls_certificate),
            zookeeper_user: self.zookeeper_user.or(other.zookeeper_user),
            zookeeper_password: self
                .zookeeper_password
                .or(other.zookeeper_password.filter(|_| gives_zookeeper_password)),
            instance_name: self.instance_name.or(other.instance_name),
            session_timeout: self.session_timeout.or(other.session_timeout),
            properties: match self.properties.is_empty() {
                true => other.properties,
                false => self.properties,
            },
        }
    }

    /// Adds the parts of Fluo's own files that are missing here.
    ///
    /// # Errors
    ///
    /// Those of [`FluoProperties::read`].
    pub fn with_properties(mut self) -> Result<Self> {
        if self.properties.is_empty() {
            return Ok(self);
        }
        let properties = FluoProperties::read(mem::take(&mut self.properties))?;
        let has_secret = self.shared_secret.is_some();
        let (user, password) = (properties.user, properties.password.map(Secret::Text));
        Ok(self.or(Self {
            user: user.filter(|_| !has_secret),
            password: password.filter(|_| !has_secret),
            zookeepers: Some(properties.zookeepers),
            zookeeper_secret: properties.secret.map(Secret::Text),
            instance_name: properties.instance_name,
            session_timeout: properties.session_timeout,
            ..Self::default()
        }))
    }

    /// Returns the options of a connection to the proxy at `address`, `HOST:PORT`, or to several
    /// proxies, separated by commas.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if the credentials are missing or contradict each other, or
    /// if a file cannot be read. No message contains a secret.
    pub async fn proxy(&self, address: &str) -> Result<ProxyOptions> {
        let tls = self.tls(address)?;
        let options = ProxyOptions::new(address, self.credentials().await?);
        let options = self.connections.into_iter().fold(options, ProxyOptions::connections);
        Ok(options.protocol(self.protocol.unwrap_or(Protocol::Compact)).tls(tls))
    }

    /// Returns the options of a connection to the proxy at `address`, and to the applications.
    ///
    /// # Errors
    ///
    /// As [`proxy`](Self::proxy), and [`Invalid`](ErrorKind::Invalid) without an address of
    /// ZooKeeper.
    pub async fn accumulo(&self, address: &str) -> Result<AccumuloOptions> {
        let options = AccumuloOptions::new(self.proxy(address).await?, self.zookeeper().await?);
        let instance = self.instance_name.clone().into_iter();
        let options = instance.fold(options, AccumuloOptions::instance_name);
        Ok(options.iterator_build(self.iterators.unwrap_or_default()))
    }

    /// Returns the options of a connection to the applications, which need no proxy.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) without an address of ZooKeeper, or if a file cannot be
    /// read. No message contains a secret.
    pub async fn zookeeper(&self) -> Result<ZooKeeperOptions> {
        let options = ZooKeeperOptions::new(self.zookeepers()?);
        let secret = self.read_zookeeper_secret().await?;
        let options = secret.into_iter().fold(options, ZooKeeperOptions::secret);
        let options = self.zookeeper_tls()?.into_iter().fold(options, ZooKeeperOptions::tls);
        let options = match self.zookeeper_sasl().await? {
            Some((user, password)) => options.sasl(user, password),
            None => options,
        };
        Ok(self.session_timeout.into_iter().fold(options, ZooKeeperOptions::session_timeout))
    }

    fn zookeepers(&self) -> Result<&str> {
        let servers = self.zookeepers.as_deref().ok_or_else(|| {
            Error::invalid(
                "applications on Accumulo are in ZooKeeper: set FLUO_ZOOKEEPERS to HOST:PORT/PATH",
            )
        })?;
        // Messages repeat the address.
        match servers.contains('@') {
            true => Err(Error::invalid(
                "an address of ZooKeeper holds no user and no password; write HOST:PORT,HOST:PORT/PATH",
            )),
            false => Ok(servers),
        }
    }

    async fn read_zookeeper_secret(&self) -> Result<Option<String>> {
        match &self.zookeeper_secret {
            Some(secret) => secret.read("secret").await.map(Some),
            None => Ok(None),
        }
    }

    async fn zookeeper_sasl(&self) -> Result<Option<(String, String)>> {
        match (&self.zookeeper_user, &self.zookeeper_password) {
            (Some(user), Some(password)) => {
                Ok(Some((user.clone(), password.read("password of ZooKeeper").await?)))
            }
            // A variable may hold the password for the targets that have a user.
            (None, _) => Ok(None),
            (Some(user), None) => Err(Error::invalid(format!(
                "the password of user `{user}` of ZooKeeper is missing: set FLUO_ZOOKEEPER_PASSWORD_FILE or \
                 FLUO_ZOOKEEPER_PASSWORD"
            ))),
        }
    }

    async fn credentials(&self) -> Result<Credentials> {
        match (&self.shared_secret, &self.user, &self.password) {
            (Some(secret), None, _) => {
                Ok(Credentials::shared_secret(secret.read("shared secret").await?))
            }
            (Some(_), Some(_), _) => Err(Error::invalid(
                "a proxy needs a user or a shared secret; unset FLUO_SHARED_SECRET or the user",
            )),
            (None, None, _) => Err(Error::invalid(
                "a proxy needs a user: set FLUO_USER (for Accumulo 2.x: FLUO_SHARED_SECRET)",
            )),
            (None, Some(user), None) => Err(Error::invalid(format!(
                "the password of user `{user}` is missing: set FLUO_PASSWORD_FILE or FLUO_PASSWORD"
            ))),
            (None, Some(user), Some(password)) => {
                Ok(Credentials::password(user, password.read("password").await?))
            }
        }
    }

    /// Returns the options of TLS to the proxy at `address`, or `None` without authorities.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if the file cannot be read, or has no certificate, or if
    /// there are several proxies and no `tls_name`.
    pub fn tls(&self, address: &str) -> Result<Option<Tls>> {
        let Some(file) = &self.tls_ca else { return Ok(None) };
        let authorities = authorities(file)?;
        if self.tls_name.is_none() && address.contains(',') {
            return Err(Error::invalid(
                "several proxies share one name in their certificates; set tls_name to it",
            ));
        }
        let server = self.tls_name.as_deref().unwrap_or_else(|| host_of(address));
        Tls::new(server, &authorities, None).map(Some).map_err(|error| unusable(file, error))
    }

    /// Returns the certificates of TLS to ZooKeeper, or `None` without authorities.
    fn zookeeper_tls(&self) -> Result<Option<TlsCertificates>> {
        let (file, authorities) = match (&self.zookeeper_tls_ca, &self.zookeeper_tls_certificate) {
            (Some(file), _) => (file, authorities(file)?),
            (None, None) => return Ok(None),
            (None, Some(_)) => {
                return Err(Error::invalid(
                    "a certificate for ZooKeeper needs authorities; set zookeeper_tls_ca",
                ));
            }
        };
        let Some(own) = &self.zookeeper_tls_certificate else {
            let tls = TlsCertificates::new(&authorities, None);
            return tls.map(Some).map_err(|error| unusable(file, error));
        };
        let pem = secret::read_file(own, "certificate and key")?;
        let client = ClientCertificate { chain_pem: &pem, key_pem: &pem };
        let tls = TlsCertificates::new(&authorities, Some(client));
        tls.map(Some).map_err(|error| {
            let (file, own) = (file.display(), own.display());
            let message = format!(
                "TLS with the authorities of {file} and the certificate of {own} cannot be used"
            );
            Error::with_source(ErrorKind::Invalid, message, error)
        })
    }
}

/// Parses the name of a build of Fluo's iterators.
pub(crate) fn iterators(name: &str) -> Result<IteratorBuild> {
    match name {
        "accumulo-1" => Ok(IteratorBuild::ForAccumulo1),
        "accumulo-2" => Ok(IteratorBuild::ForAccumulo2),
        _ => Err(Error::invalid(
            "the build of Fluo's iterators is neither accumulo-1 nor accumulo-2, in FLUO_ITERATORS or `iterators`",
        )),
    }
}

fn authorities(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| {
        let message = format!("cannot read the certificates of authorities {}", file.display());
        Error::with_source(ErrorKind::Invalid, message, error)
    })
}

/// Converts an error of TLS with the authorities of a file.
fn unusable(file: &Path, error: TlsError) -> Error {
    let message = format!("TLS with the authorities of {} cannot be used", file.display());
    Error::with_source(ErrorKind::Invalid, message, error)
}

/// Returns the host of `host:port`, without the brackets of an IPv6 address.
fn host_of(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_strips_port_and_brackets() {
        assert_eq!(host_of("proxy.example:42424"), "proxy.example");
        assert_eq!(host_of("[::1]:42424"), "::1");
    }

    fn text(text: &str) -> Option<Secret> {
        Some(Secret::Text(text.to_owned()))
    }

    #[tokio::test]
    async fn names_what_is_missing() {
        let login = Login::default();
        let message = |error: Error| error.to_string();
        assert_eq!(
            message(login.proxy("localhost:1").await.unwrap_err()),
            "a proxy needs a user: set FLUO_USER (for Accumulo 2.x: FLUO_SHARED_SECRET)"
        );
        let login = Login { user: Some("root".to_owned()), ..login };
        assert_eq!(
            message(login.proxy("localhost:1").await.unwrap_err()),
            "the password of user `root` is missing: set FLUO_PASSWORD_FILE or FLUO_PASSWORD"
        );
        let both = Login { shared_secret: text("hidden"), ..login.clone() };
        assert_eq!(
            message(both.proxy("localhost:1").await.unwrap_err()),
            "a proxy needs a user or a shared secret; unset FLUO_SHARED_SECRET or the user"
        );
        let login = Login { password: text("hidden"), ..login };
        assert_eq!(
            message(login.accumulo("localhost:1").await.unwrap_err()),
            "applications on Accumulo are in ZooKeeper: set FLUO_ZOOKEEPERS to HOST:PORT/PATH"
        );
    }

    #[tokio::test]
    async fn options_have_all_parts_of_a_login() {
        let login = Login {
            shared_secret: text("hidden"),
            zookeepers: Some("zk:2181/fluo".to_owned()),
            iterators: Some(iterators("accumulo-2").unwrap()),
            connections: NonZeroUsize::new(7),
            instance_name: Some("chosen".to_owned()),
            session_timeout: Some(Duration::from_secs(19)),
            ..Login::default()
        };
        let options = format!("{:?}", login.accumulo("localhost:1").await.unwrap());
        for part in ["ForAccumulo2", "connections: 7", "\"chosen\"", "19s"] {
            assert!(options.contains(part), "{part}: {options}");
        }
        assert_eq!(iterators("accumulo-1").unwrap(), IteratorBuild::ForAccumulo1);
        assert_eq!(
            iterators("2").unwrap_err().to_string(),
            "the build of Fluo's iterators is neither accumulo-1 nor accumulo-2, in FLUO_ITERATORS or `iterators`"
        );
    }

    #[tokio::test]
    async fn names_what_is_missing_for_zookeeper() {
        let directory = tempfile::tempdir().unwrap();
        let [ca, own, missing] = ["ca", "own", "missing"].map(|name| directory.path().join(name));
        let key = rcgen::KeyPair::generate().unwrap();
        let signed = rcgen::CertificateParams::default().self_signed(&key).unwrap();
        fs::write(&ca, signed.pem()).unwrap();
        fs::write(&own, "hidden").unwrap();
        let login = Login { zookeepers: Some("zk:2281/fluo".to_owned()), ..Login::default() };
        let user = Some("fluo".to_owned());
        let shown = |path: &Path| path.display().to_string();
        for (login, expected) in [
            (
                Login { zookeeper_user: user.clone(), ..login.clone() },
                "the password of user `fluo` of ZooKeeper is missing: set FLUO_ZOOKEEPER_PASSWORD_FILE or \
                 FLUO_ZOOKEEPER_PASSWORD"
                    .to_owned(),
            ),
            (
                Login { zookeeper_tls_certificate: Some(own.clone()), ..login.clone() },
                "a certificate for ZooKeeper needs authorities; set zookeeper_tls_ca".to_owned(),
            ),
            (
                Login { zookeeper_tls_ca: Some(missing.clone()), ..login.clone() },
                format!("cannot read the certificates of authorities {}", shown(&missing)),
            ),
            (
                Login { zookeeper_tls_ca: Some(own.clone()), ..login.clone() },
                format!("TLS with the authorities of {} cannot be used", shown(&own)),
            ),
            (
                Login {
                    zookeeper_tls_ca: Some(ca.clone()),
                    zookeeper_tls_certificate: Some(missing.clone()),
                    ..login.clone()
                },
                format!("cannot read the certificate and key file {}", shown(&missing)),
            ),
            (
                Login {
                    zookeeper_tls_ca: Some(ca.clone()),
                    zookeeper_tls_certificate: Some(own.clone()),
                    ..login.clone()
                },
                format!(
                    "TLS with the authorities of {} and the certificate of {} cannot be used",
                    shown(&ca),
                    shown(&own)
                ),
            ),
        ] {
            let error = login.zookeeper().await.unwrap_err().to_string();
            assert!(error.starts_with(&expected), "{error}");
            assert!(!error.contains("hidden"), "{error}");
        }
        let without_user = Login { zookeeper_password: text("hidden"), ..login.clone() };
        assert!(without_user.zookeeper().await.is_ok());
        fs::write(&own, signed.pem() + &key.serialize_pem()).unwrap();
        let login = Login {
            zookeeper_tls_ca: Some(ca),
            zookeeper_tls_certificate: Some(own),
            zookeeper_user: user,
            zookeeper_password: text("hidden"),
            ..login
        };
        assert!(login.zookeeper().await.is_ok());
    }

    #[tokio::test]
    async fn debug_output_contains_no_secret() {
        let login = Login {
            user: Some("root".to_owned()),
            password: text("hidden"),
            zookeepers: Some("zk:2181/fluo".to_owned()),
            zookeeper_secret: text("hidden"),
            zookeeper_user: Some("fluo".to_owned()),
            zookeeper_password: text("hidden"),
            ..Login::default()
        };
        let options = login.accumulo("localhost:1").await.unwrap();
        assert!(options.check().is_ok());
        let login = Login { shared_secret: text("hidden"), ..login };
        let shown = format!("{options:?} {login:?}");
        assert!(!shown.contains("hidden"), "{shown}");
    }

    #[test]
    fn another_user_does_not_get_a_password() {
        let login = |user: Option<&str>, has_password| {
            let user = user.map(str::to_owned);
            let password = text("hidden").filter(|_| has_password);
            Login {
                user: user.clone(),
                password: password.clone(),
                zookeeper_user: user,
                zookeeper_password: password,
                ..Login::default()
            }
        };
        for (user, user_there, is_given) in [
            (None, Some("alice"), true),
            (Some("alice"), Some("alice"), true),
            (Some("alice"), None, true),
            (Some("bob"), Some("alice"), false),
        ] {
            let merged = login(user, false).or(login(user_there, true));
            assert_eq!(merged, login(user.or(user_there), is_given));
        }
    }

    /// Covers a bug: a user of the environment met the shared secret of a profile, which was an
    /// error that named variables.
    #[test]
    fn a_user_and_a_shared_secret_replace_each_other() {
        let user = Login { user: Some("bob".to_owned()), ..Login::default() };
        let secret = Login { shared_secret: text("hidden"), ..Login::default() };
        assert_eq!(user.clone().or(secret.clone()), user);
        assert_eq!(secret.clone().or(user), secret);
    }

    #[test]
    fn properties_fill_what_is_missing_but_give_no_password_to_another_user() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("fluo-app.properties");
        fs::write(&file, "fluo.accumulo.user=root\nfluo.accumulo.password=hidden\n").unwrap();
        let filled = |login: Login| {
            let files = Login { properties: vec![file.clone()], ..Login::default() };
            login.or(files).with_properties().unwrap()
        };
        let root = filled(Login::default());
        assert_eq!((root.user.as_deref(), root.password), (Some("root"), text("hidden")));
        assert_eq!(root.zookeepers.as_deref(), Some("localhost/fluo"));
        let user = |name: &str| Login { user: Some(name.to_owned()), ..Login::default() };
        assert_eq!(filled(user("root")).password, text("hidden"));
        let alice = filled(user("alice"));
        assert_eq!((alice.user.as_deref(), alice.password), (Some("alice"), None));
        let secret = filled(Login { shared_secret: text("x"), ..Login::default() });
        assert_eq!((secret.user, secret.password), (None, None));
    }
}
