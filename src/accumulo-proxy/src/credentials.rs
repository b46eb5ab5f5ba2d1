//! The credentials of a caller, by which the client recognizes the version of the proxy:
//!
//! | | 1.x | 2.x |
//! |---|---|---|
//! | first argument | token from `login` (bytes) | shared secret (text; the same on the wire) |
//! | user | the user of the login | the proxy's own |
//! | `compactTable` | 8 compaction strategy | 8 selector, 9 configurer |

use std::collections::BTreeMap;
use std::fmt;

/// Credentials of the caller. They also select the version of the proxy.
///
/// `Debug` output contains no secret.
#[derive(Clone)]
pub struct Credentials(pub(crate) Kind);

/// The two kinds of credentials, one for each version of the proxy.
#[derive(Clone)]
pub(crate) enum Kind {
    Login { user: String, properties: BTreeMap<String, String> },
    SharedSecret(String),
}

impl Credentials {
    /// Creates credentials of a user with a password, for a proxy of Accumulo 1.x.
    pub fn password(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self::login(user, BTreeMap::from([("password".to_owned(), password.into())]))
    }

    /// Creates credentials of a user with the properties that the token class of the proxy requires
    /// (`tokenClass`), for a proxy of Accumulo 1.x.
    pub fn login(user: impl Into<String>, properties: BTreeMap<String, String>) -> Self {
        let user = user.into();
        Self(Kind::Login { user, properties })
    }

    /// Creates credentials with the shared secret of a proxy of Accumulo 2.x. All calls run as the
    /// proxy's own user.
    pub fn shared_secret(secret: impl Into<String>) -> Self {
        Self(Kind::SharedSecret(secret.into()))
    }

    /// Returns the user, or `None` if calls run as the proxy's own user.
    pub fn user(&self) -> Option<&str> {
        match &self.0 {
            Kind::Login { user, .. } => Some(user),
            Kind::SharedSecret(_) => None,
        }
    }

    /// Returns the length of the shared secret, which every request contains.
    pub(crate) fn secret_bytes(&self) -> usize {
        match &self.0 {
            Kind::Login { .. } => 0,
            Kind::SharedSecret(secret) => secret.len(),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Login { user, properties } => f
                .debug_struct("Login")
                .field("user", user)
                .field(
                    "properties",
                    &properties.keys().map(|name| (name, "<redacted>")).collect::<BTreeMap<_, _>>(),
                )
                .finish(),
            Kind::SharedSecret(_) => f.write_str("SharedSecret(<redacted>)"),
        }
    }
}
