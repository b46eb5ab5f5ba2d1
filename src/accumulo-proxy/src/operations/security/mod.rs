//! Operations on users.
//!
//! ```text
//! users          create, drop, passwords, authorizations    users.rs
//! permissions    of the system, of namespaces, of tables    permissions.rs
//! ```
//!
//! Passwords are `&str` arguments and are not stored: only the request contains the password, and
//! it is dropped after the call.

mod permissions;
mod users;

use crate::client::ProxyClient;

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
