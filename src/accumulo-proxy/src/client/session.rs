//! The start of a session: the login to a proxy of Accumulo 1.x, or the check of the shared secret
//! of a 2.x proxy.

use std::collections::BTreeMap;

use tokio::time::timeout;

use super::ProxyClient;
use super::retry::Progress;
use crate::credentials::Kind;
use crate::data::Bytes;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface::{Login, NamespaceExists};

impl ProxyClient {
    /// Returns the first argument of nearly every call. A caller waits for it, also for the login
    /// of another task, at most [`connect_timeout`](field@crate::ProxyOptions::connect_timeout), so
    /// an interactive user gets the error of an unreachable proxy within seconds.
    pub(crate) async fn token(&self) -> Result<Bytes> {
        let limit = self.options().connect_timeout;
        let token = self.inner.token.get(async || self.open_session().await);
        timeout(limit, token).await.unwrap_or_else(|_| {
            let user = self.options().credentials.user();
            let progress = Progress { was_sent: true, ..Progress::default() };
            Err(self.timed_out::<Login>(user, limit, &progress))
        })
    }

    async fn open_session(&self) -> Result<Bytes> {
        match &self.options().credentials.0 {
            Kind::SharedSecret(secret) => Ok(secret.clone().into()),
            Kind::Login { user, properties } => {
                let login = Login::new(user.clone(), properties.clone());
                let (token, _) = self.try_once(&login, Some(user)).await?;
                self.required::<Login>(Some(user), token)
            }
        }
    }

    /// Checks the shared secret with a call that changes nothing and needs no permission. The call
    /// must declare `AccumuloSecurityException`: for a call without it, such as `listTables`, the
    /// proxy answers with a bare internal error.
    pub(super) async fn prove_secret(&self, secret: Bytes) -> Result<()> {
        let is_ascii = secret.is_ascii();
        let request = NamespaceExists::new(secret, String::new());
        match self.try_once(&request, None).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_denial() => Ok(()),
            Err(error) => Err(self.explain_secret(error, is_ascii).await),
        }
    }

    /// Explains the failure of the check in terms of the secret. The message of the proxy is not
    /// quoted: a 1.x proxy takes the secret for a user name and repeats it.
    async fn explain_secret(&self, error: Error, is_ascii: bool) -> Error {
        let is_refused = error.kind() == ErrorKind::Security;
        if !is_refused && error.kind() != ErrorKind::Protocol {
            return error;
        }
        let (kind, reason) = match self.takes_logins(is_refused).await {
            Some(true) => (ErrorKind::OtherCredentials, LOGINS_ONLY.to_owned()),
            _ if is_refused => (ErrorKind::Security, wrong_secret(is_ascii)),
            _ => return error,
        };
        self.error(kind, NamespaceExists::NAME, None, reason)
    }

    /// Checks whether the server has the call `login`. Returns `None` if the answer leaves it open.
    /// If the server `is_proxy` for certain, a failure inside the call is an answer too.
    async fn takes_logins(&self, is_proxy: bool) -> Option<bool> {
        let properties = BTreeMap::from([("password".to_owned(), String::new())]);
        let login = Login::new(String::new(), properties);
        match self.try_once(&login, None).await.map_err(|error| error.kind()) {
            Ok(_) | Err(ErrorKind::Security) => Some(true),
            Err(ErrorKind::OtherCredentials) => Some(false),
            Err(ErrorKind::Protocol) if is_proxy => Some(true),
            Err(_) => None,
        }
    }
}

/// The reason of an error if a shared secret fails on a proxy of Accumulo 1.x.
const LOGINS_ONLY: &str =
    "the proxy requires user and password (Accumulo 1.x), not a shared secret";

fn wrong_secret(is_ascii: bool) -> String {
    let hint = if is_ascii {
        ""
    } else {
        // Java reads the properties file as Latin-1.
        "; it has non-ASCII characters, which the file of the proxy must contain as escapes such as \\u00e4"
    };
    format!("the shared secret is not the `sharedSecret` of the proxy{hint}")
}
