//! The start of a session: the login of a proxy of Accumulo 1.x, or the proof of the shared secret of one of 2.x.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::timeout;

use super::ProxyClient;
use super::attempt::Progress;
use crate::dialect::Opening;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::generated::{LoginRequest, NamespaceExistsRequest};

impl ProxyClient {
    /// Returns the first argument of nearly every call. A caller waits for it, for the login of another task too, at most
    /// [`connect_timeout`](crate::Settings::connect_timeout): a person at a prompt learns in seconds that no proxy answers.
    pub(crate) async fn token(&self) -> Result<Vec<u8>> {
        let limit = self.settings().connect_timeout;
        let token = self.inner.token.get(self.open_session(limit));
        match timeout(limit, token).await {
            Ok(answer) => answer,
            Err(_) => {
                let user = self.settings().credentials.user();
                Err(self.timed_out::<LoginRequest>(user, limit, &Progress::sent()))
            }
        }
    }

    async fn open_session(&self, limit: Duration) -> Result<Vec<u8>> {
        match self.settings().credentials.opening() {
            Opening::Token(token) => Ok(token),
            Opening::Login(login) => {
                let user = self.settings().credentials.user();
                let token = self.try_once(&login, user, limit).await?;
                self.required::<LoginRequest, _>(user, token)
            }
        }
    }

    /// Checks the shared secret with a call that changes nothing and needs no permission. The call declares
    /// `AccumuloSecurityException`: a proxy answers one that does not, such as `listTables`, with a bare internal error.
    pub(super) async fn prove_secret(&self, secret: Vec<u8>) -> Result<()> {
        let is_ascii = secret.is_ascii();
        let request = NamespaceExistsRequest::new(secret, String::new());
        let limit = self.settings().connect_timeout;
        match self.try_once(&request, None, limit).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_denial() => Ok(()),
            Err(error) => Err(self.explain_secret(error, is_ascii).await),
        }
    }

    /// Returns what the failure of the proof says about the secret. What the proxy says is not quoted: one of 1.x takes
    /// the secret for the name of a user, and repeats it.
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
        self.error(kind, NamespaceExistsRequest::NAME, None, reason)
    }

    /// Checks whether the server has the call `login`; `None` if the answer does not tell. If the server `is_proxy` for
    /// certain, a failure inside the call tells too.
    async fn takes_logins(&self, is_proxy: bool) -> Option<bool> {
        let properties = BTreeMap::from([("password".to_owned(), String::new())]);
        let login = LoginRequest::new(String::new(), properties);
        let limit = self.settings().connect_timeout;
        match self
            .try_once(&login, None, limit)
            .await
            .map_err(|error| error.kind())
        {
            Ok(_) | Err(ErrorKind::Security) => Some(true),
            Err(ErrorKind::OtherCredentials) => Some(false),
            Err(ErrorKind::Protocol) if is_proxy => Some(true),
            Err(_) => None,
        }
    }
}

/// The reason of a shared secret that fails on a proxy of Accumulo 1.x.
const LOGINS_ONLY: &str =
    "the proxy takes user and password, as those of Accumulo 1.x, and no shared secret";

fn wrong_secret(is_ascii: bool) -> String {
    let hint = match is_ascii {
        true => "",
        // Java reads the file of properties as Latin-1.
        false => {
            "; this one has characters outside of ASCII, which the file of the proxy must hold as escapes such as \\u00e4"
        }
    };
    format!("the shared secret is not the `sharedSecret` of the proxy{hint}")
}
