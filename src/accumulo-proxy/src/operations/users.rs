//! The check of a user with the properties of a token class.

use std::collections::BTreeMap;

use super::SecurityOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl SecurityOperations<'_> {
    /// Checks whether a user may log in with these properties, which depend on the token class of
    /// the proxy (`authenticateUser`).
    ///
    /// # Errors
    ///
    /// [`Security`](crate::ErrorKind::Security), [`Accumulo`](crate::ErrorKind::Accumulo), and
    /// those of [every call](crate#errors).
    pub async fn authenticate_user_with(
        &self,
        user: &str,
        properties: BTreeMap<String, String>,
    ) -> Result<bool> {
        let request = |token| wire::AuthenticateUser::new(token, user.to_owned(), properties);
        self.client.ask(Some(user), request).await
    }
}
