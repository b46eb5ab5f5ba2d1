//! Users: passwords and authorizations.

use std::collections::{BTreeMap, BTreeSet};

use super::SecurityOperations;
use crate::data::Bytes;
use crate::error::Result;
use crate::wire::interface as wire;

impl SecurityOperations<'_> {
    /// Creates a user with a password, without authorizations or permissions (`createLocalUser`).
    /// [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user already exists.
    pub async fn create_user(&self, user: &str, password: &str) -> Result<()> {
        let request = |token| {
            let password = password.as_bytes().to_vec();
            wire::CreateLocalUserRequest::new(token, user.to_owned(), password)
        };
        self.client.ask(Some(user), request).await
    }

    /// Drops a user (`dropLocalUser`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn drop_user(&self, user: &str) -> Result<()> {
        let request = |token| wire::DropLocalUserRequest::new(token, user.to_owned());
        self.client.ask(Some(user), request).await
    }

    /// Returns the names of all users (`listLocalUsers`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn users(&self) -> Result<BTreeSet<String>> {
        self.client
            .ask(None, wire::ListLocalUsersRequest::new)
            .await
    }

    /// Changes the password of a user (`changeLocalUserPassword`). A client that is logged in with
    /// the old password is rejected from then on and must connect again.
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn change_password(&self, user: &str, password: &str) -> Result<()> {
        let request = |token| {
            let password = password.as_bytes().to_vec();
            wire::ChangeLocalUserPasswordRequest::new(token, user.to_owned(), password)
        };
        self.client.ask(Some(user), request).await
    }

    /// Checks whether this is the password of a user (`authenticateUser`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn authenticate_user(&self, user: &str, password: &str) -> Result<bool> {
        let properties = BTreeMap::from([("password".to_owned(), password.to_owned())]);
        self.authenticate_user_with(user, properties).await
    }

    /// Checks whether a user may log in with these properties, which depend on the token class of
    /// the proxy (`authenticateUser`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn authenticate_user_with(
        &self,
        user: &str,
        properties: BTreeMap<String, String>,
    ) -> Result<bool> {
        let request =
            |token| wire::AuthenticateUserRequest::new(token, user.to_owned(), properties);
        self.client.ask(Some(user), request).await
    }

    /// Returns the authorizations of a user (`getUserAuthorizations`), which determine the
    /// visibilities that the user may see.
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn authorizations(&self, user: &str) -> Result<BTreeSet<Bytes>> {
        let request = |token| wire::GetUserAuthorizationsRequest::new(token, user.to_owned());
        let authorizations = self.client.ask(Some(user), request).await?;
        Ok(authorizations.into_iter().map(Bytes::from).collect())
    }

    /// Replaces all authorizations of a user (`changeUserAuthorizations`).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security) if the user does not exist.
    pub async fn change_authorizations(
        &self,
        user: &str,
        authorizations: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<()> {
        let authorizations: BTreeSet<Vec<u8>> = authorizations
            .into_iter()
            .map(|authorization| authorization.as_ref().to_vec())
            .collect();
        let request = |token| {
            wire::ChangeUserAuthorizationsRequest::new(token, user.to_owned(), authorizations)
        };
        self.client.ask(Some(user), request).await
    }
}
