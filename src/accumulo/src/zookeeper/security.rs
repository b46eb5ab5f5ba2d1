//! The protection of the connections of a session: TLS and SASL.

use std::fmt;

use fluo_table::{Error, Result};

/// The protection of the connections of a session. `Debug` output contains no secret.
#[derive(Clone, Debug, Default)]
pub(crate) struct Security {
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<accumulo_proxy::TlsCertificates>,
    pub(crate) sasl: Option<Sasl>,
}

/// The identity of a client of ZooKeeper, by the mechanism DIGEST-MD5 of SASL.
#[derive(Clone)]
pub(crate) struct Sasl {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl Security {
    pub(super) fn check(&self) -> Result<()> {
        match &self.sasl {
            Some(Sasl { user, .. })
                if user.is_empty()
                    || user.contains(['"', '\\'])
                    || user.contains(char::is_control) =>
            {
                Err(Error::invalid(format!(
                    "`{}` cannot be a user of SASL; write a name without quotes, backslashes and control characters",
                    user.escape_debug()
                )))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Sasl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sasl").field("user", &self.user).finish_non_exhaustive()
    }
}
