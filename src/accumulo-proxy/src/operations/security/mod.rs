//! Operations on users.
//!
//! ```text
//! users          create, drop, passwords, authorizations    users.rs
//! permissions    of the system, of namespaces, of tables     permissions.rs
//! ```
//!
//! A password is taken as `&str`, and kept nowhere: it is in the request, which is dropped with the call.

mod permissions;
mod users;

use crate::client::ProxyClient;

/// Operations on users: their passwords, authorizations and permissions.
///
/// Besides the errors that a method names, each can fail with [`Security`](crate::ErrorKind::Security) where the
/// user lacks a permission or does not exist, and with those of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct SecurityOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Operations on users.
    pub fn security_operations(&self) -> SecurityOperations<'_> {
        SecurityOperations { client: self }
    }
}
