//! The options of a session: the address of the applications, the access to their nodes, and the
//! protection of its connections.

use std::fmt;
use std::time::Duration;

use fluo_table::{Error, Result, check_option};
use zookeeper_client::{Acl, AuthId, Permission};

use super::change::NodeKind;
use super::security::{Sasl, Security};

/// The user of the digest scheme in Fluo's applications.
const USER: &str = "fluo";
const SESSION_TIMEOUT: Duration = Duration::from_secs(30);

/// The options of a connection to the applications in a ZooKeeper: the address, and what protects
/// the connection and the nodes. The tables' instance and its oracles share them.
///
/// An address alone, as text, converts into these options. `Debug` output contains no secret.
///
/// # Examples
///
/// ```
/// use fluo_accumulo::{AccumuloOptions, Credentials, OracleOptions, ProxyOptions, ZooKeeperOptions};
///
/// # fn main() -> fluo_table::Result<()> {
/// let zookeeper = ZooKeeperOptions::new("zk1:2181,zk2:2181/fluo").secret("s3cr3t");
/// let proxy = ProxyOptions::new("localhost:42424", Credentials::password("root", "secret"));
/// let instance = AccumuloOptions::new(proxy, zookeeper.clone());
/// let oracle = OracleOptions::new(zookeeper, "web")?.port(9913);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ZooKeeperOptions {
    address: String,
    access: Access,
    security: Security,
    session_timeout: Duration,
}

impl<T: Into<String>> From<T> for ZooKeeperOptions {
    fn from(address: T) -> Self {
        Self::new(address)
    }
}

impl ZooKeeperOptions {
    /// Creates options for the applications below a node of ZooKeeper: `HOST:PORT/PATH`, with
    /// several servers separated by commas. This is `fluo.connection.zookeepers` of Fluo's Java
    /// client, whose default is `localhost/fluo`.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            access: Access::default(),
            security: Security::default(),
            session_timeout: SESSION_TIMEOUT,
        }
    }

    /// Sets the secret of the applications: `fluo.connection.zookeeper.secret` of Fluo's Java
    /// client. Only clients with the secret can access the nodes that this client creates, except
    /// that everyone can read the horizon. Default: none, and all nodes are open.
    pub fn secret(self, secret: impl Into<String>) -> Self {
        Self { access: Access::with_secret(secret.into()), ..self }
    }

    /// Encrypts the connections to ZooKeeper. Each server needs a certificate for the host of its
    /// address. Default: not encrypted.
    ///
    /// The connections pass through ports of this machine that only this process can use. This
    /// needs Linux.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, certificates: accumulo_proxy::TlsCertificates) -> Self {
        self.security.tls = Some(certificates);
        self
    }

    /// Sets the user of the connections to ZooKeeper, and the password (SASL, DIGEST-MD5). Default:
    /// none.
    ///
    /// It identifies this process to the servers; the [`secret`](Self::secret) protects the nodes.
    /// A server without SASL ignores both.
    pub fn sasl(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.security.sasl = Some(Sasl { user: user.into(), password: password.into() });
        self
    }

    /// Sets the time after which ZooKeeper ends the session of this process if it does not hear
    /// from it; 1 s to 1 h, and at least 4 s for an oracle. Transactors, workers and the lead of an
    /// oracle end with the session. ZooKeeper may choose a time within its own bounds. Default: 30
    /// s.
    pub fn session_timeout(self, timeout: Duration) -> Self {
        Self { session_timeout: timeout, ..self }
    }

    /// Returns the options of a session, after all checks that need no connection.
    pub(crate) fn session(&self, shortest: Duration) -> Result<SessionOptions> {
        let options = SessionOptions {
            access: self.access.clone(),
            security: self.security.clone(),
            timeout: self.session_timeout,
            ..SessionOptions::new(&self.address)?
        };
        options.check(shortest)?;
        Ok(options)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SessionOptions {
    /// The servers, as `host:port` separated by commas.
    pub(crate) servers: String,
    /// The node below which the applications are.
    pub(crate) chroot: String,
    pub(crate) access: Access,
    pub(crate) security: Security,
    pub(crate) timeout: Duration,
}

impl SessionOptions {
    pub(crate) fn new(zookeepers: &str) -> Result<Self> {
        let (servers, chroot) = zookeepers.split_once('/').unwrap_or((zookeepers, ""));
        let are_servers = servers.split(',').all(|server| !server.trim().is_empty());
        if !are_servers || !chroot.split('/').all(is_node_name) {
            return Err(Error::invalid(format!(
                "`{}` is not an address of applications in ZooKeeper; write HOST:PORT,HOST:PORT/PATH",
                zookeepers.escape_debug()
            )));
        }
        Ok(Self {
            servers: servers.to_owned(),
            chroot: format!("/{chroot}"),
            access: Access::default(),
            security: Security::default(),
            timeout: SESSION_TIMEOUT,
        })
    }

    /// Checks the options that depend on each other, and the session timeout.
    fn check(&self, shortest: Duration) -> Result<()> {
        #[cfg(not(simulated))]
        super::tunnel::endpoints(&self.security, &self.servers, self.timeout)?;
        self.security.check()?;
        check_option("session_timeout", self.timeout, shortest..=Duration::from_secs(3_600))
    }
}

fn is_node_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.chars().any(char::is_control)
}

