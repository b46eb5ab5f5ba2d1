//! Constraints of a namespace: what may be written.

use std::collections::BTreeMap;

use super::NamespaceOperations;
use crate::error::Result;
use crate::wire::generated as wire;

impl NamespaceOperations<'_> {
    /// Adds a constraint to the tables of a namespace (`addNamespaceConstraint`), a class on the servers that
    /// says of each mutation whether it may be written; the number that it got. [Sent once](crate#sending-again).
    ///
    /// A table whose own constraint has the same number does not get it. Every table is created with one of number 1
    /// (`DefaultKeySizeConstraint`), and 1 is what the first constraint of a namespace gets.
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound), [`Accumulo`](crate::ErrorKind::Accumulo) for a class
    /// that cannot be loaded, or that is there already.
    pub async fn add_constraint(&self, namespace: &str, class: &str) -> Result<i32> {
        let request = |token| {
            wire::AddNamespaceConstraintRequest::new(token, namespace.to_owned(), class.to_owned())
        };
        self.client.ask(Some(namespace), request).await
    }

    /// Removes the constraint with this number (`removeNamespaceConstraint`). [Sent once](crate#sending-again): the
    /// number may have gone to another.
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn remove_constraint(&self, namespace: &str, number: i32) -> Result<()> {
        let request = |token| {
            wire::RemoveNamespaceConstraintRequest::new(token, namespace.to_owned(), number)
        };
        self.client.ask(Some(namespace), request).await
    }

    /// The numbers of the constraints, by class (`listNamespaceConstraints`).
    ///
    /// # Errors
    /// [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound).
    pub async fn constraints(&self, namespace: &str) -> Result<BTreeMap<String, i32>> {
        let request =
            |token| wire::ListNamespaceConstraintsRequest::new(token, namespace.to_owned());
        self.client.ask(Some(namespace), request).await
    }
}
