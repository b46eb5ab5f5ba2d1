//! Where the proxies of Accumulo 1.x and 2.x differ, all of it.
//!
//! | | 1.x | 2.x |
//! |---|---|---|
//! | first argument of a call | the token that `login` gave (bytes) | the shared secret of the proxy (text; the same on the wire) |
//! | user | that of the login | the proxy's own |
//! | `compactTable` | 8 compaction strategy | 8 selector, 9 configurer |

use std::collections::BTreeMap;
use std::fmt;

use crate::wire::generated as wire;

/// Who calls, and with that, which proxy is called.
///
/// `Debug` shows no secret.
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

/// What a compaction chooses its files by.
///
/// ```
/// use accumulo_proxy::{CompactionPlan, Plugin};
///
/// let everything = CompactionPlan::default();
/// assert_eq!(everything, CompactionPlan::All);
/// let some = CompactionPlan::Strategy(Plugin::new("org.apache.accumulo.tserver.compaction.strategies.ConfigurableCompactionStrategy"));
/// assert_ne!(some, everything);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CompactionPlan {
    /// All files.
    #[default]
    All,
    /// A compaction strategy: proxy of Accumulo 1.x only.
    Strategy(Plugin),
    /// A selector of files and a configurer of the output: proxy of Accumulo 2.x only.
    Plugins {
        /// `CompactionSelector`.
        selector: Option<Plugin>,
        /// `CompactionConfigurer`.
        configurer: Option<Plugin>,
    },
}

/// A class on the servers, and options for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The full name of the class.
    pub class: String,
    /// Its options.
    pub options: BTreeMap<String, String>,
}

impl Plugin {
    /// A class without options.
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
    /// A user with a password, on a proxy of Accumulo 1.x.
    pub fn password(user: impl Into<String>, password: impl Into<String>) -> Self {
        let properties = BTreeMap::from([("password".to_owned(), password.into())]);
        Self::login(user, properties)
    }

    /// A user with the properties that the token class of the proxy asks for (`tokenClass`), on a proxy of
    /// Accumulo 1.x.
    pub fn login(user: impl Into<String>, properties: BTreeMap<String, String>) -> Self {
        let user = user.into();
        Self(Kind::Login { user, properties })
    }

    /// The shared secret of a proxy of Accumulo 2.x. All calls are made as the proxy's own user.
    pub fn shared_secret(secret: impl Into<String>) -> Self {
        Self(Kind::SharedSecret(secret.into()))
    }

    /// The login to make, or the token where none is made.
    pub(crate) fn opening(&self) -> Opening {
        match &self.0 {
            Kind::Login { user, properties } => {
                Opening::Login(wire::LoginRequest::new(user.clone(), properties.clone()))
            }
            Kind::SharedSecret(secret) => Opening::Token(secret.clone().into_bytes()),
        }
    }

    /// The user, where it is not the proxy's.
    pub fn user(&self) -> Option<&str> {
        match &self.0 {
            Kind::Login { user, .. } => Some(user),
            Kind::SharedSecret(_) => None,
        }
    }

    /// Fields 8 and 9 of `compactTable`, or a sentence where this proxy has no such thing.
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
                "the proxy of Accumulo 2.x knows no compaction strategy; give a selector or a configurer",
            ),
            (CompactionPlan::Plugins { .. }, Kind::Login { .. }) => Err(
                "the proxy of Accumulo 1.x knows no selector and no configurer; give a strategy",
            ),
        }
    }
}

/// Fields 8 and 9 of `compactTable`.
pub(crate) type CompactionFields = (Option<wire::PluginConfig>, Option<wire::PluginConfig>);

/// What comes before the first call.
pub(crate) enum Opening {
    /// A login, whose result is the token.
    Login(wire::LoginRequest),
    /// Nothing: this is the token.
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
