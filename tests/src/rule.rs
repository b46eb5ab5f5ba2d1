//! A rule of a suite as a value.

#![expect(clippy::panic, reason = "only tests call it")]

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::STUCK;

/// A duration far longer than any rule takes on any instance, however busy the machine is. A rule
/// that exceeds it hangs.
const HANGS_AFTER: Duration = STUCK.saturating_mul(4);

/// A rule of the suite of a port: its name and its check.
pub struct Rule<P: ?Sized> {
    name: &'static str,
    check: fn(Arc<P>) -> BoxFuture<'static, ()>,
}

impl<P: ?Sized> Rule<P> {
    pub(crate) const fn new(
        name: &'static str,
        check: fn(Arc<P>) -> BoxFuture<'static, ()>,
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
    pub async fn run(&self, port: Arc<P>) {
        let check = (self.check)(port);
        let end = tokio::time::timeout(HANGS_AFTER, check).await;
        assert!(end.is_ok(), "{}: no end after {HANGS_AFTER:?}", self.name);
    }
}

impl<P: ?Sized> fmt::Debug for Rule<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.name).finish()
    }
}

/// Runs all rules, one after the other.
pub(crate) async fn run_all<P: ?Sized>(rules: &[Rule<P>], port: Arc<P>) {
    for rule in rules {
        rule.run(port.clone()).await;
    }
}

/// Returns the rule with a name.
///
/// # Panics
///
/// There is no rule with that name.
pub(crate) fn named<P: ?Sized>(rules: &'static [Rule<P>], name: &str) -> &'static Rule<P> {
    let found = rules.iter().find(|rule| rule.name == name);
    found.unwrap_or_else(|| panic!("there is no rule `{name}`"))
}
