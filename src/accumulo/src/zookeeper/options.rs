//! The options of a session: the address of the applications, the access to their nodes, and the
//! protection of its connections.

use std::fmt;
use std::time::Duration;

use fluo_table::{Error, Result, check_option};
use zookeeper_client::{Acl, AuthId, Permission};

use super::change::NodeKind;
use super::security::Security;

/// The user of the digest scheme in Fluo's applications.
const USER: &str = "fluo";

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
            timeout: Duration::from_secs(30),
        })
    }

    /// Checks the options that depend on each other, and the session timeout.
    pub(crate) fn check(&self, shortest: Duration) -> Result<()> {
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
