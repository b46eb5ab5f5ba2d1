//! Operations on namespaces.
//!
//! ```text
//! life          create, rename, delete      life.rs
//! properties    properties of its tables    properties.rs
//! constraints   what may be written         constraints.rs
//! iterators     iterators of its tables     iterators.rs
//! ```

mod constraints;
mod iterators;
mod life;
mod properties;

use crate::client::ProxyClient;

/// Operations on namespaces: what they hold for their tables. The name of the default namespace is empty.
///
/// Besides the errors that a method names, each can fail with [`Security`](crate::ErrorKind::Security) where the
/// user lacks a permission, with [`Accumulo`](crate::ErrorKind::Accumulo), and with those of
/// [every call](crate#errors).
#[derive(Clone, Debug)]
pub struct NamespaceOperations<'a> {
    client: &'a ProxyClient,
}

impl ProxyClient {
    /// Operations on namespaces.
    pub fn namespace_operations(&self) -> NamespaceOperations<'_> {
        NamespaceOperations { client: self }
    }
}
