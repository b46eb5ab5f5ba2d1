//! A suite: its rules as values, and a test for each of them.

use std::fmt;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::{STUCK, checked};

/// A duration far longer than any rule takes on any instance, however busy the machine is. A rule
/// that exceeds it hangs.
const HANGS_AFTER: Duration = STUCK.saturating_mul(4);

/// A rule of the suite of a port: its name and its check.
pub struct Rule<P> {
    name: &'static str,
    check: fn(P) -> BoxFuture<'static, ()>,
}

impl<P> Rule<P> {
    pub(crate) const fn new(name: &'static str, check: fn(P) -> BoxFuture<'static, ()>) -> Self {
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
    pub async fn run(&self, port: P) {
        let check = checked((self.check)(port));
        let end = tokio::time::timeout(HANGS_AFTER, check).await;
        assert!(end.is_ok(), "{}: no end after {HANGS_AFTER:?}", self.name);
    }
}

impl<P> fmt::Debug for Rule<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.name).finish()
    }
}

/// Defines the suite of a list of functions: their names, [`Rule`]s and ways to run them. `Rule`
/// and `Port` are the types of the module.
macro_rules! define_suite {
    ([] $($module:ident::$rule:ident,)*) => {
        $(pub use $module::$rule;)*

        /// All rules, in the order of the list.
        pub const RULES: &[Rule] = &[$(Rule::new(stringify!($rule), |port| Box::pin($rule(port)))),*];

        /// Runs all rules, one after the other.
        ///
        /// # Panics
        ///
        /// If a rule does not hold.
        pub async fn run_all(port: Port) {
            for rule in RULES {
                rule.run(port.clone()).await;
            }
        }

        /// Returns the rule with a name, to run a single rule.
        ///
        /// # Panics
        ///
        /// If there is no rule with that name.
        pub fn rule(name: &str) -> &'static Rule {
            let found = RULES.iter().find(|rule| rule.name() == name);
            found.unwrap_or_else(|| panic!("there is no rule `{name}`"))
        }
    };
}

pub(crate) use define_suite;

/// Generates a test for each rule of a list. The arguments are the function that finds a rule by
/// its name, and the one that opens a port. A test does nothing if there is no port.
#[doc(hidden)]
#[macro_export]
macro_rules! __tests_of_suite {
    ([$rule_of:expr, $open:expr] $($module:ident::$rule:ident,)*) => {
        $(
            #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                let opened: Option<(_, _)> = ($open)().await.into();
                let Some((port, held)) = opened else { return };
                $rule_of(stringify!($rule)).run(port).await;
                drop(held);
            }
        )*
    };
}
