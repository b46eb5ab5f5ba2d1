//! Operations on namespaces.
//!
//! ```text
//! lifecycle     create, rename, delete      lifecycle.rs
//! properties    properties of its tables    properties.rs
//! constraints   checks of mutations         constraints.rs
//! iterators     iterators of its tables     iterators.rs
//! ```

mod constraints;
mod iterators;
mod lifecycle;
mod properties;

use crate::client::ProxyClient;

/// Operations on namespaces and the configuration that they provide for their tables. The name of
/// the default namespace is empty.
///
/// In addition to its documented errors, each method can fail with
/// [`Security`](crate::ErrorKind::Security) if the user lacks a permission, with
/// [`Accumulo`](crate::ErrorKind::Accumulo), and with the errors of [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct NamespaceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Returns the operations on namespaces.
    pub fn namespace_operations(&self) -> NamespaceOperations<'_> {
        NamespaceOperations { client: self }
    }
}
