//! Table optimizations: the split points and groups that recipes ask of a table, brought to a live table and
//! proven on it.
//!
//! Three functions over the [`TableAdmin`](fluo_core::TableAdmin) port, in the order in which they are used:
//!
//! 1. [`plan()`] compares the [`TableOptimizations`] with the table and says what would change. It writes nothing.
//! 2. [`apply()`] makes the changes, in an order that is safe to interrupt anywhere, and undoes its own if one
//!    fails.
//! 3. [`verify()`] reads everything back and says in figures whether it worked.
//!
//! Servers move tablets in their own time. [`groups()`] is one cheap look at how far they are, for whoever waits
//! between 2 and 3.
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

pub use apply::{Applied, ApplyError, ApplyEvent, Leftover, apply};
pub use contribution::{Contribution, ContributionBuilder, ContributionError};
pub use forecast::{GroupForecast, TabletRun};
pub use optimizations::{OverlapError, TableOptimizations};
pub use plan::{Plan, PlanOptions, plan};
pub use step::Step;
pub use verify::{
    CellsOfRecipe, CellsVerdict, Difference, DifferenceKind, EvennessOf, FoundBalancer,
    FullestTablet, GroupVerdict, HotPart, Load, LoadStanding, MaxSkew, MaxSkewError, NarrowRecipe,
    OtherRows, OtherRowsVerdict, PropertyVerdict, RowCounting, RowsVerdict, ServerLoad,
    SplitsVerdict, StraySplit, TabletLoad, Unproved, UnrequestedProperty, UnseenVerdict, Verdict,
    VerdictError, VerifyOptions, groups, verify,
};
pub(crate) use verify::{LEAST_P_VALUE, chi_square};
