//! The access to nodes: open to all clients, or limited to those that have a secret.

use std::fmt;

use zookeeper_client::{Acl, AuthId, Permission};

use super::change::NodeKind;

/// The user of the digest scheme in Fluo's applications.
const USER: &str = "fluo";

/// The access to the nodes that a session creates. Its `Debug` output does not contain the secret.
#[derive(Clone, Default)]
pub(crate) struct Access {
    secret: Option<String>,
}

impl Access {
    pub(crate) fn with_secret(secret: String) -> Self {
        Self { secret: Some(secret) }
    }

    /// Returns the data with which a session authenticates itself in the scheme `digest`.
    pub(super) fn digest(&self) -> Option<Vec<u8>> {
        let secret = self.secret.as_ref()?;
        Some(format!("{USER}:{secret}").into_bytes())
    }

    /// Returns the entries of the access list of a new node, in Fluo's order. The scheme `auth`
    /// stands for the identity with which the session has authenticated itself.
    pub(super) fn entries(&self, kind: NodeKind) -> Vec<Acl> {
        let all = |id| Acl::new(Permission::ALL, id);
        if self.secret.is_none() {
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
        f.write_str(match self.secret {
            Some(_) => "Access(secret)",
            None => "Access(open)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
