//! The proof that the optimizations are in force: `verify` reads everything back, and compares it
//! in one pass over the table.
//!
//! The result is data: [`Verdict`] has the figures, and a list of [`Difference`]s with fields.
//! Their text is made when it is shown.
//!
//! A [`Load`] compares the fullest of several places with its share. There are three kinds:
//!
//! - The tablets of a recipe, by its rows. A tablet has the share that the recipe expects in it.
//! - The tablets with rows of no recipe, by all of their rows.
//! - The servers, which share the table equally.
//!
//! A place is too full beyond [`MaxSkew`], unless chance explains it.

mod census;
mod difference;
mod groups;
mod load;
mod options;
mod properties;
mod tally;
mod verdict;
mod verifying;

pub use self::difference::{Difference, Unproved};
pub use self::groups::{GroupVerdict, groups};
pub use self::load::{Load, LoadStanding, Place};
pub use self::options::{MaxSkew, RowCounting, VerifyOptions};
pub use self::properties::PropertyVerdict;
pub use self::tally::RowsVerdict;
pub use self::verdict::Verdict;
pub use self::verifying::Verifying;
