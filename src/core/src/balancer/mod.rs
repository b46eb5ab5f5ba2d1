//! How tablets are placed on servers: the rule of Accumulo's group balancer as pure functions.
//!
//! The embedded table places its pretended servers' tablets by it, and a plan shows by it what N servers would
//! hold before anything is written. A [`GroupPattern`] says which group a tablet falls in; [`place`] spreads
//! each group. Without the group balancer a table's tablets are only counted, as Accumulo's default balancer
//! counts them: the servers hold equal numbers, and nothing keeps a group from standing on one server.

mod class;
mod java_regex;
mod pattern;
mod placement;

pub use class::{BalancerClass, group_balancers, pretends_to_load};
pub use pattern::{GroupPattern, PatternError};
pub use placement::{place, place_by_count, place_by_properties, pretended_server_name};
