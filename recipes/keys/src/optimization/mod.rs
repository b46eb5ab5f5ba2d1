//! Table optimizations: the split points and groups that recipes ask of a table, brought to a live
//! table and proven on it.
//!
//! Three calls on the [`TableAdmin`](fluo_table::TableAdmin) port, in the order of their use:
//!
//! 1. [`TableOptimizations::plan`] compares the optimizations with the table and returns the steps
//!    that would change it. It writes nothing.
//! 2. [`Plan::apply`] takes the steps, in an order that is safe to interrupt anywhere, and undoes
//!    its own if one fails.
//! 3. [`TableOptimizations::verify`] reads everything back and returns a verdict with figures.
//!
//! Each of them returns a value with the options as methods. Awaiting this value makes the call.
//!
//! Servers move tablets in their own time. [`Plan::wait_until_balanced`] waits for them between 2
//! and 3, with the timer of the caller; [`groups()`] reads once how far they are.
//! [`Verdict::differences_since`] compares two verdicts, for a caller that verifies a table again
//! and again.
//!
//! # The order of `apply`
//!
//! 1. The missing split points, in one call: a table with more tablets works as before.
//! 2. The pattern of the groups, then the default group: without effect until the balancer reads
//!    them.
//! 3. The class of the balancer, the last property: it never runs without its pattern.
//! 4. With pruning, the merges that remove split points of no recipe.
//!
//! If no recipe has a group, as with key designs whose rows have no common prefix, all tablets are
//! spread as one group. Every balancer does so, so no property is set. With pruning, properties of
//! earlier groups are then removed in place of 2 and 3, the class of the balancer first.
//!
//! After each step the table is complete and works. Running `apply` again finishes an interrupted
//! run.

/// Makes the call of a value with its options when the value is awaited.
macro_rules! call_when_awaited {
    ($call:ident $(<$value:ident>)? => $output:ty) => {
        impl<'a $(, $value: Send + Sync + 'a)?> IntoFuture for $call<'a $(, $value)?> {
            type Output = $output;
            type IntoFuture = futures_util::future::BoxFuture<'a, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    };
}

mod apply;
mod balancer;
mod forecast;
mod optimizations;
mod plan;
mod requirement;
mod step;
mod verify;
mod wait;

pub use apply::{Applied, ApplyError, ApplyEvent, Applying, RollbackReport};
pub use forecast::{GroupForecast, TabletRun};
pub use optimizations::TableOptimizations;
pub use plan::{Plan, Planning};
pub use requirement::{TableRequirement, TableRequirementBuilder};
pub use step::Step;
pub use verify::{
    Difference, GroupVerdict, Load, LoadStanding, MaxSkew, Place, PropertyVerdict, RowCounting,
    RowsVerdict, Unproved, Verdict, VerifyOptions, Verifying, groups,
};
pub use wait::{WaitEvent, Waiting};
