//! The placement of tablets on servers: the rule of Accumulo's group balancer as pure functions.
//!
//! The embedded table places the tablets of its simulated servers by this rule, and a plan shows
//! the tablets that N servers would hold before anything is written. A [`GroupPattern`] determines
//! the group of a tablet; [`place`] spreads each group. Without the group balancer tablets are
//! placed by count, as Accumulo's default balancer does: all servers hold the same number, but one
//! server may hold a whole group.

mod class;
mod java_regex;
mod pattern;
mod placement;

pub use class::{BalancerClass, group_balancers, simulates_class};
pub use pattern::{GroupPattern, PatternError};
pub use placement::{place, simulated_server_name, simulated_tablets};
