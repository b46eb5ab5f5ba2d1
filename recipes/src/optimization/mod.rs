//! Table optimizations: the split points and groups that recipes ask of a table, brought to a live
//! table and proven on it.
//!
//! Three calls on the [`TableAdmin`](fluo_core::TableAdmin) port, in the order of their use:
//!
//! 1. [`TableOptimizations::plan`] compares the optimizations with the table and returns the steps
//!    that would change it. It writes nothing.
//! 2. [`Plan::apply`] takes the steps, in an order that is safe to interrupt anywhere, and undoes
//!    its own if one fails.
//! 3. [`TableOptimizations::verify`] reads everything back and returns a verdict with figures.
//!
//! Each of them returns a value with the options as methods. Awaiting this value makes the call.
//!
//! Servers move tablets in their own time. [`groups()`] reads once how far they are, for a caller
//! that waits between 2 and 3.
//!
//! # The order of `apply`
//! 1. the missing split points, in one call: a table with more tablets works as before;
//! 2. the pattern of the groups, then the default group: without effect until the balancer reads them;
//! 3. the balancer's class, last of the properties: it never runs on a pattern that is not there;
//! 4. with pruning, the merges that remove split points which nobody asked for.
//!
//! Where no recipe has a group, as with key designs whose rows have no beginning of their own, all tablets are spread
//! as one, which every balancer does: no property is set. What groups of before have left is removed in place of 2
//! and 3, with pruning only, and the balancer's class first.
//!
//! After each step the table is whole and serves; running `apply` again finishes from wherever it stopped.

mod apply;
mod balancer;
mod contribution;
mod forecast;
mod merging;
mod optimizations;
mod plan;
mod row_text;
mod state;
mod step;
mod verify;

pub use apply::{Applied, ApplyError, ApplyEvent, Applying, Leftover};
pub use contribution::{Contribution, ContributionBuilder, ContributionError};
pub use forecast::{GroupForecast, TabletRun};
pub use optimizations::{OverlapError, TableOptimizations};
pub use plan::{Plan, Planning};
pub use step::Step;
pub use verify::{
    CellsOfRecipe, CellsVerdict, Difference, DifferenceKind, EvennessOf, FoundBalancer,
    FullestTablet, GroupVerdict, HotPart, Load, LoadStanding, MaxSkew, MaxSkewError, NarrowRecipe,
    OtherRows, OtherRowsVerdict, PropertyVerdict, RowCounting, RowsVerdict, ServerLoad,
    SplitsVerdict, StraySplit, TabletLoad, Unproved, UnrequestedProperty, UnseenVerdict, Verdict,
    VerdictError, VerifyOptions, Verifying, groups,
};
pub(crate) use verify::{LEAST_P_VALUE, chi_square};
