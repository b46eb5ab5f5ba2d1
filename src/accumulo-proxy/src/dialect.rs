//! All differences between the proxies of Accumulo 1.x and 2.x.
//!
//! | | 1.x | 2.x |
//! |---|---|---|
//! | first argument | token from `login` (bytes) | shared secret (text; the same on the wire) |
//! | user | the user of the login | the proxy's own |
//! | `compactTable` | 8 compaction strategy | 8 selector, 9 configurer |

use crate::credentials::{Credentials, Kind};
use crate::data::{Bytes, Plugin};
use crate::wire::interface as wire;

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

impl Credentials {
    /// Returns the login request, or the token if no login is necessary.
    pub(crate) fn opening(&self) -> Opening {
        match &self.0 {
            Kind::Login { user, properties } => {
                Opening::Login(wire::Login::new(user.clone(), properties.clone()))
            }
            Kind::SharedSecret(secret) => Opening::Token(secret.clone().into()),
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
            (CompactionPlan::Strategy(strategy), Kind::Login { .. }) => Ok((Some(strategy), None)),
            (CompactionPlan::Plugins { selector, configurer }, Kind::SharedSecret(_)) => {
                Ok((selector, configurer))
            }
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
pub(crate) type CompactionFields = (Option<Plugin>, Option<Plugin>);

/// The first step of a session.
pub(crate) enum Opening {
    /// A login; its result is the token.
    Login(wire::Login),
    /// No login: this is the token.
    Token(Bytes),
}