/// The access to the nodes that a session creates: open to all clients, or limited to those that
/// have a secret. Its `Debug` output does not contain the secret.
#[derive(Clone, Default)]
pub(crate) struct Access(Option<String>);

impl Access {
    pub(crate) fn with_secret(secret: String) -> Self {
        Self(Some(secret))
    }

    /// Returns the data with which a session authenticates itself in the scheme `digest`.
    pub(super) fn digest(&self) -> Option<Vec<u8>> {
        let secret = self.0.as_ref()?;
        Some(format!("{USER}:{secret}").into_bytes())
    }

    /// Returns the entries of the access list of a new node, in Fluo's order. The scheme `auth`
    /// stands for the identity with which the session has authenticated itself.
    pub(super) fn entries(&self, kind: NodeKind) -> Vec<Acl> {
        let all = |id| Acl::new(Permission::ALL, id);
        if self.0.is_none() {
            return vec![all(AuthId::anyone())];
        }
        let own = all(AuthId::authed());
        match kind {
            NodeKind::Public => vec![Acl::new(Permission::READ, AuthId::anyone()), own],
            _ => vec![own],
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Some(_) => "Access(secret)",
            None => "Access(open)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_servers_and_path() {
        for (text, servers, chroot) in [
            ("localhost/fluo", "localhost", "/fluo"),
            ("a:2181,b:2181/x/fluo", "a:2181,b:2181", "/x/fluo"),
        ] {
            let options = SessionOptions::new(text).unwrap();
            assert_eq!((&*options.servers, &*options.chroot), (servers, chroot));
        }
    }

    #[test]
    fn rejects_an_address_without_a_path() {
        for text in ["", "localhost:2181", "localhost/", "/fluo", "a,/fluo", "a/fluo/", "a/../b"] {
            let error = SessionOptions::new(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "`{text}` is not an address of applications in ZooKeeper; write HOST:PORT,HOST:PORT/PATH"
                )
            );
        }
    }

    #[test]
    fn debug_output_does_not_contain_the_secret() {
        let access = Access::with_secret("s3cr3t".to_owned());
        assert_eq!(format!("{access:?}"), "Access(secret)");
        assert_eq!(access.digest().unwrap(), b"fluo:s3cr3t");
        assert_eq!(Access::default().digest(), None);
    }

    #[test]
    fn a_secret_limits_access_as_in_fluo() {
        let texts = |access: &Access, kind| {
            let entries = access.entries(kind).into_iter();
            let texts =
                entries.map(|acl| format!("{} {} {}", acl.scheme(), acl.id(), acl.permission()));
            texts.collect::<Vec<_>>()
        };
        let secret = Access::with_secret("s3cr3t".to_owned());
        assert_eq!(texts(&secret, NodeKind::Ephemeral), ["auth  ALL"]);
        assert_eq!(texts(&secret, NodeKind::Public), ["world anyone READ", "auth  ALL"]);
        let open = Access::default();
        assert_eq!(texts(&open, NodeKind::Ephemeral), ["world anyone ALL"]);
        assert_eq!(texts(&open, NodeKind::Public), ["world anyone ALL"]);
    }
}
