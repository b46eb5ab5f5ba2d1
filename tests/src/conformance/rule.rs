//! A rule of the suite as a value.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::TableAdmin;
use futures::future::BoxFuture;

use crate::STUCK;

/// A duration far longer than any rule takes on any instance, however busy the machine is. A rule
/// that exceeds it hangs.
const HANGS_AFTER: Duration = STUCK.saturating_mul(4);

/// A rule of the suite: its name and its check.
#[derive(Clone, Copy)]
pub struct Rule {
    name: &'static str,
    check: fn(Arc<dyn TableAdmin>) -> BoxFuture<'static, ()>,
}

impl Rule {
    pub(super) const fn new(
        name: &'static str,
        check: fn(Arc<dyn TableAdmin>) -> BoxFuture<'static, ()>,
    ) -> Self {
        Self { name, check }
    }

    /// Returns the name: the rule of the contract, and the behavior that is checked.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Checks the rule.
    ///
    /// # Panics
    ///
    /// If the rule does not hold, or its check hangs.
    pub async fn run(&self, tables: Arc<dyn TableAdmin>) {
        let check = (self.check)(tables);
        let end = tokio::time::timeout(HANGS_AFTER, check).await;
        assert!(end.is_ok(), "{}: no end after {HANGS_AFTER:?}", self.name);
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.name).finish()
    }
}
