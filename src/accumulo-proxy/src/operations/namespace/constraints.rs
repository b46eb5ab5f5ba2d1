//! Constraints of a namespace.

use std::collections::BTreeMap;

use super::NamespaceOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl NamespaceOperations<'_> {
    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, to the
    /// tables of a namespace, and returns its number (`addNamespaceConstraint`).
    /// [Sent once](crate#sending-again).
    ///
    /// A table that has its own constraint with the same number does not get the constraint. Every
    /// table is created with a constraint of number 1 (`DefaultKeySizeConstraint`), and the first
    /// constraint of a namespace gets the number 1.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound),
    /// [`Accumulo`](crate::ErrorKind::Accumulo) for a class that cannot be loaded, or that is
    /// already a constraint of the namespace.
    pub async fn add_constraint(&self, namespace: &str, class: &str) -> Result<i32> {
        let request = |token| {
            wire::AddNamespaceConstraintRequest::new(token, namespace.to_owned(), class.to_owned())
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Removes the constraint with this number (`removeNamespaceConstraint`).
    /// [Sent once](crate#sending-again), because the number may have been reused.
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn remove_constraint(&self, namespace: &str, number: i32) -> Result<()> {
        let request = |token| {
            wire::RemoveNamespaceConstraintRequest::new(token, namespace.to_owned(), number)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Returns the numbers of the constraints, by class (`listNamespaceConstraints`).
    ///
    /// # Errors
    ///
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn constraints(&self, namespace: &str) -> Result<BTreeMap<String, i32>> {
        let request =
            |token| wire::ListNamespaceConstraintsRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }
}
