//! Operations on users.
//!
//! Passwords are `&str` arguments and are not stored: only the request contains the password, and
//! it is dropped after the call.

use std::collections::{BTreeMap, BTreeSet};

use super::bytes;
use super::methods::Named;
use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{Bytes, NamespacePermission, SystemPermission, TablePermission};
use crate::error::Result;
use crate::wire::interface as wire;

/// Operations on users: their passwords, authorizations and permissions.
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission or does not exist, and
/// with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct SecurityOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on users.
    pub fn security_operations(&self) -> SecurityOperations<'_> {
        SecurityOperations { client: self }
    }
}

wire::user_calls!(methods);

impl SecurityOperations<'_> {
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
        let request = |token| wire::AuthenticateUser::new(token, user.to_owned(), properties);
        self.client.ask(Some(user), request).await
    }
}
