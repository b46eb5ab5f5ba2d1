//! All differences between the proxies of Accumulo 1.x and 2.x.
//!
//! | | 1.x | 2.x |
//! |---|---|---|
//! | first argument | token from `login` (bytes) | shared secret (text; the same on the wire) |
//! | user | the user of the login | the proxy's own |
//! | `compactTable` | 8 compaction strategy | 8 selector, 9 configurer |

use std::collections::BTreeMap;
use std::fmt;

use crate::wire::generated as wire;

/// Credentials of the caller. They also select the version of the proxy.
///
/// `Debug` output contains no secret.
#[derive(Clone)]
pub struct Credentials(Kind);

#[derive(Clone)]
enum Kind {
    Login {
        user: String,
        properties: BTreeMap<String, String>,
    },
    SharedSecret(String),
}

/// The selection of files for a compaction.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::{CompactionPlan, Plugin};
///
/// let everything = CompactionPlan::default();
/// assert_eq!(everything, CompactionPlan::All);
/// let package = "org.apache.accumulo.tserver.compaction.strategies";
/// let strategy = Plugin::new(format!("{package}.ConfigurableCompactionStrategy"));
/// let some = CompactionPlan::Strategy(strategy);
/// assert_ne!(some, everything);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CompactionPlan {
    /// All files.
    #[default]
    All,
    /// A compaction strategy: only for the proxy of Accumulo 1.x.
    Strategy(Plugin),
    /// A selector of files and a configurer of the output: only for the proxy of Accumulo 2.x.
    Plugins {
        /// `CompactionSelector`.
        selector: Option<Plugin>,
        /// `CompactionConfigurer`.
        configurer: Option<Plugin>,
    },
}

/// A class on the servers, and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The full name of the class.
    pub class: String,
    /// Options of the class.
    pub options: BTreeMap<String, String>,
}

impl Plugin {
    /// Creates a plugin without options.
    pub fn new(class: impl Into<String>) -> Self {
        Self {
            class: class.into(),
            options: BTreeMap::new(),
        }
    }

    fn into_wire(self) -> wire::PluginConfig {
        wire::PluginConfig::new(self.class, self.options)
    }
}

impl Credentials {
    /// Creates credentials of a user with a password, for a proxy of Accumulo 1.x.
    pub fn password(user: impl Into<String>, password: impl Into<String>) -> Self {
        let properties = BTreeMap::from([("password".to_owned(), password.into())]);
        Self::login(user, properties)
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

    /// Returns the login request, or the token if no login is necessary.
    pub(crate) fn opening(&self) -> Opening {
        match &self.0 {
            Kind::Login { user, properties } => {
                Opening::Login(wire::LoginRequest::new(user.clone(), properties.clone()))
            }
            Kind::SharedSecret(secret) => Opening::Token(secret.clone().into_bytes()),
        }
    }

    /// Returns the user, or `None` if calls run as the proxy's own user.
    pub fn user(&self) -> Option<&str> {
        match &self.0 {
            Kind::Login { user, .. } => Some(user),
            Kind::SharedSecret(_) => None,
        }
    }

    /// Returns fields 8 and 9 of `compactTable`, or the reason why this proxy does not support the
    /// plan.
    pub(crate) fn compaction(
        &self,
        plan: CompactionPlan,
    ) -> Result<CompactionFields, &'static str> {
        match (plan, &self.0) {
            (CompactionPlan::All, _) => Ok((None, None)),
            (CompactionPlan::Strategy(strategy), Kind::Login { .. }) => {
                Ok((Some(strategy.into_wire()), None))
            }
            (
                CompactionPlan::Plugins {
                    selector,
                    configurer,
                },
                Kind::SharedSecret(_),
            ) => Ok((
                selector.map(Plugin::into_wire),
                configurer.map(Plugin::into_wire),
            )),
            (CompactionPlan::Strategy(_), Kind::SharedSecret(_)) => Err(
                "the proxy of Accumulo 2.x has no compaction strategies; use a selector or a configurer",
            ),
            (CompactionPlan::Plugins { .. }, Kind::Login { .. }) => {
                Err("the proxy of Accumulo 1.x has no selectors and configurers; use a strategy")
            }
        }
    }
}

/// Fields 8 and 9 of `compactTable`.
pub(crate) type CompactionFields = (Option<wire::PluginConfig>, Option<wire::PluginConfig>);

/// The first step of a session.
pub(crate) enum Opening {
    /// A login; its result is the token.
    Login(wire::LoginRequest),
    /// No login: this is the token.
    Token(Vec<u8>),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Login { user, properties } => f
                .debug_struct("Login")
                .field("user", user)
                .field(
                    "properties",
                    &properties
                        .keys()
                        .map(|name| (name, "<redacted>"))
                        .collect::<BTreeMap<_, _>>(),
                )
                .finish(),
            Kind::SharedSecret(_) => f.write_str("SharedSecret(<redacted>)"),
        }
    }
}
