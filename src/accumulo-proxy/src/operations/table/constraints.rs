//! Constraints of a table.

use std::collections::BTreeMap;

use super::TableOperations;
use crate::error::Result;
use crate::wire::interface as wire;

impl TableOperations<'_> {
    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, and returns
    /// its number (`addConstraint`). [Sent once](crate#sending-again).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound), [`Accumulo`](crate::ErrorKind::Accumulo)
    /// for a class that cannot be loaded, or that is already a constraint of the table.
    pub async fn add_constraint(&self, table: &str, class: &str) -> Result<i32> {
        let request =
            |token| wire::AddConstraintRequest::new(token, table.to_owned(), class.to_owned());
        self.client.ask(Some(table), request).await
    }

    /// Removes the constraint with this number (`removeConstraint`).
    /// [Sent once](crate#sending-again), because the number may have been reused.
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn remove_constraint(&self, table: &str, number: i32) -> Result<()> {
        let request = |token| wire::RemoveConstraintRequest::new(token, table.to_owned(), number);
        self.client.ask(Some(table), request).await
    }

    /// Returns the numbers of the constraints, by class (`listConstraints`).
    ///
    /// # Errors
    ///
    /// [`TableNotFound`](crate::ErrorKind::TableNotFound).
    pub async fn constraints(&self, table: &str) -> Result<BTreeMap<String, i32>> {
        let request = |token| wire::ListConstraintsRequest::new(token, table.to_owned());
        self.client.ask(Some(table), request).await
    }
}
